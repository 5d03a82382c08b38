import { containersOf, formatPointer, type JsonMap, mapAt, numberAt, podSpecPath } from '@ordeal/kubernetes'
import { type Change } from '@ordeal/shared'
import { type Rule, type Situation } from './candidate.js'

/** What a probe does that says nothing about it (Kubernetes' own defaults). */
const DEFAULTS = { periodSeconds: 10, failureThreshold: 3 }
/** A restart should be the answer to a process that hangs, not to one that is slow for so long. */
const MARGIN_SECONDS = 5

/** How long the fault keeps the pods from answering, in seconds; 0 for one that kills them. */
const troubleSeconds = ({ faults }: Situation): number =>
  Math.max(0, ...faults.filter((f) => f.kind !== 'PodChaos').map((f) => f.durationMs / 1000))

function probeEdits(situation: Situation, probe: JsonMap, path: readonly (string | number)[]): Change[] {
  const periodSeconds = numberAt(probe, 'periodSeconds') ?? DEFAULTS.periodSeconds
  const failureThreshold = numberAt(probe, 'failureThreshold') ?? DEFAULTS.failureThreshold
  const enough = troubleSeconds(situation) + MARGIN_SECONDS
  if (periodSeconds * failureThreshold >= enough) return []
  const period = Math.max(periodSeconds, DEFAULTS.periodSeconds)
  const threshold = Math.max(failureThreshold, DEFAULTS.failureThreshold, Math.ceil(enough / period))
  const edit = (field: string, after: number): Change => ({
    kind: 'edit',
    object: situation.workload.id,
    path: formatPointer([...path, field]),
    before: probe[field],
    after,
    file: null,
    reason: `A liveness probe that gives up within ${periodSeconds * failureThreshold} s restarts pods that are only slow, and the restarts outlast the slowness.`,
    fixes: [...situation.failed],
  })
  return [
    ...(period === periodSeconds ? [] : [edit('periodSeconds', period)]),
    ...(threshold === failureThreshold ? [] : [edit('failureThreshold', threshold)]),
  ]
}

/** Let liveness probes wait out what passes by itself. */
export const calmLiveness: Rule = (situation) => {
  const { object, workload } = situation
  if (troubleSeconds(situation) === 0) return null
  const changes = containersOf(object).flatMap((container, index) => {
    if (container.livenessProbe === undefined) return []
    const path = [...podSpecPath(object), 'containers', index, 'livenessProbe']
    return probeEdits(situation, mapAt(container, 'livenessProbe'), path)
  })
  return changes.length > 0 ? { idea: `let the liveness probe of ${workload.id} wait longer`, changes } : null
}
