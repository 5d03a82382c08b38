// The programs that deploy/ starts, as their own code describes them: which variables they read, what their
// configuration refuses, and at which paths they tell their health.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import ts from 'typescript'
import { parseServiceConfig } from '@ordeal/shared'
import { root } from './packages.mjs'

const dist = (path) => import(join(root, path))
const [{ readBootstrap }, { readServerConfig }, { readMigrateConfig }] = await Promise.all([
  dist('services/gateway/dist/bootstrap.config.js'),
  dist('libs/embedded-cluster/dist/server-config.js'),
  dist('libs/shared/dist/store/migrate.config.js'),
])

const SERVICE = ['libs/shared/src/config/service-config.ts', 'libs/shared/src/health/health.controller.ts']
const HEALTH_PATH = /^\/?[a-z]+z$/
const VARIABLE = /^[A-Z][A-Z0-9_]+$/

function* nodesOf(node) {
  yield node
  for (const child of node.getChildren()) yield* nodesOf(child)
}

/** Names in capitals that a source declares as fields of a schema or reads from an environment. */
const variableOf = (node) => {
  const declared = ts.isPropertyAssignment(node) && ts.isIdentifier(node.name)
  const read = ts.isPropertyAccessExpression(node) && /^env(ironment)?$/.test(node.expression.getText())
  const name = declared || read ? node.name.text : ''
  return VARIABLE.test(name) ? [name] : []
}

function describe(files, parse) {
  const nodes = files.flatMap((file) => {
    const source = ts.createSourceFile(file, readFileSync(join(root, file), 'utf8'), ts.ScriptTarget.Latest, true)
    return [...nodesOf(source)]
  })
  const texts = nodes.filter(ts.isStringLiteral).map((node) => node.text)
  const paths = texts.filter((text) => HEALTH_PATH.test(text)).map((text) => `/${text.replace('/', '')}`)
  return { variables: new Set(nodes.flatMap(variableOf)), paths: new Set(paths), parse }
}

const service = (name, more = [], parse = parseServiceConfig) =>
  describe([...SERVICE, `services/${name}/src/main.ts`, ...more], parse)

/** By the file that a container runs. */
export const PROGRAMS = {
  'services/gateway/dist/main.js': service('gateway', ['services/gateway/src/bootstrap.config.ts'], (environment) => {
    const config = parseServiceConfig(environment)
    readBootstrap(environment)
    return config
  }),
  'services/hypothesis/dist/main.js': service('hypothesis'),
  'services/experiment/dist/main.js': service('experiment'),
  'services/analysis/dist/main.js': service('analysis'),
  'services/improvement/dist/main.js': service('improvement'),
  'libs/embedded-cluster/dist/main.js': describe(
    ['libs/embedded-cluster/src/server-config.ts', 'libs/embedded-cluster/src/server.ts'],
    readServerConfig,
  ),
  'libs/shared/dist/main.js': describe(['libs/shared/src/store/migrate.config.ts'], readMigrateConfig),
}
