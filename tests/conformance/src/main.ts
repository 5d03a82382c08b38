import { parseArgs } from 'node:util'
import {
  compareAll,
  compareNow,
  type Corpus,
  openCorpus,
  partOf,
  recorded,
  TRACES,
  type Verdict,
} from './conformance.js'
import { type Written } from './read-corpus.js'
import { removeTraces, strayTraces, writeTrace } from './traces.js'

const USAGE = `npm run conformance -- [options]
  (none)              runs every scenario on the embedded cluster and compares it with its recorded trace
  --cluster CONTEXT   compares with a run on that real cluster, now (ordeal/testapp:1 and ordeal/prober:1 on its nodes); what
                      differs runs up to twice more by itself
  --record            keeps what the real cluster did as the recorded traces
  --only TEXT,…       scenarios whose name has one of the texts in it
  --part N/OF         one part of the corpus, of so many
  --lanes N           scenarios at once on the real cluster (6)
  --seed N            of the embedded cluster, for recorded traces (1)`

const { values } = parseArgs({
  options: {
    cluster: { type: 'string' },
    record: { type: 'boolean', default: false },
    only: { type: 'string', default: '' },
    part: { type: 'string' },
    lanes: { type: 'string', default: '6' },
    seed: { type: 'string', default: '1' },
    help: { type: 'boolean', default: false },
  },
})

const say = (text: string): void => void process.stdout.write(`${text}\n`)

async function main(): Promise<number> {
  if (values.help) {
    say(USAGE)
    return 0
  }
  const corpus = await openCorpus()
  const all = corpus.scenarios.filter(({ name }) => values.only.split(',').some((text) => name.includes(text)))
  const chosen = values.part ? partOf(all, partNamed(values.part)) : all
  if (chosen.length === 0) throw new Error('no scenario has that name')
  const verdict = values.cluster
    ? await runThere(corpus, chosen, values.cluster)
    : await compareAll(corpus, chosen, recorded, { seed: Number(values.seed) })
  report(verdict)
  return verdict.unexplained.length + verdict.unused.length === 0 ? 0 : 1
}

function partNamed(text: string): { number: number; of: number } {
  const [, number, of] = /^(\d+)\/([1-9]\d*)$/.exec(text) ?? []
  if (!number || !of) throw new Error(`--part ${text}: write for example 0/5`)
  return { number: Number(number), of: Number(of) }
}

async function runThere(corpus: Corpus, chosen: readonly Written[], context: string): Promise<Verdict> {
  const stop = new AbortController()
  process.once('SIGINT', () => stop.abort(new Error('stopped')))
  const verdict = await compareNow(corpus, chosen, {
    context,
    lanes: Number(values.lanes),
    signal: stop.signal,
    done: async (trace) => {
      say(`ran ${trace.scenario} (${trace.steps.at(-1) ?? 0} s)`)
      if (values.record) await writeTrace(TRACES, trace)
    },
  })
  if (values.record && chosen.length === corpus.scenarios.length) await removeStrays(chosen)
  return verdict
}

async function removeStrays(chosen: readonly Written[]): Promise<void> {
  const names = chosen.map(({ name }) => name)
  await removeTraces(TRACES, await strayTraces(TRACES, names))
}

function report({ scenarios, differing, unexplained, explained, unused }: Verdict): void {
  for (const name of differing) {
    say(`\n${name}`)
    const own = unexplained.filter(({ scenario }) => scenario === name)
    for (const { object, track, text } of own) say(`  ${object} ${track}: ${text}`)
  }
  for (const entry of unused) {
    const { reason: _, ...which } = entry
    say(`\nnot found any more, so take it out of differences.yaml: ${JSON.stringify(which)}`)
  }
  say(
    `\n${scenarios} scenarios: ${scenarios - differing.length} agreed, ${differing.length} differing ` +
      `(${unexplained.length} unexplained differences, ${explained.length} explained)`,
  )
}

if (process.argv[1] === import.meta.filename) {
  process.exitCode = await main().catch((error: unknown) => {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`)
    return 1
  })
}
