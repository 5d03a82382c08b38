import { execFileSync } from 'node:child_process'
import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { scripted, startModelServer, type ModelServer } from '@ordeal/agents/testing'
import { type ApprovalView } from '@ordeal/gateway/contract'
import { resultsSchema, type Results } from '@ordeal/shared'
import { ordeal, processGone, startOrdeal, type Ended, type Running } from './ordeal.js'

const CYCLE_MS = 120_000
const EXAMPLE = 'examples/nginx'

type Shown = ApprovalView & { readonly cycle: string }

describe('people in the loop', () => {
  let root: string
  let services: Running
  let model: ModelServer
  const state = (): string => join(root, 'state')

  beforeAll(async () => {
    root = await mkdtemp(join(tmpdir(), 'ordeal-approvals-'))
    // Where this runs as root, Postgres runs as somebody else and has to enter.
    await chmod(root, 0o755)
    model = await startModelServer(scripted(ANSWERS))
    services = startOrdeal(['up', '--processes'], state(), { ORDEAL_MODEL_URL: model.url, ORDEAL_MODEL_KEY: 'sk-e2e' })
    await services.until(/^Up: http/m)
  }, CYCLE_MS)
  afterAll(async () => {
    services.child.kill('SIGTERM')
    await services.ended
    await model.close()
    await rm(root, { recursive: true })
  }, CYCLE_MS)

  /** A cycle that asks people; nobody sits at its terminal. */
  function startAsking(out: string, ...args: string[]) {
    const running = startOrdeal(['run', EXAMPLE, '--json', '--out', join(root, out), ...args], state())
    const shown = (): Shown[] =>
      [...running.stderr().matchAll(/^\{"event":"approval.requested".*\}$/gm)].map(
        ([line]) => JSON.parse(line) as Shown,
      )
    let seen = 0
    return {
      /** The next question. */
      asked: async (): Promise<Shown> => {
        await running.until(new RegExp(`("event":"approval.requested"[^]*?\n[^]*?){${seen + 1}}`))
        return shown()[seen++] as Shown
      },
      answer: (cycle: string, ...words: string[]): Promise<Ended> =>
        ordeal(['approve', cycle, '--decision', ...words], state()),
      results: async (): Promise<Results> => {
        const { stdout, stderr } = await running.ended
        if (!stdout.startsWith('{')) throw new Error(stderr)
        return resultsSchema.parse(JSON.parse(stdout))
      },
      ended: running.ended,
    }
  }
  async function fileWith(document: unknown): Promise<string> {
    const path = join(root, 'replacement.json')
    await writeFile(path, JSON.stringify(document))
    return path
  }

  it(
    'go on with what was approved, and are not asked again in a replay',
    async () => {
      const cycle = startAsking('approved', '--approve', 'hypothesis,improvement')
      const hypothesis = await cycle.asked()
      expect(hypothesis).toMatchObject({
        what: 'hypothesis',
        round: 1,
        byDefault: 'reject',
        state: 'open',
        problems: [],
      })
      expect(hypothesis.text).toContain('fault: PodChaos pod-kill')
      expect((await cycle.answer(hypothesis.cycle, 'approve', '--message', 'fine')).stderr).toBe('')
      const patch = await cycle.asked()
      expect(patch).toMatchObject({ what: 'improvement', revision: 1 })
      expect(patch.text).toContain('+kind: Deployment')
      expect((await cycle.answer(patch.cycle, 'approve')).code).toBe(0)
      const results = await cycle.results()
      expect(results.cycle.outcome).toBe('improved')
      expect(results.approvals).toMatchObject([
        { what: 'hypothesis', revision: 0, decision: 'approve', by: 'bootstrap', message: 'fine' },
        { what: 'improvement', revision: 1, decision: 'approve', message: null },
      ])
      expect(await readFile(join(root, 'approved/report.md'), 'utf8')).toContain('What people decided')

      const again = await ordeal(['replay', join(root, 'approved'), '--json', '--out', join(root, 'replay')], state())
      expect(again.stderr).not.toContain('approval.requested')
      const replayed = resultsSchema.parse(JSON.parse(again.stdout))
      expect(replayed.approvals).toEqual(results.approvals)
      expect([replayed.hypothesis, replayed.revisions, replayed.score]).toEqual([
        results.hypothesis,
        results.revisions,
        results.score,
      ])
    },
    CYCLE_MS,
  )

  it(
    'revise a hypothesis in the words that instructions know, and are told what was not understood',
    async () => {
      const cycle = startAsking('revised', '--approve', 'hypothesis')
      const { cycle: id } = await cycle.asked()
      await cycle.answer(id, 'revise', '--message', 'One web pod is isolated for 30 s. Play me a song.')
      const second = await cycle.asked()
      expect(second).toMatchObject({ round: 2 })
      expect(second.text).toMatch(/^-.*PodChaos pod-kill$/m)
      expect(second.text).toMatch(/^\+.*NetworkChaos partition$/m)
      expect(second.problems.join()).toMatch(/Play me a song/)
      await cycle.answer(id, 'approve')
      const { hypothesis, approvals, runs } = await cycle.results()
      expect(hypothesis?.scenario.faults[0]?.[0]).toMatchObject({ action: 'partition', durationMs: 30_000 })
      // Nobody reaches the only pod, users neither.
      expect(runs[0]?.verdict).toBe('refuted')
      expect(approvals?.map(({ decision }) => decision)).toEqual(['revise', 'approve'])
    },
    CYCLE_MS,
  )

  it(
    'replace a hypothesis and a patch by their own, within what may be said',
    async () => {
      const cycle = startAsking('replaced', '--approve', 'hypothesis,improvement')
      const first = await cycle.asked()
      const document = first.document as { steadyStates: { id: string }[]; scenario: { faults: object[][] } }
      const stranger = structuredClone(document) as { scenario: { faults: { target: object }[][] } }
      Object.assign(stranger.scenario.faults[0]?.[0]?.target ?? {}, { component: 'Deployment/payments' })
      const refused = await cycle.answer(first.cycle, 'replace', '--file', await fileWith(stranger))
      expect(refused.code).toBe(1)
      expect(refused.stderr).toMatch(/\/document\/scenario\/faults\/0\/0\/target\/component/)

      const own = { ...document, steadyStates: document.steadyStates.filter(({ id }) => id === 'web-answers') }
      await cycle.answer(first.cycle, 'replace', '--file', await fileWith(own))
      expect(await cycle.asked()).toMatchObject({ round: 2, problems: [] })
      await cycle.answer(first.cycle, 'approve')

      const patch = await cycle.asked()
      const [change] = (patch.document as { changes: { after: { spec: object } }[] }).changes
      const image = structuredClone(change) as { after: { spec: { template: { spec: { containers: object[] } } } } }
      Object.assign(image.after.spec.template.spec.containers[0] ?? {}, { image: 'evil:latest' })
      await cycle.answer(first.cycle, 'replace', '--file', await fileWith({ changes: [image] }))
      const again = await cycle.asked()
      expect(again.problems.join()).toMatch(/containers\/0\/image may not be edited/)
      const three = { ...change, after: { ...change?.after, spec: { ...change?.after.spec, replicas: 3 } } }
      await cycle.answer(first.cycle, 'replace', '--file', await fileWith({ changes: [three] }))
      expect((await cycle.asked()).text).toContain('+  replicas: 3')
      await cycle.answer(first.cycle, 'approve')
      const results = await cycle.results()
      expect(results.cycle.outcome).toBe('improved')
      expect(results.hypothesis?.steadyStates.map(({ id }) => id)).toEqual(['web-answers'])
      expect(results.agents.filter(({ provenance }) => provenance === 'person').map(({ name }) => name)).toEqual([
        'hypothesis',
        'improvement',
      ])
      expect(await readFile(join(root, 'replaced/improved/pod.yaml'), 'utf8')).toContain('replicas: 3')
    },
    CYCLE_MS,
  )

  it(
    'reject a hypothesis: nothing is broken, and there is no verdict',
    async () => {
      const cycle = startAsking('rejected', '--approve', 'hypothesis')
      const { cycle: id } = await cycle.asked()
      await cycle.answer(id, 'reject', '--message', 'not before Christmas')
      const results = await cycle.results()
      expect(results.cycle).toMatchObject({ outcome: 'inconclusive', reason: 'not-approved' })
      expect(results.cycle.message).toContain('not before Christmas')
      expect(results.runs).toEqual([])
      expect((await cycle.ended).code).toBe(3)
      expect((await ordeal(['approve', id, '--decision', 'approve'], state())).stderr).toContain('waits for no answer')
    },
    CYCLE_MS,
  )

  it(
    'reject a patch for the next one, and are asked no more once nobody answers',
    async () => {
      const cycle = startAsking('silent', '--approve', 'improvement', '--approve-timeout', '15s')
      const { cycle: id } = await cycle.asked()
      await cycle.answer(id, 'reject', '--message', 'two pods cost too much')
      expect((await cycle.asked()).text).toContain('readinessProbe')
      const results = await cycle.results()
      expect(results.cycle).toMatchObject({ outcome: 'vulnerable' })
      expect(results.cycle.message).toContain('Nobody answered within 15s')
      const why = results.revisions.at(-1)?.rejected.map((each) => each.why)
      expect(why?.some((words) => words.includes('two pods cost too much'))).toBe(true)
      expect(results.approvals).toMatchObject([
        { decision: 'reject', by: 'bootstrap' },
        { decision: 'reject', by: null },
      ])
      const again = await ordeal(['replay', join(root, 'silent'), '--json', '--out', join(root, 'silence')], state())
      const replayed = resultsSchema.parse(JSON.parse(again.stdout))
      expect([replayed.cycle.message, replayed.approvals]).toEqual([results.cycle.message, results.approvals])
    },
    CYCLE_MS,
  )

  it(
    'let a model follow a message',
    async () => {
      const cycle = startAsking('model', '--approve', 'threshold', '--model', 'm-1', '--no-improve')
      const { cycle: id, what } = await cycle.asked()
      expect(what).toBe('threshold')
      await cycle.answer(id, 'revise', '--message', 'Ask for 97 % of web-answers.')
      const second = await cycle.asked()
      expect(second.text).toMatch(/^\+ +minShare: 0.97$/m)
      await cycle.answer(id, 'approve')
      const results = await cycle.results()
      expect(results.agents).toContainEqual(expect.objectContaining({ name: 'threshold', provenance: 'revised' }))
      const again = await ordeal(['replay', join(root, 'model'), '--json', '--out', join(root, 'again')], state())
      const replayed = resultsSchema.parse(JSON.parse(again.stdout))
      expect([replayed.hypothesis, replayed.approvals]).toEqual([results.hypothesis, results.approvals])
    },
    CYCLE_MS,
  )

  it(
    'may take longer than the services live',
    async () => {
      const cycle = startAsking('killed', '--approve', 'hypothesis')
      const { cycle: id } = await cycle.asked()
      const killed = serviceProcesses(services.child.pid as number)
      expect(killed.length).toBe(4)
      for (const pid of killed) process.kill(pid, 'SIGKILL')
      await Promise.all(killed.map(processGone))
      expect(await cycle.answer(id, 'approve')).toMatchObject({ code: 0, stderr: '' })
      const results = await cycle.results()
      expect(results.cycle.outcome).toBe('improved')
    },
    CYCLE_MS,
  )
})

/** The services below a process that work on phases. */
function serviceProcesses(root: number): number[] {
  const rows = execFileSync('ps', ['-eo', 'pid=,ppid=,args='], { encoding: 'utf8' })
    .split('\n')
    .map((line) => /^\s*(\d+)\s+(\d+)\s+(.*)$/.exec(line))
    .flatMap((match) => (match ? [{ pid: Number(match[1]), parent: Number(match[2]), args: String(match[3]) }] : []))
  const below = new Set([root])
  for (const { pid, parent } of rows) if (below.has(parent)) below.add(pid)
  const isService = /^\S+ --enable-source-maps \S+\/(hypothesis|experiment|analysis|improvement)\/dist\/main\.js$/
  return rows.filter(({ pid, args }) => below.has(pid) && isService.test(args)).map(({ pid }) => pid)
}

const ANSWERS: Parameters<typeof scripted>[0] = {
  threshold: [
    { thresholds: [] },
    { thresholds: [{ steadyState: 'web-answers', maxLatencyMs: null, minShare: 0.97, maxOutageMs: 5000 }] },
  ],
}
