import { type ClusterObject } from '@ordeal/kubernetes'

/** Objects whose host names lead into the sandbox, and what was taken for granted on the way, in sentences. */
export interface Mapped {
  readonly objects: ClusterObject[]
  readonly assumptions: readonly string[]
}

/** A service's name with its namespace, as one container writes it to call another. */
const QUALIFIED = /(?<![\w.-])([a-z0-9-]+)\.([a-z0-9-]+)(\.svc(?:\.cluster\.local)?)?(?![\w-]|\.\w)/g

/**
 * The sandbox takes the place of the input's namespace, so names such as `api.shop.svc.cluster.local` must lead there.
 * A name without `.svc` counts only when the input has a service of that name. What lies in other namespaces stays as it
 * is and is named.
 */
export function mapHostNames(objects: readonly ClusterObject[], from: string, to: string): Mapped {
  const services = new Set(objects.filter((o) => o.kind === 'Service').map((o) => o.metadata.name))
  const elsewhere = new Set<string>()
  let mapped = 0
  const map = (text: string): string =>
    text.replace(QUALIFIED, (host: string, service: string, namespace: string, suffix = '') => {
      if (namespace === from && (suffix || services.has(service))) {
        mapped += 1
        return `${service}.${to}${suffix}`
      }
      if (suffix) elsewhere.add(host)
      return host
    })
  const inSandbox = objects.map((object) => ({ ...object, ...mapFields(object, map) }))
  return { objects: inSandbox, assumptions: assumptionsOf(from, mapped, [...elsewhere]) }
}

/** What an object is named, and by whom, is not touched. */
function mapFields(
  { apiVersion: _, kind: __, metadata: ___, ...fields }: ClusterObject,
  map: (text: string) => string,
) {
  return mapStrings(fields, map) as Record<string, unknown>
}

function mapStrings(value: unknown, map: (text: string) => string): unknown {
  if (typeof value === 'string') return map(value)
  if (Array.isArray(value)) return value.map((item) => mapStrings(item, map))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, mapStrings(inner, map)]))
}

function assumptionsOf(from: string, mapped: number, elsewhere: readonly string[]): string[] {
  const sentences = mapped ? [`host names in namespace ${from} lead to the sandbox that takes its place`] : []
  if (elsewhere.length) {
    sentences.push(`${elsewhere.join(', ')}: outside of the sandbox, called as the cluster has it, if it has`)
  }
  return sentences
}
