import { isSystemNamespace } from '@ordeal/kubernetes'
import { type Run } from '@ordeal/shared'
import { type Targets } from './targets.js'

export type Problem = NonNullable<Run['problem']>

type Guard = (targets: Targets, namespace: string) => Problem | null

const isSystem: Guard = ({ fault }, namespace) =>
  isSystemNamespace(namespace)
    ? { reason: 'refused', message: `fault ${fault.id} is refused: ${namespace} is a system namespace` }
    : null

const isEmptySelector: Guard = ({ fault }) =>
  Object.keys(fault.target.selector).length === 0
    ? { reason: 'refused', message: `fault ${fault.id} is refused: its rule selects every pod of the namespace` }
    : null

const hasNoTargets: Guard = ({ fault, pods }) =>
  pods.length === 0
    ? { reason: 'no-targets', message: `fault ${fault.id} has no target: no running pod of ${fault.target.component}` }
    : null

const isTooWide: Guard = ({ fault, components }) =>
  components.length > 1
    ? {
        reason: 'refused',
        message: `fault ${fault.id} is refused: it is meant for ${fault.target.component}, but would hit ${components.join(', ')}`,
      }
    : null

const sharesHostNetwork: Guard = ({ fault, pods }) =>
  fault.kind === 'NetworkChaos' && pods.some((p) => p.spec.hostNetwork)
    ? {
        reason: 'refused',
        message: `fault ${fault.id} is refused: pods of ${fault.target.component} use their node's network, which others share`,
      }
    : null

const GUARDS: readonly Guard[] = [isSystem, isEmptySelector, hasNoTargets, isTooWide, sharesHostNetwork]

/** The first reason not to inject any of the faults; null when there is none. */
export function refuse(targets: readonly Targets[], namespace: string): Problem | null {
  for (const target of targets) {
    for (const guard of GUARDS) {
      const reason = guard(target, namespace)
      if (reason) return reason
    }
  }
  return null
}
