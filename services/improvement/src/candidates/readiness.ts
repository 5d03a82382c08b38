import { containersOf, formatPointer, type JsonMap, mapAt, mapsAt, numberAt, podSpecPath } from '@ordeal/kubernetes'
import { standsAlone, type Change } from '@ordeal/shared'
import { type Candidate, type Rule, type Situation } from './candidate.js'

/** How often a new readiness probe asks: at most this long between ready and known to be ready. */
const PERIOD_SECONDS = 2

/**
 * A probe that asks what the manifest already knows how to ask (its start-up or liveness probe), else whether the
 * declared port takes connections: the weakest question that still tells a listening container from one that starts.
 */
export function readinessFor(container: JsonMap): JsonMap | null {
  const handlers = ['httpGet', 'tcpSocket', 'grpc', 'exec'] as const
  for (const probe of ['startupProbe', 'livenessProbe']) {
    const known = mapAt(container, probe)
    const handler = handlers.find((h) => known[h] !== undefined)
    if (handler) return { [handler]: known[handler] ?? {}, periodSeconds: PERIOD_SECONDS }
  }
  const port = numberAt(mapsAt(container, 'ports')[0], 'containerPort')
  return port === null ? null : { tcpSocket: { port }, periodSeconds: PERIOD_SECONDS }
}

/** The changes that give every serving container without a readiness probe one. */
export function readinessChanges({ workload, object, failed }: Situation): Change[] {
  return containersOf(object).flatMap((container, index) => {
    const probe = container.readinessProbe === undefined ? readinessFor(container) : null
    if (!probe) return []
    return [
      {
        kind: 'edit' as const,
        object: workload.id,
        path: formatPointer([...podSpecPath(object), 'containers', index, 'readinessProbe']),
        before: undefined,
        after: probe,
        file: null,
        reason: 'A new pod gets traffic only once it answers; without a readiness probe it gets it as soon as it runs.',
        fixes: [...failed],
      },
    ]
  })
}

/** Tell when a pod is ready, where another can answer meanwhile: with a single pod that alone mends nothing. */
export const addReadiness: Rule = (situation): Candidate | null => {
  if (!situation.workload.managed || standsAlone(situation.workload)) return null
  const changes = readinessChanges(situation)
  return changes.length > 0 ? { idea: `give ${situation.workload.id} a readiness probe`, changes } : null
}
