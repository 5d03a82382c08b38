import { type Manifest } from './candidate.js'

const isRecord = (value: unknown): value is Manifest =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** The value at `path`, or undefined where the way there ends. */
export function at(value: unknown, ...path: readonly (string | number)[]): unknown {
  return path.reduce<unknown>((v, key) => {
    if (Array.isArray(v)) return typeof key === 'number' ? v[key] : undefined
    return isRecord(v) ? v[key] : undefined
  }, value)
}

/** Where an object keeps the spec of its pods: the object itself for a Pod, its template otherwise. */
const podSpecPath = (object: Manifest): readonly string[] =>
  object['kind'] === 'Pod' ? ['spec'] : ['spec', 'template', 'spec']

/** The containers of an object's pods. */
export function containersOf(object: Manifest): readonly Manifest[] {
  const containers = at(object, ...podSpecPath(object), 'containers')
  return Array.isArray(containers) ? containers.filter(isRecord) : []
}

/** JSON pointer to a field of the n-th container of an object's pods. */
export const containerPointer = (object: Manifest, index: number, field: string): string =>
  `/${[...podSpecPath(object), 'containers', String(index), field].join('/')}`

/** The first port that a container says it listens on, or undefined. */
export function firstPort(container: Manifest): number | undefined {
  const port = at(container, 'ports', 0, 'containerPort')
  return typeof port === 'number' ? port : undefined
}
