import { type Container, type EnvSource, type EnvVar, type KeyReference, type Pod } from '../controllers/objects.js'
import { parseQuantity } from '../schema/quantity.js'
import { type StoredObject } from '../store/object.js'
import { type ObjectStore } from '../store/store.js'

/** Thrown when a container's environment names something that is not there: its start must wait. */
export class ContainerConfigError extends Error {}

/** What a field reference may name beside labels and annotations, as far as the pod knows it. */
export interface PodFacts {
  readonly podIP: string
  readonly hostIP: string
}

/** The environment of a container: envFrom, then env, with $(NAME) replaced, as the kubelet does it. */
export function environmentOf(
  store: ObjectStore,
  pod: Pod,
  container: Container,
  facts: PodFacts,
): ReadonlyMap<string, string> {
  const namespace = pod.metadata.namespace ?? ''
  const env = new Map<string, string>()
  for (const source of container.envFrom ?? []) addAll(store, namespace, source, env)
  for (const variable of container.env ?? []) {
    const value = valueOf({ store, namespace, pod, facts, container }, variable, env)
    if (value !== undefined) env.set(variable.name, value)
  }
  return env
}

interface Scope {
  readonly store: ObjectStore
  readonly namespace: string
  readonly pod: Pod
  readonly facts: PodFacts
  readonly container: Container
}

function addAll(store: ObjectStore, namespace: string, source: EnvSource, env: Map<string, string>): void {
  const kind = source.configMapRef ? 'configmap' : 'secret'
  const { name = '', optional = false } = source.configMapRef ?? source.secretRef ?? {}
  const data = dataOf(store, kind, namespace, name)
  if (!data && !optional) throw new ContainerConfigError(`${kind} "${name}" not found`)
  for (const key in data) env.set(`${source.prefix ?? ''}${key}`, String(data[key]))
}

function valueOf(scope: Scope, { value, valueFrom }: EnvVar, env: Map<string, string>): string | undefined {
  if (!valueFrom) return expand(value ?? '', env)
  if (valueFrom.fieldRef) return field(scope, valueFrom.fieldRef.fieldPath)
  if (valueFrom.configMapKeyRef) return keyed(scope, 'configmap', valueFrom.configMapKeyRef)
  if (valueFrom.secretKeyRef) return keyed(scope, 'secret', valueFrom.secretKeyRef)
  if (valueFrom.resourceFieldRef) return resourceField(scope, valueFrom.resourceFieldRef)
  return undefined
}

type ResourceReference = NonNullable<NonNullable<EnvVar['valueFrom']>['resourceFieldRef']>

/** An amount in whole units of the divisor, rounded up; what is not limited is what the node has. */
function resourceField({ pod, container }: Scope, { containerName, resource, divisor }: ResourceReference): string {
  const all = [...pod.spec.containers, ...(pod.spec.initContainers ?? [])]
  const { resources = {} } = all.find(({ name }) => name === containerName) ?? container
  const unit = parseQuantity(divisor ?? 1) || 1
  return String(Math.ceil(parseQuantity(amountOf(resources, resource)) / unit - 1e-9))
}

function amountOf(resources: NonNullable<Container['resources']>, resource: string): string | number {
  const [side, name = ''] = resource.split('.')
  return side === 'limits' ? (resources.limits?.[name] ?? NODE[name] ?? 0) : (resources.requests?.[name] ?? 0)
}

/** What a node can give (see nodes.ts). */
const NODE: Readonly<Record<string, string>> = { cpu: '4', memory: '8Gi', 'ephemeral-storage': '100Gi' }

function keyed(scope: Scope, kind: 'configmap' | 'secret', { name = '', key, optional }: KeyReference) {
  const data = dataOf(scope.store, kind, scope.namespace, name)
  const value = data?.[key]
  if (value !== undefined || optional) return value
  if (!data) throw new ContainerConfigError(`${kind} "${name}" not found`)
  const kindName = kind === 'configmap' ? 'ConfigMap' : 'Secret'
  throw new ContainerConfigError(`couldn't find key ${key} in ${kindName} ${scope.namespace}/${name}`)
}

function dataOf(store: ObjectStore, kind: 'configmap' | 'secret', namespace: string, name: string) {
  const object = store.get(kind === 'configmap' ? 'configmaps' : 'secrets', namespace, name)
  if (!object) return undefined
  const data = (object as StoredObject & { data?: Record<string, string> }).data ?? {}
  if (kind === 'configmap') return data
  return Object.fromEntries(Object.entries(data).map(([k, v]) => [k, Buffer.from(v, 'base64').toString('utf8')]))
}

function field({ pod, namespace, facts }: Scope, path: string): string {
  const keyed = /^metadata\.(labels|annotations)\['([^']+)'\]$/.exec(path)
  if (keyed) return pod.metadata[keyed[1] as 'labels' | 'annotations']?.[keyed[2] ?? ''] ?? ''
  const values: Record<string, string> = {
    'metadata.name': pod.metadata.name,
    'metadata.namespace': namespace,
    'metadata.uid': pod.metadata.uid,
    'spec.nodeName': pod.spec.nodeName ?? '',
    'spec.serviceAccountName': pod.spec.serviceAccountName ?? 'default',
    'status.podIP': facts.podIP,
    'status.podIPs': facts.podIP,
    'status.hostIP': facts.hostIP,
    'status.hostIPs': facts.hostIP,
  }
  const value = values[path]
  if (value === undefined) throw new ContainerConfigError(`unsupported fieldPath: ${path}`)
  return value
}

/** Replaces $(NAME) by an earlier variable; $$ stands for $; unknown names stay as they are. */
function expand(text: string, env: ReadonlyMap<string, string>): string {
  return text.replace(/\$\$|\$\(([^)]*)\)/g, (match, name?: string) =>
    name === undefined ? '$' : (env.get(name) ?? match),
  )
}
