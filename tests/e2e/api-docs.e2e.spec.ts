import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { cpSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { startSpecServers, type SpecServers } from '@ordeal/shared/testing/services'
import { type Replicas, startReplicas } from '../load/replicas.js'

const rootOf = (path: string): string => fileURLToPath(new URL(`../../${path}`, import.meta.url))
/** Six processes come up, on a machine that may be busy. */
const START_MS = 120_000
const newKey = (): string => `ordeal_${randomBytes(32).toString('base64url')}`

describe('docs/api.md', () => {
  let servers: SpecServers
  let fleet: Replicas
  let folder: string
  const keys = { ORDEAL_API_KEY: newKey(), ORDEAL_ADMIN_KEY: newKey() }
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'ordeal-docs-'))
    cpSync(rootOf('examples'), join(folder, 'examples'), { recursive: true })
    servers = await startSpecServers()
    const { databaseUrl, plumbingDatabaseUrl } = servers.database
    const vaultKey = randomBytes(32).toString('base64')
    fleet = await startReplicas({ databaseUrl, plumbingDatabaseUrl, natsUrl: servers.natsUrl, vaultKey }, 1, keys)
  }, START_MS)
  afterAll(async () => {
    await fleet.stop()
    await servers.stop()
    rmSync(folder, { recursive: true })
  }, START_MS)

  it(
    'shows commands that work, one after the other',
    async () => {
      const blocks = [...readFileSync(rootOf('docs/api.md'), 'utf8').matchAll(/```sh\n([^]*?)```/g)].map(
        ([, code]) => code,
      )
      expect(blocks.length).toBeGreaterThan(8)
      const { stdout } = await promisify(execFile)('bash', ['-euo', 'pipefail', '-c', blocks.join('\n')], {
        cwd: folder,
        env: { PATH: process.env.PATH, ORDEAL_URL: fleet.gateways[0], ...keys },
        maxBuffer: 32 * 1024 * 1024,
      })
      expect(stdout).toContain('"after"')
    },
    START_MS,
  )
})
