import { existsSync } from 'node:fs'
import { mkdtemp, mkdir, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { OutputFolder } from './output-folder.js'

describe('output folder', () => {
  let root: string
  let input: string
  beforeEach(async () => {
    root = await mkdtemp(join(tmpdir(), 'ordeal-output-'))
    input = join(root, 'app')
    await mkdir(input)
  })
  afterEach(() => rm(root, { recursive: true }))

  const fill = async (dir: string): Promise<void> => {
    const folder = await OutputFolder.open(dir, input)
    await folder.clear()
    await folder.write('results.json', '{}')
    await folder.write('improved/web/pod.yaml', 'kind: Pod')
    await folder.close([])
  }

  it('is written with a list of its files', async () => {
    await fill(join(root, 'out'))
    const list = JSON.parse(await readFile(join(root, 'out/artefacts/index.json'), 'utf8'))
    expect(list.files).toEqual(['improved/web/pod.yaml', 'results.json'])
  })

  it('replaces what an earlier run wrote and keeps everything else', async () => {
    const out = join(root, 'out')
    await fill(out)
    await writeFile(join(out, 'notes.txt'), 'mine')
    const folder = await OutputFolder.open(out, input)
    await folder.clear()
    expect(await readdir(out)).toEqual(['notes.txt'])
  })

  it('refuses to replace a report that it did not write', async () => {
    const out = join(root, 'out')
    await mkdir(out)
    await writeFile(join(out, 'report.html'), 'mine')
    await expect(OutputFolder.open(out, input)).rejects.toThrow(/holds report.html, which Ordeal did not write/)
  })

  it('refuses when the user put a file among the improved manifests', async () => {
    const out = join(root, 'out')
    await fill(out)
    await writeFile(join(out, 'improved/mine.yaml'), '')
    await expect(OutputFolder.open(out, input)).rejects.toThrow(/improved\/mine.yaml/)
  })

  it('refuses to lie inside the input, also by way of a link', async () => {
    await expect(OutputFolder.open(join(input, 'out'), input)).rejects.toThrow(/lies inside the input/)
    await symlink(input, join(root, 'link'))
    await expect(OutputFolder.open(join(root, 'link', 'out'), input)).rejects.toThrow(/lies inside the input/)
  })

  it('refuses to put results over the input', async () => {
    const out = join(root, 'out')
    await fill(out)
    await expect(OutputFolder.open(out, join(out, 'improved'))).rejects.toThrow(/among the results/)
  })

  it('refuses without a parent, and where a file is in the way', async () => {
    await expect(OutputFolder.open(join(root, 'no/out'), input)).rejects.toThrow(/does not exist.*Create it first/)
    await writeFile(join(root, 'file'), '')
    await expect(OutputFolder.open(join(root, 'file'), input)).rejects.toThrow(/not a directory/)
    await expect(OutputFolder.open(join(root, 'file/out'), input)).rejects.toThrow(/file is not a directory/)
  })

  it('refuses a name that is none', async () => {
    for (const name of ['', ' ']) await expect(OutputFolder.open(name, input)).rejects.toThrow(/--out is empty/)
  })

  // The kernel's own file systems take no new file even from root, whom permissions do not stop.
  const readOnly = ['/proc/ordeal-out', '/proc', '/sys/ordeal-out'].filter((path) => existsSync(dirname(path)))
  it.each([...readOnly, '/dev/null/out'])('refuses before a cycle starts, and does not hang, at %s', async (path) => {
    const start = async (): Promise<void> => (await OutputFolder.open(path, input)).clear()
    await expect(start()).rejects.toThrow(/^--out .*(cannot be written|not a directory).*Choose another one/)
  })

  it('says which file cannot be written, and leaves nothing by which the next run would be refused', async () => {
    const out = join(root, 'out')
    const folder = await OutputFolder.open(out, input)
    await folder.clear()
    await folder.write('results.json', '{}')
    await writeFile(join(out, 'improved'), 'in the way')
    await expect(folder.write('improved/pod.yaml', '')).rejects.toThrow(
      /improved\/pod.yaml cannot be written.*Make room/,
    )
    await folder.discard()
    expect(await readdir(out)).toEqual(['improved'])
  })

  it('writes nothing outside of itself', async () => {
    const folder = await OutputFolder.open(join(root, 'out'), input)
    await expect(folder.write('improved/../../escaped', '')).rejects.toThrow(/outside/)
  })
})
