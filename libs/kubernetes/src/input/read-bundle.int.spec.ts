import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { readBundle } from './read-bundle.js'
import { writeBundle } from './write-bundle.js'

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'bundle-'))
})
afterEach(() => rm(folder, { recursive: true, force: true }))

const put = async (path: string, content: string | Buffer): Promise<string> => {
  const target = join(folder, path)
  await mkdir(dirname(target), { recursive: true })
  await writeFile(target, content)
  return target
}
const paths = async (path: string): Promise<string[]> => (await readBundle(path)).files.map((f) => f.path)

describe('readBundle', () => {
  it('reads all text of a folder in order of path, without repositories, modules and other bytes', async () => {
    await put('b.yaml', '\uFEFFb: 1\r\n')
    await put('a/z.yml', 'z: 1')
    await put('README.md', '# hello')
    await put('.git/config.yaml', 'x')
    await put('node_modules/x/x.yaml', 'x')
    await put('logo.png', Buffer.from([0x89, 0x50, 0xff, 0]))
    const bundle = await readBundle(folder)
    expect(bundle.files).toEqual([
      { path: 'README.md', content: '# hello' },
      { path: 'a/z.yml', content: 'z: 1' },
      { path: 'b.yaml', content: '\uFEFFb: 1\r\n' },
    ])
  })

  it('reads one file, and for one that speaks for its folder the folder', async () => {
    await put('a.yaml', 'x')
    await put('skaffold.yaml', 'x')
    expect(await paths(join(folder, 'a.yaml'))).toEqual(['a.yaml'])
    expect(await paths(join(folder, 'skaffold.yaml'))).toEqual(['a.yaml', 'skaffold.yaml'])
  })

  it('follows links that stay inside and refuses those that lead out', async () => {
    await put('in/a.yaml', 'x')
    await symlink(join(folder, 'in/a.yaml'), join(folder, 'in/b.yaml'))
    expect(await paths(join(folder, 'in'))).toEqual(['a.yaml', 'b.yaml'])
    await symlink('/etc/hostname', join(folder, 'in/c.yaml'))
    await expect(readBundle(join(folder, 'in'))).rejects.toThrow(/c.yaml: the link leads out/)
  })

  it('refuses what is not there, an empty folder, and what is neither file nor folder', async () => {
    await expect(readBundle(join(folder, 'nope'))).rejects.toThrow(/nope: there is no such file or folder/)
    await expect(readBundle(folder)).rejects.toThrow(/the folder is empty/)
    await expect(readBundle('/dev/null')).rejects.toThrow(/neither a file nor a folder/)
  })

  it('refuses manifests that are too large or no UTF-8 text, and too much in all', async () => {
    const large = await put('large.yaml', 'a'.repeat(10 * 1024 * 1024))
    await expect(readBundle(large)).rejects.toThrow(/10 MB is too large for a manifest; at most 5 MB/)
    await rm(large)
    await expect(readBundle(await put('latin.yaml', Buffer.from('name: caf\xe9', 'latin1')))).rejects.toThrow(
      /not UTF-8/,
    )
    await rm(join(folder, 'latin.yaml'))
    for (const name of ['a', 'b', 'c', 'd', 'e']) await put(`${name}.yaml`, 'a'.repeat(4.5 * 1024 * 1024))
    await expect(readBundle(folder)).rejects.toThrow(/more than 20 MB/)
  })
})

describe('writeBundle', () => {
  it('writes what readBundle reads, byte for byte', async () => {
    const bundle = { files: [{ path: 'a/b.yaml', content: '\uFEFFx: é\r\n' }] }
    await writeBundle(bundle, join(folder, 'out'))
    expect(await readFile(join(folder, 'out/a/b.yaml'), 'utf8')).toBe('\uFEFFx: é\r\n')
    expect(await readBundle(join(folder, 'out'))).toEqual(bundle)
  })

  it.each(['../x.yaml', '/x.yaml', 'a/../../x.yaml'])('refuses the path %s', async (path) => {
    await expect(writeBundle({ files: [{ path, content: '' }] }, folder)).rejects.toThrow(/leads out/)
  })
})
