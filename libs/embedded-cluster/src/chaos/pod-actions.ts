import { deletePod } from '../controllers/delete-pod.js'
import { type Pod } from '../controllers/objects.js'
import { PAUSE_IMAGE } from '../images/pause.js'
import { type ChaosAction, type ChaosContext, InjectionError, podOf, requirePod } from './action.js'
import { type Chaos, type ChaosRecord, type Phase } from './status.js'

/** The actions of PodChaos. */
export class PodAction implements ChaosAction {
  private readonly actions: Readonly<Record<string, ChaosAction>>

  constructor(context: ChaosContext) {
    const kills = { 'pod-kill': new PodKill(context), 'container-kill': new ContainerKill(context) }
    this.actions = { ...kills, 'pod-failure': new PodFailure(context) }
  }

  apply(chaos: Chaos, record: ChaosRecord): Phase {
    return this.of(chaos).apply(chaos, record)
  }

  recover(chaos: Chaos, record: ChaosRecord): Phase {
    return this.of(chaos).recover(chaos, record)
  }

  private of({ spec }: Chaos): ChaosAction {
    const action = this.actions[spec.action ?? '']
    if (!action) throw new Error(`no action ${spec.action ?? ''} of PodChaos`)
    return action
  }
}

class PodKill implements ChaosAction {
  constructor(private readonly context: ChaosContext) {}

  apply(chaos: Chaos, record: ChaosRecord): Phase {
    deletePod(this.context.cluster, requirePod(this.context, record), chaos.spec.gracePeriod ?? 0)
    return 'Injected'
  }

  recover(): Phase {
    return 'Not Injected'
  }
}

class ContainerKill implements ChaosAction {
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
class PodFailure implements ChaosAction {
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
  const key = `chaos-mesh-${metadata.name}-${spec.action ?? ''}-${container}-normal-image`
  return key.length > 63 ? `${container}-normal` : key
}
