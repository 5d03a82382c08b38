import { type JsonMap, type KubernetesObject, mapAt, mapsAt } from '@ordeal/kubernetes'
import { type Change } from '@ordeal/shared'
import { type Candidate, type Rule, type Situation } from './candidate.js'
import { readinessFor } from './readiness.js'

/** Fields of a Pod's spec that a pod template may not carry over: the controller decides on them. */
const OWN_TO_A_POD = new Set(['restartPolicy', 'nodeName', 'hostname'])

function containersWithReadiness(spec: JsonMap): JsonMap {
  const withProbe = mapsAt(spec, 'containers').map((container) => {
    const probe = container.readinessProbe === undefined ? readinessFor(container) : null
    return probe ? { ...container, readinessProbe: probe } : container
  })
  return { ...spec, containers: withProbe }
}

/** The Deployment that takes a Pod's place: same labels, same containers, brought back when lost. */
function deploymentFor({ workload, object }: Situation, replicas: number, readiness: boolean): KubernetesObject {
  const own = Object.entries(mapAt(object, 'spec')).filter(([field]) => !OWN_TO_A_POD.has(field))
  const spec = Object.fromEntries(own)
  const template = { metadata: { labels: workload.podLabels }, spec: readiness ? containersWithReadiness(spec) : spec }
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: object.metadata,
    spec: { replicas, selector: { matchLabels: workload.selector }, template },
  }
}

function replacement(situation: Situation, replicas: number, readiness: boolean): Change {
  return {
    kind: 'replace',
    object: situation.workload.id,
    path: '',
    before: situation.object,
    after: deploymentFor(situation, replicas, readiness),
    file: null,
    reason: `Nothing brings a bare Pod back. A Deployment of ${replicas} replaces a lost pod while the other answers.`,
    fixes: [...situation.failed],
  }
}

function candidate(situation: Situation, readiness: boolean): Candidate | null {
  const { workload } = situation
  if (workload.managed || !workload.id.startsWith('Pod/')) return null
  const idea = `replace the bare ${workload.id} by a Deployment of two${readiness ? ' with a readiness probe' : ''}`
  if (workload.stateful) return { idea, refused: 'the pod keeps data of its own; a second one would not share them' }
  if (Object.keys(workload.selector).length === 0) {
    return { idea, refused: 'the pod has no labels, which a Deployment needs to know its pods by' }
  }
  return { idea, changes: [replacement(situation, 2, readiness)] }
}

/** A Deployment in the place of a bare Pod. */
export const replaceBarePod: Rule = (situation) => candidate(situation, false)

/** The same, whose pods get traffic only once they answer. */
export const replaceBarePodWithReadiness: Rule = (situation) => candidate(situation, true)
