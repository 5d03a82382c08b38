import { type ProberConfig } from '@ordeal/prober'
import { type Engine } from '../engine.js'
import { ApiError } from '../store/api-error.js'
import { Client, SimulationRefused } from './client.js'
import { bringTo, type ClusterOptions, newCluster } from './deploy.js'
import { checkPlan, type Manifest, type SimulationPlan } from './plan.js'
import { ProbeStation } from './probe-station.js'
import { Recorder } from './recorder.js'
import { settle } from './settle.js'
import { type Trace } from './trace.js'

/** An application may take so long to settle, in virtual ms. */
const SETTLE_MS = 300_000

export interface DeployOptions extends ClusterOptions {
  readonly seed: number
  /** Must answer before the application counts as settled. */
  readonly probes: ProberConfig['probes']
  readonly settleMs?: number
}

export interface WhatIf {
  /** Of everything random from the fork on; the deployment's own goes on if there is none. */
  readonly seed?: number
  /** Another revision of the manifests, rolled out, and settled, before the plan begins. */
  readonly manifests?: readonly Manifest[]
}

/** An application in a warmed-up cluster: the origin of any number of what-if runs, none of which changes it. */
export interface Deployed {
  /** Carries the plan out on a fork. Throws SimulationRefused for what the cluster refuses. */
  whatIf(plan: SimulationPlan, options?: WhatIf): Trace
}

/**
 * What would happen: a new cluster, the manifests, time until they settle, then the plan. A pure function, without HTTP
 * or wall time: equal input gives an equal trace. Throws SimulationRefused for objects that the cluster refuses, and
 * RangeError for times that are none.
 */
export function simulate(
  manifests: readonly Manifest[],
  plan: SimulationPlan,
  seed: number,
  options: ClusterOptions = {},
): Trace {
  checkPlan(plan)
  const engine = newCluster(manifests, { seed, ...options })
  const start = engine.kernel.now
  const recorder = new Recorder(engine)
  const waiting = settle(engine, plan.probes, SETTLE_MS)
  if (waiting.length > 0) return unsettled(engine, recorder, waiting)
  return carryOut(engine, plan, engine.kernel.now - start)
}

/** Deploys once, for many what-if runs from there. Throws SimulationRefused. */
export function deploy(manifests: readonly Manifest[], options: DeployOptions): Deployed {
  const { probes, settleMs = SETTLE_MS, ...cluster } = options
  const engine = newCluster(manifests, cluster)
  const start = engine.kernel.now
  const recorder = new Recorder(engine)
  const waiting = settle(engine, probes, settleMs)
  const settledAfterMs = engine.kernel.now - start
  const failed = waiting.length > 0 ? unsettled(engine, recorder, waiting) : null
  recorder.close()
  return {
    whatIf: (plan, { seed: other, manifests: revision } = {}) => {
      checkPlan(plan)
      if (failed && !revision) return failed
      const fork = engine.fork(other === undefined ? {} : { seed: other })
      if (!revision) return carryOut(fork, plan, settledAfterMs)
      return rollOut(fork, { revision, before: manifests, settleMs }, plan)
    },
  }
}

interface Revision {
  readonly revision: readonly Manifest[]
  readonly before: readonly Manifest[]
  readonly settleMs: number
}

function rollOut(engine: Engine, { revision, before, settleMs }: Revision, plan: SimulationPlan): Trace {
  const recorder = new Recorder(engine)
  const start = engine.kernel.now
  bringTo(engine, revision, before)
  const waiting = settle(engine, plan.probes, settleMs)
  if (waiting.length > 0) return unsettled(engine, recorder, waiting)
  recorder.close()
  return carryOut(engine, plan, engine.kernel.now - start)
}

function unsettled({ assumptions }: Engine, { events }: Recorder, waiting: readonly string[]): Trace {
  return { settled: false, waiting, events, assumptions }
}

function carryOut(engine: Engine, { timing, actions, probes }: SimulationPlan, settledAfterMs: number): Trace {
  const { kernel } = engine
  const from = kernel.now
  const [faultFrom, faultTo] = [from + timing.preMs, from + timing.preMs + timing.faultMs]
  const to = faultTo + timing.postMs
  const recorder = new Recorder(engine)
  const station = new ProbeStation(engine, probes)
  const client = new Client(engine)
  actions
    .map((action, index) => ({ action, index }))
    .toSorted((a, b) => a.action.at - b.action.at)
    .forEach(({ action, index }) => {
      kernel.runUntil(from + action.at)
      refuseWithPlace(index, () => client.act(action))
    })
  kernel.runUntil(to)
  recorder.close()
  // Readings that were due before the end are still out.
  kernel.runUntil(to + Math.max(0, ...probes.map(patienceOf)))
  station.close()
  const samples = station.samples.filter(({ at }) => at >= from && at < to).sort((a, b) => a.at - b.at)
  const { events, pods, faults } = recorder
  const windows = { pre: { from, to: faultFrom }, fault: { from: faultFrom, to: faultTo }, post: { from: faultTo, to } }
  return { settled: true, settledAfterMs, windows, samples, events, pods, faults, assumptions: engine.assumptions }
}

/** As long as a reading may be out, in ms. */
const patienceOf = (probe: SimulationPlan['probes'][number]): number =>
  'timeoutMs' in probe ? probe.timeoutMs : Math.max(1000, probe.periodMs)

function refuseWithPlace(index: number, act: () => void): void {
  try {
    act()
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    throw new SimulationRefused([`actions[${index}]: ${error.message}`])
  }
}
