import { ApiError } from '../store/api-error.js'
import { type ObjectStore } from '../store/store.js'
import { type Attempt, resourceOf } from './attempt.js'
import { authorize } from './authorize.js'
import { type Identity, MASTERS } from './identity.js'

/** Throws ApiError 403, in an API server's words, for what somebody may not do. */
export function requireAccess(store: ObjectStore, identity: Identity, attempt: Attempt): void {
  if (identity.groups.includes(MASTERS) || authorize(store, identity, attempt).allowed) return
  const who = `User "${identity.user}" cannot ${attempt.verb}`
  throw attempt.url === undefined
    ? refusalOf(attempt, who)
    : new ApiError(403, 'Forbidden', `forbidden: ${who} path "${attempt.url}"`)
}

function refusalOf(attempt: Attempt, who: string): ApiError {
  const { group = '', resource = '', name, namespace } = attempt
  const qualified = group ? `${resource}.${group}` : resource
  const what = name === undefined ? qualified : `${qualified} "${name}"`
  const where = namespace === undefined ? 'at the cluster scope' : `in the namespace "${namespace}"`
  const message = `${what} is forbidden: ${who} resource "${resourceOf(attempt)}" in API group "${group}" ${where}`
  const details = { ...(name === undefined ? {} : { name }), ...(group ? { group } : {}), kind: resource }
  return new ApiError(403, 'Forbidden', message, details)
}
