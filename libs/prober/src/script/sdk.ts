/**
 * What a script finds in its world, in JavaScript, run before it. `__ask` is ours: it gives the answer to an effect, or
 * ends the run where that is not known yet. Nothing here holds the script: whatever it changes or takes away, `__ask`
 * alone reaches out, and says what kinds of effects there are.
 */
export const SDK = `
(() => {
  const ask = globalThis.__ask
  delete globalThis.__ask
  const parse = JSON.parse, stringify = JSON.stringify
  const effect = (what) => parse(ask(stringify(what)))
  class AssertionError extends Error { constructor(message) { super(message); this.name = 'AssertionError' } }
  const define = (name, value) => Object.defineProperty(globalThis, name, { value: Object.freeze(value), enumerable: true })
  let state = globalThis.__startedAt >>> 0
  delete globalThis.__startedAt
  Object.defineProperty(Math, 'random', {
    value: () => { state = (Math.imul(state, 1664525) + 1013904223) >>> 0; return state / 4294967296 },
  })
  define('http', { request: (path = '/') => effect({ kind: 'http', path: String(path) }) })
  define('k8s', {
    list: (kind, labels = null) => {
      if (kind !== 'pods') throw new Error("k8s.list knows 'pods' only, not " + kind)
      return effect({ kind: 'list', labels })
    },
    get: (kind, name) => {
      if (kind !== 'pods') throw new Error("k8s.get knows 'pods' only, not " + kind)
      return effect({ kind: 'list', labels: null }).find((pod) => pod.metadata.name === name) ?? null
    },
  })
  define('prom', { query: (query) => effect({ kind: 'prometheus', query: String(query) }) })
  define('sleep', (ms) => { effect({ kind: 'sleep', ms: Number(ms) }) })
  define('assert', (holds, message = 'assertion failed') => { if (!holds) throw new AssertionError(String(message)) })
})()
`
