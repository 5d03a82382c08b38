import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type AnswerProposal, type ApprovalView, type CycleEvent } from '@ordeal/gateway/contract'
import { GatewayError } from '../errors.js'
import { ApprovalDesk } from '../run/answer-approvals.js'
import { progressView } from '../run/progress-view.js'
import { fakeScreen } from '../testing/fake-screen.js'
import { type ApprovalClient } from './answer-open.js'

const APPROVAL: ApprovalView = {
  what: 'improvement',
  revision: 1,
  round: 1,
  title: 'Patch of r1',
  text: '--- a/pod.yaml\n+++ b/pod.yaml\n-kind: Pod\n+kind: Deployment\u001b[2J\n',
  document: { changes: [{ kind: 'edit' }] },
  form: {},
  decisions: ['approve', 'revise', 'replace', 'reject'],
  problems: ['2 replicas is the least'],
  proposal: 'sha256:1',
  phase: 'propose',
  state: 'open',
  askedAt: '2026-11-30T10:00:00Z',
  expiresAt: '2026-11-30T10:30:00Z',
  byDefault: 'reject',
  answer: null,
}
const event = (type: 'approval.requested' | 'approval.given'): CycleEvent => ({
  ...{ sequence: 1, type, occurredAt: '2026-11-30T10:00:00Z', revision: 1 },
  data: { proposal: APPROVAL.proposal, expiresAt: APPROVAL.expiresAt, byDefault: 'reject', what: 'improvement' },
})

/** A desk at which somebody types these lines; null where nobody sits. */
function deskWith(typed: string[] | null, refuse?: GatewayError) {
  const screen = fakeScreen()
  const answers: AnswerProposal[] = []
  const client: ApprovalClient = {
    approvals: () => Promise.resolve([APPROVAL]),
    answer: (_, __, answer) => {
      answers.push(answer)
      return answers.length === 1 && refuse ? Promise.reject(refuse) : Promise.resolve(APPROVAL)
    },
  }
  const asked = Promise.withResolvers<void>()
  const ask = (question: string, signal?: AbortSignal): Promise<string> => {
    screen.write(question)
    const line = typed?.shift()
    if (line !== undefined) return Promise.resolve(line)
    asked.resolve()
    return new Promise((_, reject) => signal?.addEventListener('abort', () => reject(new Error('aborted'))))
  }
  const view = progressView(screen, () => 0)
  const terminal = { ask: typed && ask, err: screen }
  const desk = (json = false): ApprovalDesk => new ApprovalDesk({ client, cycle: 'cyc-a', view, terminal, json })
  return { screen, answers, desk, asked: asked.promise }
}

/** Lets the desk deal with a question and whatever was typed. */
async function ask(desk: ApprovalDesk, until: () => boolean): Promise<void> {
  desk.see(event('approval.requested'))
  for (let i = 0; i < 100 && !until(); i++) await new Promise((resolve) => setImmediate(resolve))
  await desk.close()
}

describe('asking whoever sits at the terminal', () => {
  it('shows the diff, without what could drive the terminal, and takes a yes', async () => {
    const { desk, answers, screen } = deskWith(['a'])
    await ask(desk(), () => answers.length > 0)
    expect(answers).toEqual([{ decision: 'approve' }])
    expect(screen.text()).toContain('Patch of r1 (improvement)\n! 2 replicas is the least\n--- a/pod.yaml')
    expect(screen.text()).not.toContain('\u001b')
  })

  it('asks again for what it does not know, and for what is to be different', async () => {
    const { desk, answers, screen } = deskWith(['maybe', 's', 'r', 'three replicas'])
    await ask(desk(), () => answers.length > 0)
    expect(answers).toEqual([{ decision: 'revise', message: 'three replicas' }])
    expect(screen.text()).toContain('changes:\n  - kind: edit')
  })

  it('takes a file, and asks again where the gateway cannot use it', async () => {
    const root = await mkdtemp(join(tmpdir(), 'ordeal-approve-'))
    await writeFile(join(root, 'own.yaml'), 'changes: []')
    const refusal = new GatewayError(422, '/document/changes: too small')
    const typed = ['p', join(root, 'none.yaml'), 'p', join(root, 'own.yaml'), 'j', 'too costly']
    const { desk, answers, screen } = deskWith(typed, refusal)
    await ask(desk(), () => answers.length > 1)
    await rm(root, { recursive: true })
    expect(answers).toEqual([
      { decision: 'replace', document: { changes: [] } },
      { decision: 'reject', message: 'too costly' },
    ])
    expect(screen.text()).toMatch(/none.yaml: .*ENOENT[^]*too small/)
  })

  it('takes the question back when somebody else answers', async () => {
    const { desk: open, answers, asked } = deskWith([])
    const desk = open()
    desk.see(event('approval.requested'))
    await asked
    desk.see(event('approval.given'))
    await desk.close()
    expect(answers).toEqual([])
  })
})

describe('where nobody can be asked', () => {
  it('says how to answer, and until when', async () => {
    const { desk, screen } = deskWith(null)
    await ask(desk(), () => screen.text().includes('reject'))
    expect(screen.text()).toContain('It waits until 2026-11-30T10:30:00Z, then it is rejected.')
    expect(screen.text()).toContain('ordeal approve cyc-a --decision replace --file FILE')
  })

  it('prints the question as one event for machines', async () => {
    const { desk, screen } = deskWith(null)
    await ask(desk(true), () => screen.text().includes('}\n'))
    expect(JSON.parse(screen.text())).toMatchObject({
      event: 'approval.requested',
      cycle: 'cyc-a',
      what: 'improvement',
    })
  })
})
