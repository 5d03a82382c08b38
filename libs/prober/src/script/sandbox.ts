import { newQuickJSWASMModuleFromVariant, type QuickJSContext, type QuickJSWASMModule } from 'quickjs-emscripten-core'
import { z } from 'zod'
import { MAX_CODE, MAX_EFFECTS, type Effect, type ScriptRun, type ScriptStep } from './protocol.js'
import { SDK } from './sdk.js'

/** Bytes that a script may hold. */
const MEMORY_BYTES = 4 * 1024 * 1024
const STACK_BYTES = 256 * 1024
/** QuickJS asks every ten thousand operations or so whether to go on: so many are the same work on every machine. */
const MAX_TURNS = 1000
/** A single operation may be slow: whatever the turns say, it is over after this. */
const MAX_MS = 1000
const MAX_MESSAGE = 300

/**
 * Regular expressions cannot be interrupted while they match, dates read the clock of the machine, and a proxy or a
 * promise has no use in a check: scripts go without.
 */
const INTRINSICS = {
  BaseObjects: true,
  Eval: true,
  JSON: true,
  MapSet: true,
  Date: false,
  RegExp: false,
  RegExpCompiler: false,
  Proxy: false,
  Promise: false,
  TypedArrays: false,
  StringNormalize: false,
} as const

/** Some scripts bring QuickJS itself to an end. The next one takes its place at once, and another is loaded behind it. */
const SPARES = 4
const ready: QuickJSWASMModule[] = []

/** Loads QuickJS, once. Before this no script can run. */
export async function loadSandbox(): Promise<void> {
  if (ready.length === 0) ready.push(await newQuickJs())
}

const newQuickJs = (): Promise<QuickJSWASMModule> =>
  newQuickJSWASMModuleFromVariant(import('@jitl/quickjs-ng-wasmfile-release-sync'))
let filling = false

/** Has others ready behind the one that is used. What cannot be loaded is missed when it is needed, and said then. */
function fillUp(): void {
  if (filling || ready.length >= SPARES) return
  filling = true
  newQuickJs().then(
    (quickjs) => {
      ready.push(quickjs)
      filling = false
      fillUp()
    },
    () => (filling = false),
  )
}

/** The one that is at its end is let go, with all its memory. */
function replaceLoaded(): void {
  ready.shift()
  fillUp()
}

const effectSchema: z.ZodType<Effect> = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('http'), path: z.string().regex(/^\/[\x21-\x7e]{0,500}$/, 'no path such as /health') }),
  z.object({ kind: z.literal('list'), labels: z.record(z.string(), z.string()).nullable() }),
  z.object({ kind: z.literal('prometheus'), query: z.string().min(1).max(2000) }),
  z.object({ kind: z.literal('sleep'), ms: z.number().min(0).max(10_000) }),
])

/** What the run asked for last, and what it said of itself: kept outside of the script's reach. */
interface Notes {
  next: number
  effect: Effect | null
  broken: string | null
  value: number | null
}

/**
 * Runs a script from its beginning until it ends or asks for something that is not among the answers. It has no network,
 * no files, no clock and no timers; memory, stack and work are bounded, and each run has a world of its own, which is
 * gone afterwards. Never throws for what a script does. Throws Error when the sandbox was not loaded.
 */
export function runScript(run: ScriptRun): ScriptStep {
  const [quickjs] = ready
  if (!quickjs) {
    if (!filling) throw new Error('no sandbox is loaded: await loadSandbox() first')
    return { kind: 'broken', message: 'all sandboxes were used up by scripts; another is being made' }
  }
  fillUp()
  if (run.code.length > MAX_CODE) return { kind: 'broken', message: `a script may have ${MAX_CODE} characters` }
  try {
    return inNewWorld(quickjs, run)
  } catch (error) {
    // Nothing in a sandbox that failed itself may be trusted or used again.
    replaceLoaded()
    return { kind: 'broken', message: `it brought its sandbox to an end: ${String(error).slice(0, MAX_MESSAGE)}` }
  }
}

function inNewWorld(quickjs: QuickJSWASMModule, run: ScriptRun): ScriptStep {
  const runtime = quickjs.newRuntime()
  runtime.setMemoryLimit(MEMORY_BYTES)
  runtime.setMaxStackSize(STACK_BYTES)
  let turns = 0
  const until = performance.now() + MAX_MS
  runtime.setInterruptHandler(() => (turns += 1) > MAX_TURNS || performance.now() > until)
  const context = runtime.newContext({ intrinsics: INTRINSICS })
  const step = evaluate(context, run)
  context.dispose()
  runtime.dispose()
  return step
}

function evaluate(context: QuickJSContext, { code, answers, startedAt }: ScriptRun): ScriptStep {
  const notes: Notes = { next: 0, effect: null, broken: null, value: null }
  offer(context, answers, notes)
  context.newNumber(startedAt % 2 ** 31).consume((seed) => context.setProp(context.global, '__startedAt', seed))
  context.unwrapResult(context.evalCode(SDK, 'sdk.js')).dispose()
  const now = context.newFunction('now', () => context.newNumber(startedAt))
  now.consume((handle) => context.setProp(context.global, 'now', handle))
  const result = context.evalCode(`'use strict';{\n${code}\n}`, 'check.js')
  if (result.error)
    return ended(
      notes,
      result.error.consume((error) => describe(context, error)),
    )
  result.value.dispose()
  return ended(notes, null)
}

/** The two ways out: `__ask`, which the SDK takes for itself, and `sample`. */
function offer(context: QuickJSContext, answers: readonly unknown[], notes: Notes): void {
  const ask = context.newFunction('__ask', (question) => {
    const known = answers[notes.next]
    notes.next += 1
    if (known !== undefined) return context.newString(JSON.stringify(known))
    // What a script does after its question, in a catch block say, has no effect any more.
    if (notes.effect === null && notes.broken === null) note(notes, context.getString(question))
    return { error: context.newError('waits for an answer') }
  })
  ask.consume((handle) => context.setProp(context.global, '__ask', handle))
  const sample = context.newFunction('sample', (value) => {
    const number = context.getNumber(value)
    if (notes.effect === null) notes.value = Number.isFinite(number) ? number : null
  })
  sample.consume((handle) => context.setProp(context.global, 'sample', handle))
}

function note(notes: Notes, question: string): void {
  if (notes.next > MAX_EFFECTS) {
    notes.broken = `a script may ask ${MAX_EFFECTS} times in a reading`
    return
  }
  const effect = effectSchema.safeParse(JSON.parse(question))
  if (effect.success) notes.effect = effect.data
  else notes.broken = effect.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`).join('; ')
}

function describe(
  context: QuickJSContext,
  error: Parameters<QuickJSContext['dump']>[0],
): { name: string; message: string } {
  const text = (field: string): string => {
    const handle = context.getProp(error, field)
    return handle.consume((value) => (context.typeof(value) === 'string' ? context.getString(value) : ''))
  }
  if (context.typeof(error) !== 'object') return { name: 'Error', message: `threw ${context.typeof(error)}` }
  // Where no memory is left, not even its own error can be read.
  return {
    name: text('name').slice(0, 40) || 'Error',
    message: text('message').slice(0, MAX_MESSAGE) || 'out of memory',
  }
}

function ended(notes: Notes, error: { name: string; message: string } | null): ScriptStep {
  if (notes.broken !== null) return { kind: 'broken', message: notes.broken }
  if (notes.effect !== null) return { kind: 'asks', effect: notes.effect }
  if (error === null) return { kind: 'passed', value: notes.value }
  if (error.name === 'AssertionError') return { kind: 'failed', value: notes.value, message: error.message }
  return { kind: 'broken', message: `${error.name}: ${error.message}` }
}
