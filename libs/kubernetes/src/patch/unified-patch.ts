import { structuredPatch } from 'diff'
import { type Bundle } from '@ordeal/shared'

/** A patch from one bundle to another, as `git apply` takes it: changed, new and deleted files, in order of path. */
export function unifiedPatch(before: Bundle, after: Bundle): string {
  const [old, now] = [contents(before), contents(after)]
  return [...new Set([...old.keys(), ...now.keys()])]
    .sort()
    .map((path) => filePatch(path, old.get(path), now.get(path)))
    .join('')
}

const contents = (bundle: Bundle): Map<string, string> => new Map(bundle.files.map((f) => [f.path, f.content]))

function filePatch(path: string, before: string | undefined, after: string | undefined): string {
  if (before === after) return ''
  const head = [`diff --git ${quoted(`a/${path}`)} ${quoted(`b/${path}`)}`, ...modeOf(before, after)]
  const hunks = hunksOf(before ?? '', after ?? '')
  if (!hunks.length) return `${head.join('\n')}\n`
  const from = before === undefined ? '/dev/null' : named(`a/${path}`)
  const to = after === undefined ? '/dev/null' : named(`b/${path}`)
  return [...head, `--- ${from}`, `+++ ${to}`, ...hunks].join('\n') + '\n'
}

function modeOf(before: string | undefined, after: string | undefined): string[] {
  if (before === undefined) return ['new file mode 100644']
  return after === undefined ? ['deleted file mode 100644'] : []
}

function hunksOf(before: string, after: string): string[] {
  return structuredPatch('', '', before, after, '', '', { context: 3 }).hunks.flatMap((hunk) => [
    `@@ -${range(hunk.oldStart, hunk.oldLines)} +${range(hunk.newStart, hunk.newLines)} @@`,
    ...hunk.lines,
  ])
}

/** A range without lines is named by the line before it. */
const range = (start: number, count: number): string => `${count === 0 ? start - 1 : start},${count}`

/** Names with a quote, a backslash or a control character are quoted as in C. */
const quoted = (name: string): string => {
  const isPlain = [...name].every((c) => c >= ' ' && c !== '"' && c !== '\\' && c !== '\u007f')
  return isPlain ? name : JSON.stringify(name)
}

/** A tab ends a name that holds blanks. */
const named = (name: string): string => (name.includes(' ') ? `${quoted(name)}\t` : quoted(name))
