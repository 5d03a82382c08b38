import type { PolicyRule } from '../access/rules.js'
import type { StatusCause } from '../store/api-error.js'
import type { K8sObject, StoredObject } from '../store/object.js'
import { immutable, invalidValue, required, unsupported } from './causes.js'

const RBAC = 'rbac.authorization.k8s.io'

/** What an API server refuses in a Role. */
export const roleCauses = (object: K8sObject): StatusCause[] => ruleCauses(object, true)

/** What an API server refuses in a ClusterRole. */
export const clusterRoleCauses = (object: K8sObject): StatusCause[] => ruleCauses(object, false)

function ruleCauses(object: K8sObject, isNamespaced: boolean): StatusCause[] {
  const { rules = [] } = object as K8sObject & { rules?: readonly PolicyRule[] }
  return rules.flatMap((rule, index) => {
    const at = `rules[${index}]`
    const verbs = rule.verbs.length === 0 ? [required(`${at}.verbs`, 'verbs must contain at least one value')] : []
    return [...verbs, ...(rule.nonResourceURLs?.length ? urlCauses(rule, at, isNamespaced) : resourceCauses(rule, at))]
  })
}

function urlCauses({ nonResourceURLs, ...rule }: PolicyRule, at: string, isNamespaced: boolean): StatusCause[] {
  const mixed = rule.apiGroups?.length || rule.resources?.length || rule.resourceNames?.length
  const wrong = (why: string): StatusCause => invalidValue(`${at}.nonResourceURLs`, nonResourceURLs, why)
  return [
    ...(isNamespaced ? [wrong('namespaced rules cannot apply to non-resource URLs')] : []),
    ...(mixed ? [wrong('rules cannot apply to both regular resources and non-resource URLs')] : []),
  ]
}

function resourceCauses({ apiGroups, resources }: PolicyRule, at: string): StatusCause[] {
  return [
    ...(apiGroups?.length ? [] : [required(`${at}.apiGroups`, 'resource rules must supply at least one api group')]),
    ...(resources?.length ? [] : [required(`${at}.resources`, 'resource rules must supply at least one resource')]),
  ]
}

interface Binding {
  readonly roleRef: { readonly apiGroup?: string; readonly kind: string; readonly name: string }
  readonly subjects?: readonly { readonly kind: string; readonly name?: string; readonly namespace?: string }[]
}

/** What an API server refuses in a RoleBinding, or (in no namespace) in a ClusterRoleBinding. */
export function bindingCauses(object: K8sObject, old?: StoredObject): StatusCause[] {
  const { roleRef, subjects = [] } = object as K8sObject & Binding
  const isNamespaced = object.kind === 'RoleBinding'
  const kinds = isNamespaced ? ['Role', 'ClusterRole'] : ['ClusterRole']
  return [
    ...(roleRef.apiGroup === RBAC ? [] : [unsupported('roleRef.apiGroup', roleRef.apiGroup ?? '', [RBAC])]),
    ...(kinds.includes(roleRef.kind) ? [] : [unsupported('roleRef.kind', roleRef.kind, kinds)]),
    ...(roleRef.name ? [] : [required('roleRef.name')]),
    ...(old ? immutable('roleRef', roleRef, (old as StoredObject & Binding).roleRef) : []),
    ...subjects.flatMap(({ kind, name, namespace }, index) => {
      const at = `subjects[${index}]`
      const lacksNamespace = kind === 'ServiceAccount' && !namespace && !isNamespaced
      return [
        ...(name ? [] : [required(`${at}.name`)]),
        ...(SUBJECTS.includes(kind) ? [] : [unsupported(`${at}.kind`, kind, SUBJECTS)]),
        ...(lacksNamespace ? [required(`${at}.namespace`)] : []),
      ]
    }),
  ]
}

const SUBJECTS = ['ServiceAccount', 'User', 'Group']
