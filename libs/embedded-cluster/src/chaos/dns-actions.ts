import { type ChaosAction, type ChaosContext, podOf, requirePod, sourceOf } from './action.js'
import { type Chaos, type ChaosRecord, type Phase } from './status.js'

/** DNSChaos: the pod asks a name server that answers wrongly, or not at all. */
export class DnsAction implements ChaosAction {
  constructor(private readonly context: ChaosContext) {}

  apply(chaos: Chaos, record: ChaosRecord): Phase {
    const peer = this.context.kubelets.workerOf(requirePod(this.context, record))?.peer
    if (!peer) return 'Not Injected'
    const source = sourceOf(chaos)
    const { action, patterns = [] } = chaos.spec
    const others = peer.nameRules.filter((rule) => rule.source !== source)
    peer.nameRules = [...others, { source, action: action === 'random' ? 'random' : 'error', patterns }]
    return 'Injected'
  }

  recover(chaos: Chaos, record: ChaosRecord): Phase {
    const pod = podOf(this.context, record)
    const peer = pod && this.context.kubelets.workerOf(pod)?.peer
    if (peer) peer.nameRules = peer.nameRules.filter(({ source }) => source !== sourceOf(chaos))
    return 'Not Injected'
  }
}
