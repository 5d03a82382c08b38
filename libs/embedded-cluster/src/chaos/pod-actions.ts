import { deletePod } from '../controllers/delete-pod.js'
import { type Pod } from '../controllers/objects.js'
import { PAUSE_IMAGE } from '../images/pause.js'
import { type ChaosAction, type ChaosContext, InjectionError, podOf, requirePod } from './action.js'
import { type Chaos, type ChaosRecord, type Phase } from './status.js'

export class PodKill implements ChaosAction {
  constructor(private readonly context: ChaosContext) {}

  apply(chaos: Chaos, record: ChaosRecord): Phase {
    deletePod(this.context.cluster, requirePod(this.context, record), chaos.spec.gracePeriod ?? 0)
    return 'Injected'
  }

  recover(): Phase {
    return 'Not Injected'
  }
}

export class ContainerKill implements ChaosAction {
  constructor(private readonly context: ChaosContext) {}

  apply(_: Chaos, record: ChaosRecord): Phase {
    const pod = requirePod(this.context, record)
    const name = record.id.split('/')[2] ?? ''
    if (!this.context.kubelets.workerOf(pod)?.killContainer(name))
      throw new InjectionError(`container ${name} is not running`)
    return 'Injected'
  }

  recover(): Phase {
    return 'Not Injected'
  }
}

/** Every container gets an image that does nothing; annotations keep the real ones. */
export class PodFailure implements ChaosAction {
  constructor(private readonly context: ChaosContext) {}

  apply(chaos: Chaos, record: ChaosRecord): Phase {
    const pod = requirePod(this.context, record)
    const annotations: Record<string, string> = { ...pod.metadata.annotations }
    const containers = pod.spec.containers.map((container) => {
      const key = imageKey(chaos, container.name)
      if (annotations[key] !== undefined) return container
      annotations[key] = container.image
      return { ...container, image: PAUSE_IMAGE }
    })
    write(this.context, pod, annotations, containers)
    return 'Injected'
  }

  recover(chaos: Chaos, record: ChaosRecord): Phase {
    const pod = podOf(this.context, record)
    if (!pod) return 'Not Injected'
    const annotations = { ...pod.metadata.annotations }
    const containers = pod.spec.containers.map((container) => {
      const key = imageKey(chaos, container.name)
      const image = annotations[key]
      delete annotations[key]
      return image === undefined ? container : { ...container, image }
    })
    write(this.context, pod, annotations, containers)
    return 'Not Injected'
  }
}

function write({ cluster }: ChaosContext, pod: Pod, annotations: Record<string, string>, containers: unknown): void {
  const metadata = { ...pod.metadata, annotations }
  cluster.store.update('pods', { ...pod, metadata, spec: { ...pod.spec, containers } })
}

function imageKey({ metadata, spec }: Chaos, container: string): string {
  const key = `chaos-mesh-${metadata.name}-${spec.action}-${container}-normal-image`
  return key.length > 63 ? `${container}-normal` : key
}
