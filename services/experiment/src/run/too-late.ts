import { chaosRef, podOfRecord, type ChaosObject, type EventObject } from '@ordeal/kubernetes'
import { type Sandbox } from '../sandbox/open-sandbox.js'
import { isChaosRunFault, type ChaosRunFault, type RunFault } from './fault.js'
import { removeFaults } from './remove-faults.js'
import { LATE_MS, ThreadLostError } from './take-up.js'

/** Kubernetes and Chaos Mesh write whole seconds. */
const ROUNDING_MS = 1000
/** What Chaos Mesh says of a time must fit the plan this well; else clocks differ, or it was another time. */
const RECOVERY_MS = 5000

/*
 * What is found by an attempt that comes too late to do a thing itself. A fault that an earlier attempt made at its time
 * is the fault of the plan, whoever reads its record; and one that Chaos Mesh has undone at its time was in force for as
 * long as planned. Both are taken with the times that the cluster wrote down, and only where it did.
 */

/** Throws ThreadLostError unless each fault was made at its time and is still in force. */
export async function assertMade(sandbox: Sandbox, faults: readonly RunFault[], at: number): Promise<void> {
  const now = await sandbox.cluster.clock.now()
  for (const fault of faults) {
    const { id, durationMs } = fault.targets.fault
    // What shows at a target afterwards may have come afterwards.
    if (now >= at + durationMs) throw new ThreadLostError(`fault ${id} is over, and nobody saw what it did`)
    const found = isChaosRunFault(fault) ? await read(sandbox, fault) : null
    if (!found || found.metadata.deletionTimestamp)
      throw new ThreadLostError(`fault ${id} was not injected at its time`)
    const made = Date.parse(found.metadata.creationTimestamp ?? '')
    const late = Math.abs(made - at) > LATE_MS + ROUNDING_MS || Number.isNaN(made)
    if (late) throw new ThreadLostError(`fault ${id} was made ${Math.round((made - at) / 1000)} s off its time`)
  }
}

/** The faults with the time at which Chaos Mesh had injected them, where it says so, instead of when that was read. */
export async function asInjectedThen(
  sandbox: Sandbox,
  faults: readonly RunFault[],
  at: number,
): Promise<readonly RunFault[]> {
  return Promise.all(
    faults.map(async (fault) => {
      const { injectedAt } = fault.injection
      if (injectedAt === null || !isChaosRunFault(fault)) return fault
      const then = Math.max(at, lastApplied(await read(sandbox, fault)))
      return { ...fault, injection: { ...fault.injection, injectedAt: Math.min(injectedAt, then) } }
    }),
  )
}

/**
 * Removes faults that had ended by their duration, or by a removal that nobody lived to verify, and takes the time from
 * what Chaos Mesh has said. Throws ThreadLostError when it does not say that they ended at their time.
 */
export async function removeEnded(
  sandbox: Sandbox,
  faults: readonly RunFault[],
  at: number,
): Promise<Awaited<ReturnType<typeof removeFaults>>> {
  const lasting = faults.find((fault) => !isChaosRunFault(fault))
  if (lasting) throw new ThreadLostError(`fault ${lasting.targets.fault.id} lasted longer than planned`)
  const { faults: removed, problem } = await removeFaults(sandbox, faults)
  if (problem) return { faults: removed, problem }
  const events = await sandbox.cluster.objects.list<EventObject>({
    apiVersion: 'v1',
    kind: 'Event',
    namespace: sandbox.namespace,
  })
  return {
    faults: removed.map((fault) => {
      const recoveredAt = recoveredBy(events, fault)
      if (recoveredAt !== null && recoveredAt >= at - ROUNDING_MS && recoveredAt <= at + RECOVERY_MS + ROUNDING_MS) {
        return { ...fault, injection: { ...fault.injection, recoveredAt: Math.max(at, recoveredAt) } }
      }
      throw new ThreadLostError(`nobody knows when fault ${fault.targets.fault.id} ended`)
    }),
    problem: null,
  }
}

const read = ({ cluster }: Sandbox, { targets, place }: ChaosRunFault): Promise<ChaosObject | null> =>
  cluster.objects.get<ChaosObject>(chaosRef(targets.fault.kind, place))

/** When Chaos Mesh had touched the last target; -Infinity where it does not say. */
function lastApplied(chaos: ChaosObject | null): number {
  const events = (chaos?.status?.experiment?.containerRecords ?? []).flatMap((record) => record.events ?? [])
  const applied = events.filter(({ operation, type }) => operation === 'Apply' && type === 'Succeeded')
  const times = applied.map(({ timestamp }) => Date.parse(timestamp ?? '')).filter((time) => !Number.isNaN(time))
  return Math.max(-Infinity, ...times)
}

/** Until when, at the latest, a fault was in force by what is said of each of its targets; null where that is not said. */
function recoveredBy(events: readonly EventObject[], { place, injection }: RunFault): number | null {
  const own = events.filter((e) => e.reason === 'Recovered' && e.involvedObject.name === place.name)
  const times = injection.targets.map((pod) => {
    const said = own.filter(({ message }) => podOfRecord({ id: message?.split(' ').at(-1) ?? '' }) === pod)
    return Math.max(-Infinity, ...said.map((e) => Date.parse(e.lastTimestamp ?? e.eventTime ?? '')))
  })
  const last = Math.max(-Infinity, ...times)
  return times.length > 0 && times.every(Number.isFinite) ? last + ROUNDING_MS : null
}
