// Writes the files that follow from the code; with --check, only says which are out of date.
import { readFile, writeFile } from 'node:fs/promises'
import { extname, join } from 'node:path'
import { format, resolveConfig } from 'prettier'
import { parse, stringify } from 'yaml'
import { z } from 'zod'
import { describeFields } from '@ordeal/embedded-cluster'
import { poolOf, poolRoles } from '@ordeal/experiment'
import { openApiDocument } from '@ordeal/gateway'
import { rules } from '@ordeal/kubernetes'
import { resultsSchema } from '@ordeal/shared'
import { root } from './packages.mjs'

/** The published schema of results.json. */
function resultsJsonSchema() {
  const { $schema, ...schema } = z.toJSONSchema(resultsSchema, { target: 'draft-2020-12', io: 'output', reused: 'ref' })
  return { $schema, $id: 'ordeal.results/v1', title: 'Results of an Ordeal cycle', ...schema }
}

/** How the embedded cluster is known to differ from a real one, as a list. */
async function describeDifferences() {
  const known = parse(await readFile(join(root, 'tests/conformance/differences.yaml'), 'utf8'))
  return known.map(({ scenario = 'everywhere', reason }) => `- ${scenario}: ${reason}`).join('\n')
}

/** A page with the parts between its marks written anew. */
async function withFields(path) {
  const written = await readFile(join(root, path), 'utf8')
  const differences = await describeDifferences()
  const page = written.replace(
    /(<!-- differences[^>]*-->)[^]*?(<!-- end -->)/,
    (_, start, end) => `${start}\n\n${differences}\n\n${end}`,
  )
  return page.replace(
    /(<!-- generated[^>]*-->)[^]*(<!-- end)/,
    (_, start, end) => `${start}\n\n${describeFields()}\n\n${end}`,
  )
}

/** The page of the rules by which weaknesses are found. */
const findingsPage = () => `# Weaknesses that manifests show

What \`ordeal inspect\`, \`plan\` and \`run\` look for without any cluster. An id never changes its meaning. The severity is
the usual one; a message may be milder where the manifests leave a doubt. A warning is something that a single fault can
turn into an outage; an error is something that does not work as it stands; a note is worth knowing.

| rule | severity | why it matters under failure | what would prove it |
| --- | --- | --- | --- |
${rules.map(({ id, severity, why, proof }) => `| \`${id}\` | ${severity} | ${why} | ${proof} |`).join('\n')}
`

/** Manifests, one document each. */
const manifests = (comment, objects) =>
  [`# ${comment}\n`, ...objects.map((object) => `---\n${stringify(object, { aliasDuplicateObjects: false })}`)].join('')

const EXAMPLE = { tenant: 'acme', namespaces: 2, custom: [], chaosNamespace: 'chaos-mesh' }

const FILES = {
  'deploy/k8s/tenants/roles.yaml': () =>
    manifests('Everything that cycles may do in a pool, from services/experiment/src/place/rights.ts.', poolRoles()),
  'deploy/k8s/tenants/acme.yaml': () =>
    manifests('An example: what `ordeal pool acme --namespaces 2` prints besides the roles.', poolOf(EXAMPLE)),
  'docs/findings.md': findingsPage,
  'docs/results.schema.json': () => JSON.stringify(resultsJsonSchema()),
  'docs/openapi.json': () => JSON.stringify(openApiDocument()),
  'docs/embedded-cluster.md': () => withFields('docs/embedded-cluster.md'),
}

const PARSERS = { '.md': 'markdown', '.json': 'json', '.yaml': 'yaml' }
const onlyCheck = process.argv.includes('--check')
const style = await resolveConfig(root, { config: join(root, 'config/prettier.json') })
for (const [path, make] of Object.entries(FILES)) {
  const made = await format(await make(), { ...style, parser: PARSERS[extname(path)] })
  const found = await readFile(join(root, path), 'utf8').catch(() => null)
  if (found === made) continue
  if (onlyCheck) {
    console.error(`${path} is out of date: npm run generate`)
    process.exitCode = 1
  } else {
    await writeFile(join(root, path), made)
    console.log(`wrote ${path}`)
  }
}
