import { MAX_EFFECTS, type ScriptStep } from './protocol.js'
import { loadSandbox, runScript } from './sandbox.js'

const run = (code: string, answers: unknown[] = []): ScriptStep =>
  runScript({ code, answers, startedAt: 1_700_000_000_000 })

describe('a script', () => {
  // Some of these bring their sandbox to an end.
  beforeEach(loadSandbox)

  it('asks for one thing after the other, and goes on with the answers', () => {
    const code = `
      const first = http.request('/health')
      assert(first.status === 200, 'health says ' + first.status)
      sleep(100)
      const pods = k8s.list('pods', { app: 'web' })
      sample(pods.length)
      assert(pods.length >= 2, 'only ' + pods.length + ' pods')`
    expect(run(code)).toEqual({ kind: 'asks', effect: { kind: 'http', path: '/health' } })
    expect(run(code, [{ status: 200 }])).toEqual({ kind: 'asks', effect: { kind: 'sleep', ms: 100 } })
    const asked = run(code, [{ status: 200 }, null])
    expect(asked).toEqual({ kind: 'asks', effect: { kind: 'list', labels: { app: 'web' } } })
    expect(run(code, [{ status: 200 }, null, [{}, {}]])).toEqual({ kind: 'passed', value: 2 })
    expect(run(code, [{ status: 200 }, null, [{}]])).toEqual({ kind: 'failed', value: 1, message: 'only 1 pods' })
    expect(run(code, [{ status: 503 }])).toMatchObject({ kind: 'failed', message: 'health says 503' })
  })

  it('cannot take an answer that is not there for an error of its own', () => {
    expect(run(`try { http.request('/') } catch { sample(1) }`)).toEqual({
      kind: 'asks',
      effect: { kind: 'http', path: '/' },
    })
  })

  it('has one time and the same random numbers in all runs of a reading', () => {
    const code = `assert(now() === 1700000000000); assert(Math.random() === 0.5 || true); sample(Math.random())`
    expect(run(code)).toEqual(run(code))
  })

  it.each([
    ['does not parse', 'const ='],
    ['throws', 'null.x'],
    ['throws what is no error', 'throw 7'],
    ['asks too often', `for (;;) http.request('/')`],
    ['asks for a host of its own', `http.request('http://elsewhere/')`, [] as object[]],
    ['asks for secrets', `k8s.list('secrets')`],
  ])(
    'that %s is broken, and says so',
    (_, code, answers = Array.from({ length: MAX_EFFECTS }, () => ({ status: 200 }))) => {
      expect(run(code, answers)).toMatchObject({ kind: 'broken', message: expect.any(String) as string })
    },
  )

  // Ways out of a sandbox that are tried on others.
  it.each([
    [
      'the constructor trick',
      `const f = assert.constructor('return this')(); assert(f.process === undefined && f.require === undefined)`,
    ],
    [
      'a function from an error',
      `try { null.f() } catch (e) { assert(e.constructor.constructor('return typeof process')() === 'undefined') }`,
    ],
    [
      'globals of the host',
      `assert(typeof process === 'undefined' && typeof require === 'undefined' && typeof fetch === 'undefined' && typeof globalThis.std === 'undefined' && typeof os === 'undefined')`,
    ],
    ['timers', `assert(typeof setTimeout === 'undefined' && typeof setInterval === 'undefined')`],
    ['the clock', `assert(typeof Date === 'undefined' && typeof performance === 'undefined')`],
    [
      'a generator function',
      `const G = Object.getPrototypeOf(function* () {}).constructor; const [g] = [...G('yield typeof process')()]; assert(g === 'undefined')`,
    ],
    [
      'memory that is shared, and what waits on it',
      `assert(typeof SharedArrayBuffer === 'undefined' && typeof Atomics === 'undefined')`,
    ],
    ['WebAssembly', `assert(typeof WebAssembly === 'undefined')`],
    ['workers and channels', `assert(typeof Worker === 'undefined' && typeof MessageChannel === 'undefined')`],
    ['a proxy around the SDK', `assert(typeof Proxy === 'undefined')`],
    [
      'a task for later, which nobody ever runs',
      `assert(typeof Promise === 'undefined'); queueMicrotask(() => sample(1))`,
    ],
    [
      'the stack of an error',
      `Error.prepareStackTrace = (_, frames) => frames; let stack; try { null.f() } catch (e) { stack = String(e.stack) } assert(!stack.includes('node') && !stack.includes('wasm'), stack)`,
    ],
    [
      'the caller of a function',
      `let seen = 'nothing'; function f() { try { seen = f.caller } catch { seen = null } } f(); assert(seen === null || seen === undefined)`,
    ],
    [
      'the species of an array',
      `class Mine extends Array { static get [Symbol.species]() { return class { constructor() { return http } } } } let out = null; try { out = Mine.from([1]).map((x) => x) } catch {} assert(http.request !== undefined && http !== globalThis)`,
    ],
    ['indirect eval', `assert((0, eval)('typeof process') === 'undefined')`],
    [
      'the prototype of the SDK',
      `let done = false; try { Object.getPrototypeOf(http).request = 1; Object.setPrototypeOf(http, null) } catch { done = true } assert(typeof http.request === 'function')`,
    ],
    ['what the SDK hid', `assert(typeof __ask === 'undefined' && typeof __startedAt === 'undefined')`],
    [
      'another http',
      `let done = false; try { http.request = () => ({ status: 200 }) } catch { done = true } assert(done)`,
    ],
  ])('finds no way out by %s', (_, code) => expect(run(code)).toEqual({ kind: 'passed', value: null }))

  it.each([
    ['an endless loop', 'for (;;);'],
    ['an endless loop that catches', 'for (;;) try { for (;;); } catch {}'],
    ['endless recursion', 'const f = () => f() + 1; f()'],
    ['a memory bomb', `const all = []; for (;;) all.push(new Array(1000).fill('x'))`],
    ['a huge text', `let s = 'x'; for (;;) s += s`],
    ['a huge repeat', `'x'.repeat(2 ** 30)`],
    ['a huge array', `new Array(2 ** 28).fill(1)`],
    ['deep JSON', `JSON.parse('['.repeat(100000))`],
    ['a getter that never ends', `({ get x() { for (;;); } }).x`],
    ['a regular expression', `/(a+)+$/.test('a'.repeat(40) + 'b')`],
    ['an error whose message never ends', `throw { get message() { for (;;); }, name: 'AssertionError' }`],
    ['a module', `import('fs')`],
    ['deep JSON that is written', `let a = []; for (let i = 0; i < 1e5; i++) a = [a]; JSON.stringify(a)`],
    ['a text that is made of itself', `const a = []; a.toString = () => a + ''; String(a)`],
    ['a generator without end', `for (const _ of (function* () { for (;;) yield 1 })());`],
    ['a huge number', `2n ** (2n ** 40n)`],
    ['a huge typed array', `new Uint8Array(2 ** 31)`],
    ['a comparison without end', `const a = [3, 2, 1]; a.sort(() => { for (;;); })`],
    ['a primitive that never comes', `+{ [Symbol.toPrimitive]() { for (;;); } }`],
    ['a JSON reviver without end', `JSON.parse('[1]', () => { for (;;); })`],
    ['an argument of the SDK without end', `http.request({ toString() { for (;;); } })`],
    ['labels without end', `k8s.list('pods', { get app() { for (;;); } })`],
    ['a flood of samples', `for (;;) sample(1)`],
    ['a flood of tasks', `for (;;) queueMicrotask(() => {})`],
    ['an async function', `(async () => { for (;;) await 1 })()`],
    ['an async generator', `(async function* () { for (;;) yield 1 })().next()`],
  ])('is stopped at %s', (_, code) => {
    const step = run(code)
    expect(['broken', 'failed']).toContain(step.kind)
    expect(JSON.stringify(step).length).toBeLessThan(1000)
  })

  it('leaves nothing to the next one, not even by changing what all objects share', () => {
    run(`Object.prototype.polluted = 1; Array.prototype.find = () => 'evil'; globalThis.left = 1; JSON.parse = () => 7`)
    expect(run(`assert(({}).polluted === undefined && typeof left === 'undefined')`)).toEqual({
      kind: 'passed',
      value: null,
    })
    expect({}).not.toHaveProperty('polluted')
  })

  it('cannot fool the SDK by changing what all objects share', () => {
    const code = `JSON.stringify = () => '{"kind":"exec"}'; Array.prototype.find = () => null; http.request('/x')`
    expect(run(code)).toEqual({ kind: 'asks', effect: { kind: 'http', path: '/x' } })
  })
})
