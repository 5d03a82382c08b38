import { execFile } from 'node:child_process'
import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { postgresBinaries } from './binaries.js'

describe('postgresBinaries', () => {
  let dir: string
  let cacheDir: string
  let installed: { folder: string; version: string }
  beforeEach(async () => {
    dir = await mkdtemp(join(tmpdir(), 'ordeal-spec-'))
    cacheDir = join(dir, 'cache')
    installed = { folder: join(dir, 'package'), version: '18.0.0' }
  })
  afterEach(() => rm(dir, { recursive: true, force: true }))

  const makePackage = async (links: { source: string; target: string }[]): Promise<void> => {
    const native = join(installed.folder, 'native')
    await Promise.all(['bin', 'lib'].map((name) => mkdir(join(native, name), { recursive: true })))
    await writeFile(join(native, 'bin/postgres'), '')
    await chmod(join(native, 'bin/postgres'), 0o755)
    await writeFile(join(native, 'lib/libx.so.1.2'), 'the library')
    await writeFile(join(native, 'pg-symlinks.json'), JSON.stringify(links))
  }

  it('finds programs that run', async () => {
    const { postgres } = await postgresBinaries(null, cacheDir)
    const { stdout } = await promisify(execFile)(postgres, ['--version'])
    expect(stdout).toMatch(/^postgres \(PostgreSQL\) 18\./)
  })

  it('uses the package in place when it is complete', async () => {
    await makePackage([])
    const { initdb, postgres } = await postgresBinaries(null, cacheDir, installed)
    expect(postgres).toBe(join(installed.folder, 'native/bin/postgres'))
    expect(initdb).toBe(join(installed.folder, 'native/bin/initdb'))
  })

  it('copies it, links added, when it was installed without install scripts', async () => {
    await makePackage([{ source: 'native/lib/libx.so.1.2', target: 'native/lib/libx.so.1' }])
    const { postgres } = await postgresBinaries(null, cacheDir, installed)
    expect(postgres).toBe(join(cacheDir, 'postgres-18.0.0/native/bin/postgres'))
    expect(await readFile(join(cacheDir, 'postgres-18.0.0/native/lib/libx.so.1'), 'utf8')).toBe('the library')
    expect(await postgresBinaries(null, cacheDir, installed)).toMatchObject({ postgres })
  })
})
