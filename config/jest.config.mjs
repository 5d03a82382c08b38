import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { packages, root } from '../scripts/packages.mjs'

const swc = JSON.parse(readFileSync(join(root, 'config/swc.json'), 'utf8'))
/** Specs read the sources of every package, also by its sub-paths, so that there is one copy of each module. */
const sourcesOf = ({ name, dir }) => {
  const { exports = {} } = JSON.parse(readFileSync(join(root, dir, 'package.json'), 'utf8'))
  return Object.entries(exports)
    .filter(([, target]) => target.default?.startsWith('./dist/'))
    .map(([path, target]) => [
      `^${name}${path.slice(1)}$`,
      `<rootDir>/${dir}/src/${target.default.slice('./dist/'.length).replace(/\.js$/, '.ts')}`,
    ])
}
const common = {
  rootDir: root,
  testEnvironment: 'node',
  extensionsToTreatAsEsm: ['.ts'],
  transform: { '^.+\\.ts$': ['@swc/jest', { ...swc, swcrc: false }] },
  moduleNameMapper: {
    '^(\\.{1,2}/.*)\\.js$': '$1',
    ...Object.fromEntries(packages().flatMap(sourcesOf)),
  },
  modulePathIgnorePatterns: ['/dist/'],
  testPathIgnorePatterns: ['/node_modules/', '/dist/'],
}
const servers = {
  globalSetup: '<rootDir>/tests/setup/servers.ts',
  globalTeardown: '<rootDir>/tests/setup/stop-servers.ts',
}
const realCluster = {
  globalSetup: '<rootDir>/tests/setup/real-cluster.ts',
  globalTeardown: '<rootDir>/tests/setup/end-real-cluster.ts',
}
/**
 * Integration specs that need a real cluster are a level of their own. `cluster-long` are those of which CI takes one file
 * at a time (scripts/cluster-share.mjs): every kind of fault, every known failure, the conformance corpus.
 * `npm run test:cluster` runs both.
 */
const ON_A_CLUSTER = '\\.cluster(-long)?\\.int\\.spec\\.ts$'
const project = (level, more) => ({ ...common, displayName: level, testMatch: [`**/*.${level}.spec.ts`], ...more })

export default {
  rootDir: root,
  projects: [
    project('unit', {}),
    project('int', { ...servers, testPathIgnorePatterns: [...common.testPathIgnorePatterns, ON_A_CLUSTER] }),
    project('e2e', servers),
    project('crash', {}),
    project('load', servers),
    project('models', {}),
    project('cluster.int', { ...realCluster, displayName: 'cluster' }),
    project('cluster-long.int', { ...realCluster, displayName: 'cluster-long' }),
  ],
  // Generous, because a machine may be busy: a test that waits for what never comes fails all the same.
  testTimeout: 30_000,
}
