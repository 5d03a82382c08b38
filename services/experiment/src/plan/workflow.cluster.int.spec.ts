import { chaosManifest, isChaosFault, type ClusterObject } from '@ordeal/kubernetes'
import { type Fault } from '@ordeal/shared'
import { everyFault } from '@ordeal/shared/testing'
import { deploymentApp, faultOn, hypothesisOf } from '../testing/applications.js'
import { type Cycle } from '../testing/cycle.js'
import { reachRealCluster, startRealCycle } from '../testing/real-cycle.js'
import { compilePlan } from './compile-plan.js'
import { workflowOf } from './workflow.js'

const CYCLE_MS = 600_000
const WORKFLOW = { apiVersion: 'chaos-mesh.org/v1alpha1', kind: 'Workflow' }
const app = deploymentApp('front', 2)
const all = { ...faultOn(app).target, mode: 'all' as const }
const LENGTH_MS = 8000

/** Three steps: alone, at once, and at once with one that comes later. */
const scenario: Fault[][] = [
  [faultOn(app, { id: 'kill', durationMs: LENGTH_MS })],
  [
    faultOn(app, {
      ...{ id: 'busy', kind: 'StressChaos', action: 'cpu', durationMs: LENGTH_MS, target: all },
      parameters: { cpu: { workers: 1, loadPercent: 20 } },
    }),
    faultOn(app, {
      ...{ id: 'cut', kind: 'NetworkChaos', action: 'partition', durationMs: LENGTH_MS - 3000, startAfterMs: 3000 },
      parameters: { direction: 'both' },
    }),
  ],
  [faultOn(app, { id: 'stop', action: 'pod-failure', durationMs: LENGTH_MS })],
]

interface Node extends ClusterObject {
  readonly spec: { readonly templateName: string; readonly startTime: string }
  readonly status?: { readonly conditions?: readonly { type: string; status: string; reason?: string }[] }
}

const isTrue = ({ status }: Node, ...types: string[]): boolean =>
  status?.conditions?.some((c) => types.includes(c.type) && c.status === 'True') ?? false

describe('Chaos Mesh on a real cluster', () => {
  let cycle: Cycle
  beforeAll(async () => {
    await reachRealCluster()
    cycle = await startRealCycle(app)
    const measured = await cycle.measure()
    if (!measured.settled) throw new Error(measured.cause)
  }, CYCLE_MS)
  afterAll(async () => expect(await cycle.cleanUp()).toBeNull(), CYCLE_MS)

  const planned = (faults: Fault[][]): ClusterObject => {
    const hypothesis = hypothesisOf(app, faults)
    const of = { cycle: cycle.id, revision: 0 }
    return workflowOf(hypothesis, compilePlan(hypothesis, of), { ...of, namespace: cycle.namespace })
  }

  it.each(
    everyFault(faultOn(app))
      .filter(isChaosFault)
      .map((fault) => [fault.kind, fault.action, fault] as const),
  )('takes %s %s with every parameter, alone and in a Workflow', async (_kind, _action, fault) => {
    const { objects } = await cycle.look()
    const place = { name: 'rehearsal', namespace: cycle.namespace, labels: {} }
    await objects.create(chaosManifest(fault, place), { dryRun: true })
    await objects.create(planned([[fault]]), { dryRun: true })
  })

  it(
    'runs the Workflow of a scenario to its end: every node comes to life and finishes, each in its time',
    async () => {
      const { objects, clock } = await cycle.look()
      const { namespace } = cycle
      const workflow = await objects.create(planned(scenario))
      const nodesOf = () => objects.list<Node>({ ...WORKFLOW, kind: 'WorkflowNode', namespace })
      const watch = [await objects.path({ ...WORKFLOW, kind: 'WorkflowNode', namespace })]
      const check = async () => {
        const nodes = await nodesOf()
        const entry = nodes.find((node) => node.spec.templateName === 'run')
        return entry && isTrue(entry, 'Accomplished') ? nodes : undefined
      }
      const ended = { what: 'the end of the Workflow', withinMs: 300_000, watch, everyMs: 2000, check }
      const nodes = await clock.waitFor(ended, new AbortController().signal)

      const templates = (workflow.spec as { templates: { name: string }[] }).templates.map(({ name }) => name)
      expect(nodes.map((node) => node.spec.templateName).toSorted()).toEqual(templates.toSorted())
      const open = nodes.filter((node) => !isTrue(node, 'Accomplished', 'DeadlineExceed'))
      expect(open.map((node) => node.spec.templateName)).toEqual([])
      const parents = nodes.filter((node) => /^(run|step-|later-)/.test(node.spec.templateName))
      expect(parents.filter((node) => isTrue(node, 'DeadlineExceed'))).toEqual([])
      const startOf = (name: string) =>
        Date.parse(nodes.find((node) => node.spec.templateName === name)?.spec.startTime ?? '')
      expect(startOf('fault-cut') - startOf('step-2')).toBeGreaterThanOrEqual(3000 - 1000)
      expect(startOf('fault-stop') - startOf('fault-busy')).toBeGreaterThanOrEqual(LENGTH_MS - 1000)
      await objects.remove(workflow)
    },
    CYCLE_MS,
  )
})
