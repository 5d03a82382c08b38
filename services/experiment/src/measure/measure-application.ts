import { baselineSchema, type Graph, type Measurement, type MeasurementRequest } from '@ordeal/shared'
import { z } from 'zod'
import { type RunningProber } from '../prober/prober-pod.js'
import { lastWordAfter } from '../prober/probes.js'
import { type Sandbox } from '../sandbox/open-sandbox.js'
import { groupByTarget, inRounds } from './group-targets.js'
import { baselineOf, within } from './judge-samples.js'
import { controlsSchema, controlTargets, type Application, type Controls } from './negative-controls.js'

type Measured = Extract<Measurement, { settled: true }>['steadyStates'][number]

const baselinesSchema = z.record(z.string(), baselineSchema)

/** Samples of every steady state without any fault. Throws ProberLostError. */
export async function measureBaseline(
  { cluster, context }: Sandbox,
  prober: RunningProber,
  { steadyStates, baselineMs }: MeasurementRequest,
): Promise<(id: string) => Pick<Measured, 'baseline'>> {
  const baselines = await context.step('baseline', baselinesSchema, async () => {
    context.progress({ kind: 'step', message: `measuring the baseline for ${Math.round(baselineMs / 1000)} s` })
    const from = await cluster.clock.now()
    await cluster.clock.waitUntil(from + baselineMs + lastWordAfter(steadyStates), context.signal)
    await prober.assertAlive()
    const samples = await prober.samples()
    const of = (id: string) => baselineOf(within(samples, id, from, from + baselineMs))
    return Object.fromEntries(steadyStates.map(({ id }) => [id, of(id)]))
  })
  return (id) => ({ baseline: baselines[id] ?? baselineOf([]) })
}

/** Every target is broken once for all its checks. Throws ProberLostError. */
export async function measureControls(
  sandbox: Sandbox,
  graph: Graph,
  app: Application,
): Promise<(id: string) => Pick<Measured, 'negativeControl'>> {
  const { context } = sandbox
  const found: Controls = {}
  for (const [index, targets] of inRounds(groupByTarget(app.states, graph)).entries()) {
    const names = targets.map((target) => target.workloads.join(', ') || target.service)
    context.progress({ kind: 'step', message: `breaking ${names.join(', ')}, to see its checks fail` })
    const step = await context.step(`control-${index}`, controlsSchema, async () => {
      const controls = await controlTargets(sandbox, targets, app)
      await app.prober.assertAlive()
      for (const [id, { failed, how }] of Object.entries(controls)) {
        const outcome = failed ? 'fails as it must' : 'does not fail'
        context.progress({ kind: 'check', message: `negative control: ${id} ${outcome} (${how})` })
      }
      return controls
    })
    Object.assign(found, step)
  }
  return (id) => ({ negativeControl: found[id] ?? { failed: false, how: 'not controlled', method: 'target-broken' } })
}
