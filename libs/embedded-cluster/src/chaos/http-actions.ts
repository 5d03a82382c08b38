import { parseGoDuration } from '../images/go-duration.js'
import { type HttpRule } from '../traffic/http-rules.js'
import { type ChaosAction, type ChaosContext, podOf, requirePod, sourceOf } from './action.js'
import { type Chaos, type ChaosRecord, type HttpChaosSpec, httpSpecOf, type Phase } from './status.js'

/** HTTPChaos: a proxy in the pod, through which the requests to one of its ports go. */
export class HttpAction implements ChaosAction {
  constructor(private readonly context: ChaosContext) {}

  apply(chaos: Chaos, record: ChaosRecord): Phase {
    if (record.phase !== 'Not Injected/Wait') {
      requirePod(this.context, record)
      return 'Not Injected/Wait'
    }
    const pod = podOf(this.context, record)
    const peer = pod && this.context.kubelets.workerOf(pod)?.peer
    if (!peer) return 'Not Injected'
    peer.httpRules = [...peer.httpRules, ruleOf(chaos)]
    return 'Injected'
  }

  recover(chaos: Chaos, record: ChaosRecord): Phase {
    const pod = podOf(this.context, record)
    if (!pod) return 'Not Injected'
    if (record.phase !== 'Injected/Wait') return 'Injected/Wait'
    const peer = this.context.kubelets.workerOf(pod)?.peer
    if (peer) peer.httpRules = peer.httpRules.filter(({ source }) => source !== sourceOf(chaos))
    return 'Not Injected'
  }
}

function ruleOf(chaos: Chaos): HttpRule {
  const { delay, replace, ...given } = httpSpecOf(chaos)
  const { path = null, method = null, code = null, target, port } = given
  return {
    source: sourceOf(chaos),
    target,
    port,
    path,
    method,
    code,
    abort: given.abort === true,
    delayMs: parseGoDuration(delay ?? '0') ?? 0,
    ...replacementOf(replace),
  }
}

function replacementOf(replace: HttpChaosSpec['replace']): Pick<HttpRule, 'replacePath' | 'replaceCode'> {
  return { replacePath: replace?.path ?? null, replaceCode: replace?.code ?? null }
}
