import { deletePod } from '../controllers/delete-pod.js'
import { type Pod } from '../controllers/objects.js'
import { PAUSE_IMAGE } from '../images/pause.js'
import { type ChaosAction, type ChaosContext, InjectionError, podOf, requirePod } from './action.js'
import { type Chaos } from './status.js'

/** The actions of PodChaos. */
export function podActions(context: ChaosContext): Record<'pod-kill' | 'pod-failure' | 'container-kill', ChaosAction> {
  return { 'pod-kill': podKill(context), 'pod-failure': podFailure(context), 'container-kill': containerKill(context) }
}

const podKill = (context: ChaosContext): ChaosAction => ({
  apply: (chaos, record) => {
    deletePod(context.cluster, requirePod(context, record), chaos.spec.gracePeriod ?? 0)
    return 'Injected'
  },
  recover: () => 'Not Injected',
})

const containerKill = (context: ChaosContext): ChaosAction => ({
  apply: (_, record) => {
    const pod = requirePod(context, record)
    const name = record.id.split('/')[2] ?? ''
    if (!context.workerOf(pod)?.killContainer(name)) throw new InjectionError(`container ${name} is not running`)
    return 'Injected'
  },
  recover: () => 'Not Injected',
})

/** Every container gets an image that does nothing; annotations keep the real ones. */
const podFailure = (context: ChaosContext): ChaosAction => ({
  apply: (chaos, record) => {
    const pod = requirePod(context, record)
    const annotations: Record<string, string> = { ...pod.metadata.annotations }
    const containers = pod.spec.containers.map((container) => {
      const key = imageKey(chaos, container.name)
      if (annotations[key] !== undefined) return container
      annotations[key] = container.image
      return { ...container, image: PAUSE_IMAGE }
    })
    write(context, pod, annotations, containers)
    return 'Injected'
  },
  recover: (chaos, record) => {
    const pod = podOf(context, record)
    if (!pod) return 'Not Injected'
    const annotations = { ...pod.metadata.annotations }
    const containers = pod.spec.containers.map((container) => {
      const key = imageKey(chaos, container.name)
      const image = annotations[key]
      delete annotations[key]
      return image === undefined ? container : { ...container, image }
    })
    write(context, pod, annotations, containers)
    return 'Not Injected'
  },
})

function write({ cluster }: ChaosContext, pod: Pod, annotations: Record<string, string>, containers: unknown): void {
  const metadata = { ...pod.metadata, annotations }
  cluster.store.update('pods', { ...pod, metadata, spec: { ...pod.spec, containers } })
}

function imageKey({ metadata, spec }: Chaos, container: string): string {
  const key = `chaos-mesh-${metadata.name}-${spec.action}-${container}-normal-image`
  return key.length > 63 ? `${container}-normal` : key
}
