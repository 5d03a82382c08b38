/** What somebody wants to do: to an object or a collection, or (`url`) to a path that is neither. */
export interface Attempt {
  readonly verb: string
  readonly group?: string
  readonly resource?: string
  readonly subresource?: string
  /** Of a namespace, or of all and of what is in none. */
  readonly namespace?: string
  readonly name?: string
  readonly url?: string
}

const VERBS: Readonly<Record<string, string>> = { POST: 'create', PUT: 'update', PATCH: 'patch' }
/** Parts of a namespace itself; anything else below it is what it holds. */
const OF_NAMESPACES = new Set(['status', 'finalize'])

interface Asked {
  readonly method: string
  readonly path: string
  readonly watches: boolean
}

/** What a request to an API server is an attempt at. */
export function attemptOf({ method, path, watches }: Asked): Attempt {
  const [root, ...parts] = path.split('/').filter(Boolean).map(decoded)
  const [group, rest] = root === 'apis' ? [parts[0], parts.slice(2)] : ['', parts.slice(1)]
  if ((root !== 'api' && root !== 'apis') || rest.length === 0) return { verb: method.toLowerCase(), url: path }
  const place = placeIn(rest)
  return { verb: VERBS[method] ?? verbOf({ method, watches }, place.name !== undefined), group, ...place }
}

function placeIn(rest: readonly string[]): Pick<Attempt, 'resource' | 'name' | 'subresource' | 'namespace'> {
  const [first, namespace, third] = rest
  if (first !== 'namespaces') return { resource: first, name: namespace, subresource: third }
  const isInside = third !== undefined && !OF_NAMESPACES.has(third)
  const [resource, name, subresource] = isInside ? rest.slice(2) : rest
  return { resource, name, subresource, namespace }
}

function verbOf({ method, watches }: Pick<Asked, 'method' | 'watches'>, isNamed: boolean): string {
  if (method === 'DELETE') return isNamed ? 'delete' : 'deletecollection'
  if (watches) return 'watch'
  return isNamed ? 'get' : 'list'
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}

/** `pods`, `pods/log`. */
export const resourceOf = ({ resource = '', subresource }: Attempt): string =>
  subresource ? `${resource}/${subresource}` : resource
