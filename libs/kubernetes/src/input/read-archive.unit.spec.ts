import { gzipSync } from 'node:zlib'
import { InputError } from '@ordeal/shared'
import { type ArchiveEntry, tarOf, zipOf } from '../testing/archives.js'
import { readArchive } from './read-archive.js'

const forms: [string, string, (...entries: ArchiveEntry[]) => Promise<Buffer>][] = [
  ['a tar', 'app.tar', tarOf],
  ['a packed tar', 'app.tar.gz', async (...entries) => gzipSync(await tarOf(...entries))],
  ['a zip', 'app.zip', async (...entries) => Promise.resolve(zipOf(...entries))],
]
const contents = async (path: string, bytes: Buffer): Promise<Record<string, string>> => {
  const files = await readArchive(path, bytes)
  return Object.fromEntries(await Promise.all(files.map(async (f) => [f.path, String(await f.read())] as const)))
}

describe.each(forms)('%s', (_, path, archive) => {
  it('is read in order of path, without the folder that holds all of it', async () => {
    const bytes = await archive(
      { name: 'app/z.yaml', content: 'z' },
      { name: 'app/b/c.yaml', content: 'c' },
      { name: 'app/.git/config', content: 'x' },
    )
    expect(await contents(path, bytes)).toEqual({ 'b/c.yaml': 'c', 'z.yaml': 'z' })
  })

  it('keeps its folders where there are several, or a file beside them', async () => {
    const bytes = await archive({ name: './a/x.yaml', content: 'x' }, { name: 'y.yaml', content: 'y' })
    expect(await contents(path, bytes)).toEqual({ 'a/x.yaml': 'x', 'y.yaml': 'y' })
  })

  it('reads a link to a file of its own like the file, and leaves out one to nothing', async () => {
    const bytes = await archive(
      { name: 'a/x.yaml', content: 'x' },
      { name: 'b/link.yaml', type: 'symlink', linkname: '../a/x.yaml' },
      { name: 'b/dead.yaml', type: 'symlink', linkname: 'nothing.yaml' },
    )
    expect(await contents(path, bytes)).toEqual({ 'a/x.yaml': 'x', 'b/link.yaml': 'x' })
  })

  it.each<[string, ArchiveEntry[], RegExp]>([
    ['leads up', [{ name: '../evil.yaml', content: 'x' }], /evil.yaml/],
    ['leads up from within', [{ name: 'a/../../evil.yaml', content: 'x' }], /evil.yaml/],
    ['begins at the root', [{ name: '/etc/evil.yaml', content: 'x' }], /evil.yaml/],
    ['is one of Windows', [{ name: 'C:\\evil.yaml', content: 'x' }], /evil.yaml/],
    ['links out', [{ name: 'a/evil.yaml', type: 'symlink', linkname: '../../etc/passwd' }], /evil.yaml' leads out/],
    ['links to the root', [{ name: 'evil.yaml', type: 'symlink', linkname: '/etc/passwd' }], /evil.yaml' leads out/],
    ['nests without end', [{ name: `${'a/'.repeat(30)}x.yaml`, content: 'x' }], /nested deeper/],
    ['comes twice', [1, 2].map(() => ({ name: 'twice.yaml', content: 'x' })), /'twice.yaml' is there twice/],
    [
      'is a manifest too large',
      [{ name: 'large.yaml', content: Buffer.alloc(6 << 20, 'x') }],
      /large.yaml: .* too large/,
    ],
  ])('is refused when a path in it %s', async (_name, entries, message) => {
    const reading = readArchive(path, await archive(...entries))
    await expect(reading).rejects.toThrow(InputError)
    await expect(reading).rejects.toThrow(message)
  })

  it('is refused when it is none, or broken off', async () => {
    await expect(readArchive(path, Buffer.from('no archive at all'))).rejects.toThrow(InputError)
    const whole = await archive({ name: 'a.yaml', content: 'x'.repeat(5000) }, { name: 'b.yaml', content: 'y' })
    await expect(readArchive(path, whole.subarray(0, whole.length / 2))).rejects.toThrow(/cannot be read/)
  })
})

describe('an archive', () => {
  it('is refused when it unpacks to many times its size, without being unpacked', async () => {
    const bomb = gzipSync(await tarOf(...['a', 'b', 'c'].map((name) => ({ name, content: Buffer.alloc(60 << 20) }))))
    await expect(readArchive('bomb.tgz', bomb)).rejects.toThrow(/bomb.tgz: it unpacks to more than 200 times its size/)
    const zip = zipOf({ name: 'a', content: Buffer.alloc(60 << 20) })
    await expect(readArchive('bomb.zip', zip)).rejects.toThrow(/more than 200 times/)
  })

  it('is refused for a hard link that leads out, and for what is no file', async () => {
    const link = await tarOf({ name: 'x.yaml', type: 'link', linkname: '../../etc/passwd' })
    await expect(readArchive('a.tar', link)).rejects.toThrow(/leads out/)
    const device = await tarOf({ name: 'x.yaml', type: 'character-device' })
    await expect(readArchive('a.tar', device)).rejects.toThrow(/'x.yaml' is a character-device, no file/)
  })

  it('is refused for more entries than a folder may have', async () => {
    const entries = Array.from({ length: 50_001 }, (_, i) => ({ name: `${i}.txt` }))
    await expect(readArchive('a.tar', await tarOf(...entries))).rejects.toThrow(/too many files/)
  })
})
