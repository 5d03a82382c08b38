import { RefusedError, type ClusterObject, type FunctionalScene } from '@ordeal/kubernetes'
import { PROBER_ENV, type ProberConfig } from '@ordeal/prober'
import { allowReading, type ProberRights } from '../prober/access.js'
import { type FunctionalRunFault } from '../run/fault.js'
import { type Sandbox } from '../sandbox/open-sandbox.js'
import { isLive, listPods } from '../sandbox/owners.js'

const APPS = ['Deployment', 'StatefulSet', 'DaemonSet', 'ReplicaSet']
/** Nobody waits longer for an answer that only presses the target. */
const LOAD_TIMEOUT_MS = 2000

/** What a functional fault finds in the sandbox now. Throws RefusedError when its component is not there. */
export async function findScene(sandbox: Sandbox, { targets, place }: FunctionalRunFault): Promise<FunctionalScene> {
  const { cluster, namespace } = sandbox
  const [workload, services, all, rights] = await Promise.all([
    findWorkload(sandbox, targets.fault.target.component),
    cluster.objects.list({ apiVersion: 'v1', kind: 'Service', namespace }),
    listPods(sandbox),
    allowReading(sandbox),
  ])
  const meant = new Set(targets.pods.map(({ metadata }) => metadata.uid))
  const live = all.filter(isLive)
  return {
    workload,
    services: services.map((service) => ({ ...service, apiVersion: 'v1', kind: 'Service' })),
    pods: live.filter(({ metadata }) => meant.has(metadata.uid)),
    podCount: live.length,
    name: place.name,
    namespace: place.namespace,
    labels: place.labels,
    loadPod: (url, ratePerSecond) => loadPod(sandbox, place.name, { load: { url, ratePerSecond }, rights }),
  }
}

async function findWorkload({ cluster, namespace }: Sandbox, component: string): Promise<ClusterObject> {
  const [kind = '', name = ''] = component.split('/')
  const apiVersion = APPS.includes(kind) ? 'apps/v1' : 'v1'
  const found = await cluster.objects.get({ apiVersion, kind, metadata: { name, namespace } })
  if (found) return { ...found, apiVersion, kind }
  throw new RefusedError(404, 'NotFound', `there is no ${component}`)
}

/** A prober that nobody listens to, as modest as one: it keeps its rate whatever comes back. */
function loadPod(
  { proberNamespace, proberImage, labels }: Sandbox,
  name: string,
  { load, rights }: { load: { url: string; ratePerSecond: number }; rights: ProberRights },
): ClusterObject {
  const config: ProberConfig = { probes: [{ id: 'load', kind: 'http', timeoutMs: LOAD_TIMEOUT_MS, ...load }] }
  const env = [{ name: PROBER_ENV, value: JSON.stringify(config) }]
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, namespace: proberNamespace, labels },
    spec: {
      restartPolicy: 'Never',
      ...rights.pod,
      containers: [{ name: 'load', image: proberImage, env, ...rights.container }],
    },
  }
}
