import { formatPointer, type Json, mapAt, mapsAt, podSpecPath, valueAt } from '@ordeal/kubernetes'
import { type Change } from '@ordeal/shared'
import { type Rule, type Situation } from './candidate.js'
import { replicaChange, scalingRefusal } from './replicas.js'

const HOST = 'kubernetes.io/hostname'
const REQUIRED = 'requiredDuringSchedulingIgnoredDuringExecution'

const matches = (labels: Readonly<Record<string, string>>, term: Json | undefined): boolean => {
  const wanted = Object.entries(mapAt(term, 'labelSelector', 'matchLabels'))
  return wanted.length > 0 && wanted.every(([key, value]) => labels[key] === value)
}

/** Takes away the rule that draws a workload's pods to each other's node. */
function apart({ workload, object, failed }: Situation): Change[] {
  const path = [...podSpecPath(object), 'affinity', 'podAffinity']
  const before = valueAt(object, path)
  const draws = mapsAt(before, REQUIRED).some((term) => term.topologyKey === HOST && matches(workload.podLabels, term))
  if (!draws) return []
  const others = mapsAt(before, REQUIRED).filter(
    (term) => !(term.topologyKey === HOST && matches(workload.podLabels, term)),
  )
  const change = { object: workload.id, file: null, fixes: [...failed] }
  const reason = 'The rule draws all pods onto one node, and they are lost with it.'
  return others.length > 0
    ? [
        {
          ...change,
          kind: 'edit',
          path: formatPointer([...path, REQUIRED]),
          before: valueAt(before, [REQUIRED]),
          after: others,
          reason,
        },
      ]
    : [{ ...change, kind: 'edit', path: formatPointer(path), before, after: undefined, reason }]
}

function spread({ workload, object, failed }: Situation): Change[] {
  const path = [...podSpecPath(object), 'topologySpreadConstraints']
  const known = mapsAt(valueAt(object, path.slice(0, -1)), 'topologySpreadConstraints')
  if (known.some((c) => c.topologyKey === HOST && c.whenUnsatisfiable === 'DoNotSchedule')) return []
  const constraint = {
    maxSkew: 1,
    topologyKey: HOST,
    whenUnsatisfiable: 'DoNotSchedule',
    labelSelector: { matchLabels: workload.selector },
  }
  return [
    {
      kind: 'edit',
      object: workload.id,
      path: formatPointer(path),
      before: known.length > 0 ? known : undefined,
      after: [...known.filter((c) => c.topologyKey !== HOST), constraint],
      file: null,
      reason: 'Pods on several nodes are not lost together.',
      fixes: [...failed],
    },
  ]
}

/** Spread the pods over nodes, where a whole node may go. */
export const spreadOverNodes: Rule = (situation) => {
  const { workload, faults } = situation
  if (!faults.some((f) => f.target.mode === 'node') || !workload.managed) return null
  const idea = `spread the pods of ${workload.id} over nodes`
  const more = workload.replicas < 2
  const refused = more ? scalingRefusal(situation) : null
  if (refused) return { idea, refused }
  const changes = [...apart(situation), ...spread(situation), ...(more ? [replicaChange(situation, 2)] : [])]
  return changes.length > 0 ? { idea, changes } : null
}
