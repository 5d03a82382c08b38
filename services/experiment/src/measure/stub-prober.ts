import { type ClusterObject } from '@ordeal/kubernetes'
import { type SteadyStateDraft } from '@ordeal/shared'
import { probesOf } from '../prober/probes.js'
import { retireProber, startProber, type RunningProber } from '../prober/prober-pod.js'
import { isOwn, type Sandbox } from '../sandbox/open-sandbox.js'

export const STUB_WORDS = 'the prober was pointed at a stub that does not work'

const STUB = 'ordeal-stub'
const NOBODY = { 'ordeal.dev/stub': 'nobody' }

/** Starts a prober that asks a Service without a pod, and counts pods that are not there, as if they were the targets. */
export async function startStubProber(sandbox: Sandbox, states: readonly SteadyStateDraft[]): Promise<RunningProber> {
  const { cluster, proberNamespace, labels } = sandbox
  await cluster.objects.adopt(stubService(sandbox, states), isOwn(labels))
  await retireProber(sandbox, 'prober-stub')
  const http = states.flatMap(({ id, probe }) =>
    probe.kind === 'k8s' ? [] : [{ id, probe: { ...probe, service: STUB, through: undefined } }],
  )
  const pods = states.flatMap(({ id, probe }) =>
    probe.kind === 'k8s' ? [{ id, probe: { ...probe, selector: NOBODY } }] : [],
  )
  const probes = [
    ...(await probesOf({ ...sandbox, namespace: proberNamespace }, http)),
    ...(await probesOf(sandbox, pods)),
  ]
  return startProber(sandbox, 'prober-stub', { probes })
}

function stubService({ proberNamespace, labels }: Sandbox, states: readonly SteadyStateDraft[]): ClusterObject {
  const asked = states.flatMap(({ probe }) => (probe.kind === 'k8s' ? [] : [probe.port]))
  const ports = [...new Set([...asked, 80])].map((port) => ({ name: `p${port}`, port }))
  return {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name: STUB, namespace: proberNamespace, labels },
    spec: { selector: NOBODY, ports },
  }
}
