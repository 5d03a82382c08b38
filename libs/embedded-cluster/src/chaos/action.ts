import { type Cluster } from '../controllers/cluster.js'
import { type Pod } from '../controllers/objects.js'
import { type Kubelets } from '../kubelet/kubelets.js'
import { type Network } from '../traffic/network.js'
import { type Chaos, type ChaosRecord, type Phase } from './status.js'

export interface ChaosContext {
  readonly cluster: Cluster
  readonly network: Network
  readonly kubelets: Kubelets
}

/** Thrown when a fault cannot be put on, or taken off, a target; it is tried again. */
export class InjectionError extends Error {}

/** How one kind of fault is put on a target and taken off it. Both return the record's next phase. */
export interface ChaosAction {
  apply(chaos: Chaos, record: ChaosRecord): Phase
  recover(chaos: Chaos, record: ChaosRecord): Phase
}

export function podOf({ cluster }: ChaosContext, { id }: ChaosRecord): Pod | undefined {
  const [namespace = '', name = ''] = id.split('/')
  return cluster.store.get<Pod>('pods', namespace, name)
}

/** The record's pod. Throws InjectionError when it is gone. */
export function requirePod(context: ChaosContext, record: ChaosRecord): Pod {
  const pod = podOf(context, record)
  if (!pod) throw new InjectionError(`Pod "${record.id.split('/')[1] ?? ''}" not found`)
  return pod
}

/** The name under which a fault's effects are put on a target and taken off it. */
export const sourceOf = ({ kind, metadata }: Chaos): string => `${kind}/${metadata.namespace ?? ''}/${metadata.name}`
