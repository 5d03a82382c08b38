// Two changes to a module that Go's linker has no flag for: a maximum for its memory, and its globals exported, so that
// the host can put the whole state of an instance back.

const EXPORT = 7
const MEMORY = 5
const GLOBAL = 6

function* leb(value) {
  let rest = value >>> 0
  do {
    const byte = rest & 0x7f
    rest >>>= 7
    yield rest ? byte | 0x80 : byte
  } while (rest)
}

function readLeb(bytes, at) {
  let value = 0
  let shift = 0
  let next = at
  for (;;) {
    const byte = bytes[next++]
    value |= (byte & 0x7f) << shift
    shift += 7
    if (byte < 0x80) return { value: value >>> 0, next }
  }
}

function* sectionsOf(bytes) {
  for (let at = 8; at < bytes.length;) {
    const size = readLeb(bytes, at + 1)
    yield { id: bytes[at], body: bytes.subarray(size.next, size.next + size.value) }
    at = size.next + size.value
  }
}

/** The body of a section that counts its entries, with some more of them. */
function withEntries(body, entries) {
  const { value, next } = readLeb(body, 0)
  return Buffer.from([...leb(value + entries.length), ...body.subarray(next), ...entries.flat()])
}

function limited(body, maxPages) {
  const flags = body[1]
  if (body[0] !== 1 || flags !== 0) throw new Error('one memory without a maximum was expected')
  const { value } = readLeb(body, 2)
  return Buffer.from([1, 1, ...leb(value), ...leb(maxPages)])
}

/** Exports global n as `global0`, `global1`, …; Go keeps its stack pointer and its goroutine there. */
const globalExport = (n) => {
  const name = [...Buffer.from(`global${n}`)]
  return [...leb(name.length), ...name, 3, ...leb(n)]
}

export function patchModule(bytes, maxPages) {
  const sections = [...sectionsOf(bytes)]
  const globals = readLeb(sections.find((s) => s.id === GLOBAL).body, 0).value
  const exported = Array.from({ length: globals }, (_, n) => globalExport(n))
  const patched = sections.map(({ id, body }) => {
    if (id === MEMORY) return { id, body: limited(body, maxPages) }
    return id === EXPORT ? { id, body: withEntries(body, exported) } : { id, body }
  })
  const parts = patched.map(({ id, body }) => [Buffer.from([id, ...leb(body.length)]), body])
  return Buffer.concat([bytes.subarray(0, 8), ...parts.flat()])
}
