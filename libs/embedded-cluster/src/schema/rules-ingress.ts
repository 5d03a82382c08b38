import type { StatusCause } from '../store/api-error.js'
import type { K8sObject } from '../store/object.js'
import { invalidValue, required } from './causes.js'

interface Path {
  path?: string
  pathType?: string
}
interface IngressSpec {
  defaultBackend?: unknown
  rules?: { http?: { paths?: Path[] } }[]
}

/** What an API server refuses in an Ingress, of what is no shape. */
export function ingressCauses(object: K8sObject): StatusCause[] {
  const { rules = [], defaultBackend } = (object.spec ?? {}) as IngressSpec
  if (rules.length === 0 && !defaultBackend)
    return [required('spec.rules', 'either `defaultBackend` or `rules` must be specified')]
  return rules.flatMap(({ http }, rule) =>
    (http?.paths ?? []).flatMap(({ path = '', pathType }, index) => {
      if (pathType === 'ImplementationSpecific' || path.startsWith('/')) return []
      return [invalidValue(`spec.rules[${rule}].http.paths[${index}].path`, path, 'must be an absolute path')]
    }),
  )
}
