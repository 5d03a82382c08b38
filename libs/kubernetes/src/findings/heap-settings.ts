import { type Json, type JsonMap, mapsAt, textAt } from '../input/kubernetes-object.js'

/** How much memory a process is told to use for what it keeps, and the words that tell it so. */
export interface Heap {
  readonly bytes: number
  readonly setting: string
}

const UNITS: Record<string, number> = { '': 1, k: 2 ** 10, m: 2 ** 20, g: 2 ** 30, t: 2 ** 40 }

/** Settings by which runtimes take the size of their heap, and the unit that a bare number has. */
const SETTINGS: readonly { pattern: RegExp; unit: number }[] = [
  { pattern: /-Xmx(\d+)([kKmMgGtT]?)(?![\w%])/, unit: 1 },
  { pattern: /--max[-_]old[-_]space[-_]size[= ](\d+)()(?![\w%])/, unit: 2 ** 20 },
  { pattern: /--maxmemory[= ](\d+)([kKmMgG]?)b?(?![\w%])/, unit: 1 },
]
/** The variable of Go's runtime; its value has units of its own. */
const GO_LIMIT = /^(\d+)([KMGT]?)(?:i?B)?$/

/** The heap that a container's arguments or environment ask for, or null. The last setting counts, as for the JVM. */
export function heapOf(container: JsonMap): Heap | null {
  const env = mapsAt(container, 'env').flatMap((entry) => {
    const value = textAt(entry, 'value')
    return value === null ? [] : [{ name: textAt(entry, 'name') ?? '', value }]
  })
  const texts = [...words(container.command), ...words(container.args)].concat(env.map((e) => e.value))
  const found = SETTINGS.flatMap(({ pattern, unit }) => sizeIn(texts.join(' '), pattern, unit))
  const go = env.filter((e) => e.name === 'GOMEMLIMIT').flatMap((e) => sizeIn(e.value, GO_LIMIT, 1))
  return [...found, ...go].at(-1) ?? null
}

function sizeIn(text: string, pattern: RegExp, unit: number): Heap[] {
  const match = [...text.matchAll(new RegExp(pattern, 'g'))].at(-1)
  if (!match) return []
  const suffix = UNITS[(match[2] ?? '').toLowerCase()] ?? 1
  return [{ bytes: Number(match[1]) * suffix * unit, setting: match[0].trim() }]
}

const words = (value: Json | undefined): string[] =>
  Array.isArray(value) ? value.filter((item) => typeof item === 'string') : []
