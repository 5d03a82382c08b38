import { type IncomingHttpHeaders } from 'node:http'
import { badRequest } from '../store/api-error.js'

/** Who asks, as authorization sees it. */
export interface Identity {
  readonly user: string
  readonly groups: readonly string[]
}

export const MASTERS = 'system:masters'
export const AUTHENTICATED = 'system:authenticated'
const ANONYMOUS = 'system:anonymous'
const SERVICE_ACCOUNT = /^system:serviceaccount:([^:]+):([^:]+)$/

/** Whoever does not ask for somebody else: the embedded cluster looks at no credentials. */
export const ADMIN: Identity = { user: 'admin', groups: [MASTERS, AUTHENTICATED] }

/**
 * Who sends a request: the administrator, or whom he impersonates (`kubectl --as`, `--as-group`) with the groups that an
 * API server gives them. Throws ApiError 400 for groups of nobody.
 */
export function identityOf(headers: IncomingHttpHeaders): Identity {
  const user = first(headers['impersonate-user'])
  const groups = [headers['impersonate-group'] ?? []].flat().flatMap((text) => text.split(/,\s*/))
  if (user !== undefined) return { user, groups: withOwnGroups(user, groups) }
  if (groups.length > 0) throw badRequest('Impersonate-Group needs Impersonate-User')
  return ADMIN
}

const first = (value: string | string[] | undefined): string | undefined => [value].flat()[0]

function withOwnGroups(user: string, given: readonly string[]): string[] {
  const [, namespace] = SERVICE_ACCOUNT.exec(user) ?? []
  const ofAccounts = namespace && given.length === 0 ? accountGroups(namespace) : []
  const known = user === ANONYMOUS ? 'system:unauthenticated' : AUTHENTICATED
  return [...new Set([...given, ...ofAccounts, known])]
}

const accountGroups = (namespace: string): string[] => ['system:serviceaccounts', `system:serviceaccounts:${namespace}`]

/** The user name of a service account. */
export const accountName = (namespace: string, name: string): string => `system:serviceaccount:${namespace}:${name}`
