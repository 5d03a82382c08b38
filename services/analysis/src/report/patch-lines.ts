import { parsePatch } from 'diff'

/** One line of a diff as shown: `old` and `new` are its numbers in the two files, counted from 1. */
export interface PatchLine {
  kind: 'same' | 'added' | 'removed' | 'hunk'
  text: string
  old: number | null
  new: number | null
}

export interface PatchFile {
  /** As the user knows it: the old name, or the new one of a file that is new. */
  path: string
  kind: 'edited' | 'new' | 'deleted'
  lines: PatchLine[]
}

type ParsedFile = ReturnType<typeof parsePatch>[number]

const NOTHING = '/dev/null'
const bare = (name: string | undefined): string => (name ?? '').replace(/^[ab]\//, '')

/** Files and lines of a unified diff; null when it cannot be read as one, so that it is shown as it is. */
export function readPatch(patch: string): PatchFile[] | null {
  try {
    const files = parsePatch(patch).filter((file) => file.hunks.length > 0)
    return files.length > 0 ? files.map(readFile) : null
  } catch {
    return null
  }
}

function readFile(file: ParsedFile): PatchFile {
  const kind = file.oldFileName === NOTHING ? 'new' : file.newFileName === NOTHING ? 'deleted' : 'edited'
  return { path: bare(kind === 'new' ? file.newFileName : file.oldFileName), kind, lines: file.hunks.flatMap(readHunk) }
}

function readHunk(hunk: ParsedFile['hunks'][number]): PatchLine[] {
  let [old, now] = [hunk.oldStart, hunk.newStart]
  const head = `@@ -${hunk.oldStart},${hunk.oldLines} +${hunk.newStart},${hunk.newLines} @@`
  const lines = hunk.lines.map((line): PatchLine => {
    const text = line.slice(1)
    if (line.startsWith('+')) return { kind: 'added', text, old: null, new: now++ }
    if (line.startsWith('-')) return { kind: 'removed', text, old: old++, new: null }
    if (line.startsWith('\\')) return { kind: 'hunk', text: line, old: null, new: null }
    return { kind: 'same', text, old: old++, new: now++ }
  })
  return [{ kind: 'hunk', text: head, old: null, new: null }, ...lines]
}
