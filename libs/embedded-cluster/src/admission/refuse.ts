import { ApiError } from '../store/api-error.js'
import { type K8sObject } from '../store/object.js'

/** The 403 of an admission step, in the API server's words: `pods "web" is forbidden: …`. */
export function refuse(plural: string, { metadata }: K8sObject, why: string): ApiError {
  const name = metadata.name ?? metadata.generateName ?? ''
  return new ApiError(403, 'Forbidden', `${plural} "${name}" is forbidden: ${why}`, { name, kind: plural })
}
