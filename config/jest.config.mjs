import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { packages, root } from '../scripts/packages.mjs'

const swc = JSON.parse(readFileSync(join(root, 'config/swc.json'), 'utf8'))
const common = {
  rootDir: root,
  testEnvironment: 'node',
  extensionsToTreatAsEsm: ['.ts'],
  transform: { '^.+\\.ts$': ['@swc/jest', { ...swc, swcrc: false }] },
  moduleNameMapper: {
    '^(\\.{1,2}/.*)\\.js$': '$1',
    ...Object.fromEntries(packages().map((p) => [`^${p.name}$`, `<rootDir>/${p.dir}/src/index.ts`])),
    ...Object.fromEntries(packages().map((p) => [`^${p.name}/testing$`, `<rootDir>/${p.dir}/src/testing/index.ts`])),
  },
  modulePathIgnorePatterns: ['/dist/'],
  testPathIgnorePatterns: ['/node_modules/', '/dist/'],
}
const project = (level, more) => ({ ...common, displayName: level, testMatch: [`**/*.${level}.spec.ts`], ...more })

export default {
  rootDir: root,
  projects: [
    project('unit', {}),
    project('int', {
      globalSetup: '<rootDir>/tests/setup/servers.ts',
      globalTeardown: '<rootDir>/tests/setup/stop-servers.ts',
    }),
    project('e2e', {}),
  ],
}
