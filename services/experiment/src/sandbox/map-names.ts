import { type ClusterObject } from '@ordeal/kubernetes'

/** Objects whose host names and references lead into the sandbox, and what was taken for granted, in sentences. */
export interface Mapped {
  readonly objects: ClusterObject[]
  readonly assumptions: readonly string[]
}

/** A service's name with its namespace, as one container writes it to call another. */
const QUALIFIED = /(?<![\w.-])([a-z0-9-]+)\.([a-z0-9-]+)(\.svc(?:\.cluster\.local)?)?(?![\w-]|\.\w)/g

/** Fields whose text, or whose texts, are names of namespaces wherever they stand. */
const FIELDS = new Set(['namespace', 'namespaces', 'matchNames', 'kubernetes.io/metadata.name'])

/**
 * The sandbox takes the place of the input's namespaces, so names such as `api.shop.svc.cluster.local` must lead there,
 * and so must references (`subjects[].namespace`). A host name without `.svc` counts only when the input has a service of
 * that name. What lies in other namespaces stays as it is and is named.
 */
export function mapNames(objects: readonly ClusterObject[], from: ReadonlySet<string>, to: string): Mapped {
  const services = new Set(objects.filter((o) => o.kind === 'Service').map((o) => o.metadata.name))
  const elsewhere = new Set<string>()
  const mapped = { hosts: 0, references: 0 }
  const mapHosts = (text: string): string =>
    text.replace(QUALIFIED, (host: string, service: string, namespace: string, suffix = '') => {
      if (from.has(namespace) && (suffix || services.has(service))) {
        mapped.hosts += 1
        return `${service}.${to}${suffix}`
      }
      if (suffix) elsewhere.add(host)
      return host
    })
  const map = (text: string, field: string): string => {
    if (!FIELDS.has(field) || !from.has(text)) return mapHosts(text)
    mapped.references += 1
    return to
  }
  const inSandbox = objects.map((object) => ({ ...object, ...mapFields(object, map) }))
  return { objects: inSandbox, assumptions: assumptionsOf([...from], mapped, [...elsewhere]) }
}

type MapText = (text: string, field: string) => string

/** What an object is named, and by whom, is not touched. */
function mapFields({ apiVersion: _, kind: __, metadata: ___, ...fields }: ClusterObject, map: MapText) {
  return mapTexts(fields, map, '') as Record<string, unknown>
}

function mapTexts(value: unknown, map: MapText, field: string): unknown {
  if (typeof value === 'string') return map(value, field)
  if (Array.isArray(value)) return value.map((item) => mapTexts(item, map, field))
  if (typeof value !== 'object' || value === null) return value
  // `{key: kubernetes.io/metadata.name, operator: In, values: […]}`
  const key = (value as { key?: unknown }).key
  const fieldOf = (name: string): string => (name === 'values' && typeof key === 'string' ? key : name)
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, mapTexts(inner, map, fieldOf(name))]))
}

function assumptionsOf(
  from: readonly string[],
  mapped: { readonly hosts: number; readonly references: number },
  elsewhere: readonly string[],
): string[] {
  const names = from.toSorted().join(', ')
  const sentences: string[] = []
  if (from.length > 1) sentences.push(`objects of the namespaces ${names} stand together in one sandbox`)
  if (mapped.hosts) {
    const [namespaces, verb] = from.length > 1 ? ['namespaces', 'their'] : ['namespace', 'its']
    sentences.push(`host names in ${namespaces} ${names} lead to the sandbox that takes ${verb} place`)
  }
  if (mapped.references) sentences.push(`references to ${names} name the sandbox instead`)
  if (elsewhere.length) {
    sentences.push(`${elsewhere.join(', ')}: outside of the sandbox, called as the cluster has it, if it has`)
  }
  return sentences
}
