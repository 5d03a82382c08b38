// Control characters in text that came from a manifest, a model or a server could drive the user's terminal.
const CONTROL = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g

/** Text of foreign origin, fit to be printed: one line, no control characters. */
export const printable = (text: string): string => text.replace(/[\r\n\t]+/g, ' ').replace(CONTROL, '')

/** `text` cut to `width` characters, with an ellipsis where something was cut. */
export const fit = (text: string, width: number): string =>
  text.length <= width ? text : `${text.slice(0, Math.max(0, width - 1))}…`

/** `text` in lines of at most `width` characters, each line after the first indented by `indent`. */
export function wrap(text: string, width: number, indent = ''): string {
  const lines: string[] = []
  let line = ''
  for (const word of text.trim().split(/\s+/)) {
    const room = lines.length ? width - indent.length : width
    if (line && line.length + word.length + 1 > room) {
      lines.push(line)
      line = word
    } else line = line ? `${line} ${word}` : word
  }
  return [...lines, line].join(`\n${indent}`)
}

/** Wall time for people: `0.4 s`, `12 s`, `3 min 5 s`. */
export function humanTime(ms: number): string {
  if (ms < 9950) return `${(ms / 1000).toFixed(1)} s`
  const seconds = Math.round(ms / 1000)
  return seconds < 60 ? `${seconds} s` : `${Math.floor(seconds / 60)} min ${seconds % 60} s`
}

/** `1 check`, `2 checks`. */
export const count = (n: number, one: string, many = `${one}s`): string => `${n} ${n === 1 ? one : many}`
