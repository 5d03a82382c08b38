import { type Envelope } from '../events/envelope.js'
import { acceptMessage, type Acceptance } from '../messaging/accept-message.js'
import { countDead } from '../messaging/dead-letters.js'
import { emitEvents, lockCycle, wakeChannelOf, wakeOthers } from '../messaging/decision.js'
import { relayAll, startRelay } from '../messaging/outbox-relay.js'
import { startWorkLoop } from '../lifecycle/work-loop.js'
import { pruneOldRows } from '../store/prune.js'
import { Runner } from '../phases/runner.js'
import { type Crashpoints } from '../telemetry/crashpoints.js'
import { type Accepted, type AnyService } from './definition.js'
import { countWork } from '../telemetry/count-work.js'
import { type RuntimeParts } from './runtime.js'

/** What the messages of a service need of its workers. */
export interface Workers {
  readonly accept: (message: Envelope, decide: () => Promise<Accepted>) => Promise<Acceptance>
  /** A message of a cycle is dead: the cycle is told, unless this service only watches it. */
  readonly onDead: (message: Envelope, code: string, reason: string) => Promise<void>
}

/** How often tables are looked into without being told: a fallback for a lost notification. */
const SWEEP_MS = 1000
const PRUNE_MS = 3_600_000

/** The failure of a failure is not told: that message would die of the same cause, for ever. */
async function tellCycle(parts: RuntimeParts, message: Envelope, code: string, reason: string): Promise<void> {
  const { tenantId, cycleId, correlationId, messageId: causationId, traceparent, revision } = message
  const { name: service, store } = parts
  await store.withTenant(tenantId, async (tx) => {
    const place = { tx, schema: service, origin: { tenantId, cycleId, correlationId, causationId, traceparent } }
    const data = { service, phase: `accept ${message.type}`, code, message: reason }
    const { events } = await lockCycle(place, { events: 1, close: false })
    await emitEvents(place, [{ type: 'phase.failed', revision, data }], events)
    await wakeOthers(place, ['outbox'])
  })
}

/** Starts relay and runner, and wakes them when a decision is committed. They join the way down. */
export function startWorkers(definition: AnyService, parts: RuntimeParts, crashpoints: Crashpoints): Workers {
  const { name: service, config, store, broker, lifecycle, metrics } = parts
  const relayDeps = { ...parts, schema: service, publish: broker.publish, crashpoints, sweepMs: SWEEP_MS }
  const relay = startRelay(relayDeps)
  const runner = new Runner({
    ...parts,
    service,
    handlers: definition.phases,
    crashpoints,
    concurrency: config.phaseConcurrency,
    tenantCap: config.tenantConcurrency,
    leaseMs: config.leaseMs,
    sweepMs: SWEEP_MS,
  })
  const wake = (what: string): void => {
    if (what !== 'outbox') runner.wake()
    if (what !== 'phases') relay.wake()
    if (what === 'cancel' || what === '') runner.lookForCancels()
  }
  const listener = store.listen(wakeChannelOf(service), wake)
  countWork(metrics, { store, schema: service, running: () => runner.count, dead: () => countDead(broker, service) })
  const pass = async (): Promise<boolean> => {
    await pruneOldRows(store, service)
    return false
  }
  const pruner = startWorkLoop({ name: 'pruner', log: parts.log, idleMs: PRUNE_MS, pass })
  lifecycle.join({ name: 'pruner', stop: () => pruner.stop() })
  lifecycle.join({ name: 'listener', close: () => listener.close() })
  // Drained in this order: what the runner hands back, and then what is left in the outbox.
  lifecycle.join({ name: 'runner', stop: () => runner.stop(), drain: () => runner.drain() })
  lifecycle.join({
    name: 'relay',
    drain: async () => {
      await relay.stop()
      await relayAll(relayDeps)
    },
  })
  const phases = Object.keys(definition.phases)
  return {
    accept: (message, decide) => acceptMessage({ store, service, phases, crashpoints }, message, decide),
    onDead: async (message, code, reason) => {
      if (phases.length > 0 && message.type !== 'phase.failed') await tellCycle(parts, message, code, reason)
    },
  }
}
