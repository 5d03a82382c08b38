// Writes the files that follow from the code; with --check, only says which are out of date.
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { format, resolveConfig } from 'prettier'
import { z } from 'zod'
import { openApiDocument } from '@ordeal/gateway'
import { resultsSchema } from '@ordeal/shared'
import { root } from './packages.mjs'

/** The published schema of results.json. */
function resultsJsonSchema() {
  const { $schema, ...schema } = z.toJSONSchema(resultsSchema, { target: 'draft-2020-12', io: 'output' })
  return { $schema, $id: 'ordeal.results/v1', title: 'Results of an Ordeal cycle', ...schema }
}

const FILES = {
  'docs/results.schema.json': () => JSON.stringify(resultsJsonSchema()),
  'docs/openapi.json': () => JSON.stringify(openApiDocument()),
}

const onlyCheck = process.argv.includes('--check')
const style = await resolveConfig(root, { config: join(root, 'config/prettier.json') })
for (const [path, make] of Object.entries(FILES)) {
  const made = await format(make(), { ...style, parser: 'json' })
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
