import { execFileSync } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Bundle } from '@ordeal/shared'
import { writeFile } from 'node:fs/promises'
import { readBundle } from '../input/read-bundle.js'
import { writeBundle } from '../input/write-bundle.js'
import { unifiedPatch } from './unified-patch.js'

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'patch-'))
})
afterEach(() => rm(folder, { recursive: true, force: true }))

const bundle = (files: Record<string, string>): Bundle => ({
  files: Object.entries(files).map(([path, content]) => ({ path, content })),
})
const many = Array.from({ length: 40 }, (_, i) => `line ${i}\n`).join('')

const CASES: [string, Record<string, string>, Record<string, string>][] = [
  [
    'a changed file',
    { 'a.yaml': many },
    { 'a.yaml': many.replace('line 3\n', 'line three\n').replace('line 30\n', '') },
  ],
  ['a new file in a new folder', { 'a.yaml': 'a\n' }, { 'a.yaml': 'a\n', 'deep/er/b.yaml': 'b\nc\n' }],
  ['a deleted file', { 'a.yaml': 'a\n', 'b.yaml': 'b\n' }, { 'a.yaml': 'a\n' }],
  ['no line end at the end', { 'a.yaml': 'a\nb' }, { 'a.yaml': 'a\nc' }],
  ['a line end more', { 'a.yaml': 'a\nb' }, { 'a.yaml': 'a\nb\n' }],
  ['a line end less', { 'a.yaml': 'a\nb\n' }, { 'a.yaml': 'a\nb' }],
  ['Windows line ends', { 'a.yaml': 'a\r\nb\r\nc\r\n' }, { 'a.yaml': 'a\r\nB\r\nc\r\nd\r\n' }],
  [
    'names with blanks and other letters',
    { 'a b/ü "q".yaml': 'a\n' },
    { 'a b/ü "q".yaml': 'b\n', 'new one.yaml': 'x' },
  ],
  ['a file that becomes empty, and one that was', { 'a.yaml': 'a\n', 'b.yaml': '' }, { 'a.yaml': '', 'b.yaml': 'b\n' }],
  ['an empty new file and an empty deleted one', { 'a.yaml': '', 'c.yaml': 'c' }, { 'b.yaml': '', 'c.yaml': 'c' }],
]

describe('unifiedPatch', () => {
  it.each(CASES)('is applied by git for %s', async (_, before, after) => {
    const tree = join(folder, 'tree')
    await writeBundle(bundle(before), tree)
    const patch = join(folder, 'changes.patch')
    await writeFile(patch, unifiedPatch(bundle(before), bundle(after)))
    execFileSync('git', ['apply', '--unsafe-paths', `--directory=${tree}`, patch], { cwd: '/', stdio: 'pipe' })
    const result = await readBundle(tree)
    const sorted = Object.entries(after).map(([path, content]) => ({ path, content }))
    expect(result.files).toEqual(sorted.sort((a, b) => (a.path < b.path ? -1 : 1)))
  })

  it('is empty where nothing changes', () => {
    expect(unifiedPatch(bundle({ a: 'x' }), bundle({ a: 'x' }))).toBe('')
  })
})
