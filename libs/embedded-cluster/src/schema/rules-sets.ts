import type { StatusCause } from '../store/api-error.js'
import { sameJson, type K8sObject, type StoredObject } from '../store/object.js'
import { check, forbidden, invalidValue, notNegative, required } from './causes.js'
import { labelNameProblem } from './names.js'
import { claimSpecCauses, type ClaimSpec } from './rules-storage.js'
import { commonCauses, selectorChange, shareProblem, type WorkloadSpec } from './rules-workload.js'

interface StatefulSpec extends WorkloadSpec {
  serviceName?: string
  podManagementPolicy?: string
  updateStrategy?: { type?: string; rollingUpdate?: { partition?: number } }
  ordinals?: { start?: number }
  volumeClaimTemplates?: { metadata?: { name?: string }; spec?: ClaimSpec }[]
  persistentVolumeClaimRetentionPolicy?: Record<string, string>
  [field: string]: unknown
}

export function statefulSetCauses(object: K8sObject, old?: StoredObject): StatusCause[] {
  if (object.spec === undefined) return [required('spec.selector'), required('spec.template')]
  const spec = object.spec as StatefulSpec
  const claims = spec.volumeClaimTemplates ?? []
  return [
    ...commonCauses(withClaimVolumes(spec), 'statefulset'),
    ...(spec.serviceName ? check('spec.serviceName', spec.serviceName, labelNameProblem(spec.serviceName)) : []),
    ...policyCauses(spec),
    ...notNegative('spec.revisionHistoryLimit', spec.revisionHistoryLimit),
    ...notNegative('spec.ordinals.start', spec.ordinals?.start),
    ...claims.flatMap(({ spec: claim }, i) => claimSpecCauses(claim, `spec.volumeClaimTemplates[${i}].spec`)),
    ...(old ? statefulChange(spec, old.spec as StatefulSpec) : []),
  ]
}

/** Each claim is a volume of every pod, by its name. */
function withClaimVolumes(spec: StatefulSpec): StatefulSpec {
  const podSpec = spec.template.spec
  if (!podSpec) return spec
  const names = (spec.volumeClaimTemplates ?? []).map(({ metadata }) => metadata?.name ?? '')
  const own = (podSpec.volumes ?? []).filter(({ name }) => !names.includes(name as string))
  const volumes = [...own, ...names.map((name) => ({ name, persistentVolumeClaim: { claimName: name } }))]
  return { ...spec, template: { ...spec.template, spec: { ...podSpec, volumes } } }
}

function policyCauses({ podManagementPolicy: policy, updateStrategy }: StatefulSpec): StatusCause[] {
  const { type, rollingUpdate } = updateStrategy ?? {}
  const policies = ['OrderedReady', 'Parallel']
  const known = policies.includes(policy ?? '')
  const why = "must be 'OrderedReady' or 'Parallel'"
  return [
    ...(known ? [] : [invalidValue('spec.podManagementPolicy', policy, why)]),
    ...(type === 'RollingUpdate' || type === 'OnDelete'
      ? []
      : [invalidValue('spec.updateStrategy', updateStrategy, "must be 'RollingUpdate' or 'OnDelete'")]),
    ...(type === 'OnDelete' && rollingUpdate
      ? [
          invalidValue(
            'spec.updateStrategy.rollingUpdate',
            rollingUpdate,
            "only allowed for updateStrategy 'RollingUpdate'",
          ),
        ]
      : []),
    ...notNegative('spec.updateStrategy.rollingUpdate.partition', rollingUpdate?.partition),
  ]
}

const MUTABLE = [
  ...['replicas', 'ordinals', 'template', 'updateStrategy', 'revisionHistoryLimit'],
  ...['persistentVolumeClaimRetentionPolicy', 'minReadySeconds'],
]

function statefulChange(spec: StatefulSpec, old: StatefulSpec): StatusCause[] {
  const fixed = (one: StatefulSpec) => Object.entries(one).filter(([field]) => !MUTABLE.includes(field))
  if (sameJson(Object.fromEntries(fixed(spec)), Object.fromEntries(fixed(old)))) return []
  const list = MUTABLE.map((field) => `'${field}'`)
  const fields = `${list.slice(0, -1).join(', ')} and ${list.at(-1)}`
  return [forbidden('spec', `updates to statefulset spec for fields other than ${fields} are forbidden`)]
}

interface DaemonSpec extends WorkloadSpec {
  updateStrategy?: { type?: string; rollingUpdate?: { maxUnavailable?: number | string; maxSurge?: number | string } }
}

export function daemonSetCauses(object: K8sObject, old?: StoredObject): StatusCause[] {
  if (object.spec === undefined) return [required('spec.selector'), required('spec.template')]
  const spec = object.spec as DaemonSpec
  const { maxUnavailable, maxSurge } = spec.updateStrategy?.rollingUpdate ?? {}
  const at = 'spec.updateStrategy.rollingUpdate'
  return [
    ...commonCauses(spec, 'daemonset'),
    ...check(`${at}.maxUnavailable`, maxUnavailable, shareProblem(maxUnavailable)),
    ...check(`${at}.maxSurge`, maxSurge, shareProblem(maxSurge)),
    ...surgeCauses(spec, at),
    ...selectorChange(spec, old),
  ]
}

function surgeCauses({ updateStrategy }: DaemonSpec, at: string): StatusCause[] {
  const none = (value: number | string | undefined) => Number.parseInt(String(value ?? 0), 10) === 0
  const { maxUnavailable, maxSurge } = updateStrategy?.rollingUpdate ?? {}
  if (updateStrategy?.type !== 'RollingUpdate') return []
  if (none(maxUnavailable) && none(maxSurge)) {
    return [required(`${at}.maxUnavailable`, 'cannot be 0 when maxSurge is 0')]
  }
  if (none(maxUnavailable) || none(maxSurge)) return []
  return [invalidValue(`${at}.maxSurge`, maxSurge, 'may not be set when maxUnavailable is non-zero')]
}
