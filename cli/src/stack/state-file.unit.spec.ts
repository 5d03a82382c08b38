import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readState, removeState, writeState } from './state-file.js'

const address = { url: 'http://127.0.0.1:4000', apiKey: 'ordeal_k' }

describe('state file', () => {
  let dir: string
  beforeEach(async () => (dir = await mkdtemp(join(tmpdir(), 'ordeal-state-'))))
  afterEach(() => rm(dir, { recursive: true }))

  it('leads later commands to the services, and is for its owner only', async () => {
    await writeState(dir, address)
    await expect(readState(dir)).resolves.toEqual(address)
    expect((await stat(join(dir, 'up.json'))).mode & 0o777).toBe(0o600)
    await removeState(dir)
    await expect(readState(dir)).resolves.toBeNull()
  })

  it('of another version, or damaged, says nothing', async () => {
    await writeState(dir, address)
    const state = JSON.parse(await readFile(join(dir, 'up.json'), 'utf8'))
    await writeFile(join(dir, 'up.json'), JSON.stringify({ ...state, version: '0.0.1' }))
    await expect(readState(dir)).resolves.toBeNull()
    await writeFile(join(dir, 'up.json'), '{')
    await expect(readState(dir)).resolves.toBeNull()
  })
})
