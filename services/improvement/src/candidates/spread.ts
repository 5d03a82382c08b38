import { formatPointer, type JsonMap, mapsAt, matchesSelector, podSpecPath, textAt, valueAt } from '@ordeal/kubernetes'
import { standsAlone, type Change } from '@ordeal/shared'
import { apart, unbound } from './bindings.js'
import { type Candidate, type Rule, type Situation } from './candidate.js'
import { replicaChanges, scalingRefusal } from './replicas.js'

const HOST = 'kubernetes.io/hostname'
const ZONES = ['topology.kubernetes.io/zone', 'failure-domain.beta.kubernetes.io/zone']

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

const isPlace = (term: JsonMap): boolean => [HOST, ...ZONES].includes(textAt(term, 'topologyKey') ?? '')

interface Freedom {
  readonly idea: string
  /** Labels of nodes that are taken for a place to which pods may no longer be bound. */
  readonly places: readonly string[]
  /** True for an affinity to other pods that may go. */
  readonly draws: (term: JsonMap, own: Readonly<Record<string, string>>) => boolean
}

function spreadWith(situation: Situation, { idea, places, draws }: Freedom): Candidate | null {
  const { workload, faults } = situation
  if (!faults.some((f) => f.target.mode === 'node') || !workload.managed) return null
  const more = standsAlone(workload)
  const refused = more ? scalingRefusal(situation) : null
  if (refused) return { idea, refused }
  const changes = [
    ...unbound(situation, places),
    ...apart(situation, (term) => draws(term, workload.podLabels)),
    ...spread(situation),
    ...(more ? replicaChanges(situation, 2) : []),
  ]
  return changes.length > 0 ? { idea, changes } : null
}

/** Spread the pods over nodes, where a whole node may go. */
export const spreadOverNodes: Rule = (situation) =>
  spreadWith(situation, {
    idea: `spread the pods of ${situation.workload.id} over nodes`,
    places: [HOST],
    draws: (term, own) => isPlace(term) && matchesSelector(term.labelSelector, own),
  })

/** The same where their zone, or pods of others to which they are drawn, leave them one node only. */
export const spreadAnywhere: Rule = (situation) =>
  spreadWith(situation, {
    idea: `spread the pods of ${situation.workload.id} over nodes of any zone, wherever other pods are`,
    places: [HOST, ...ZONES],
    draws: isPlace,
  })
