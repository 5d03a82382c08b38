/**
 * Text of others as GitHub-flavoured Markdown that shows exactly that text: no markup, no HTML, no mention of a person
 * or an issue, no line of its own.
 */
export const text = (value: string): string =>
  value
    .toWellFormed()
    .replace(/\s+/g, ' ')
    .replace(/[\\`*_{}[\]()~|!]/g, '\\$&')
    .replace(/&/g, '&amp;')
    .replace(/</g, '&lt;')
    .replace(/>/g, '&gt;')
    .replace(/[@#]|:(?=\/\/)/g, (c) => `&#${c.charCodeAt(0)};`)
    .replace(/^[-+=]/, '\\$&')
    .replace(/^(\d+)\.(?=\s|$)/, '$1\\.')

/** As `code`, for a cell of a table. */
export const cellCode = (value: string): string => code(value).replace(/\|/g, '\\|')

/** A code span around any text. */
export function code(value: string): string {
  const line = value.toWellFormed().replace(/\s+/g, ' ')
  const fence = fenceFor(line, 1)
  return fence.length > 1 || /^ | $/.test(line) ? `${fence} ${line} ${fence}` : `${fence}${line}${fence}`
}

/** A code block around any text. */
export function block(language: string, value: string): string {
  const fence = fenceFor(value, 3)
  return `${fence}${language}\n${value.toWellFormed().replace(/\n$/, '')}\n${fence}`
}

/** Backticks enough that none inside can end it. */
function fenceFor(value: string, least: number): string {
  const longest = Math.max(0, ...[...value.matchAll(/`+/g)].map(([run]) => run.length))
  return '`'.repeat(longest < least ? least : longest + 1)
}

export const list = (items: readonly string[]): string => items.map((item) => `- ${item}`).join('\n')

export const table = (head: readonly string[], rows: readonly (readonly string[])[]): string =>
  [head, head.map(() => '---'), ...rows].map((row) => `| ${row.join(' | ')} |`).join('\n')
