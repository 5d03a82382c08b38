import { type ClusterObject } from '@ordeal/kubernetes'
import { isChaos } from './kinds.js'

type Fields = Readonly<Record<string, unknown>>
/** Aspects of an object's state, as texts. */
export type Aspects = Readonly<Record<string, string>>

/** Times are what the trace records itself; versions and hashes are told by their effects. */
const LEFT_OUT =
  /(time|timestamp|heartbeat)$|^(observedGeneration|collisionCount|uid|hostIPs?|podIPs?|imageID|containerID|image)$/i

/** What of an object's state is compared. Each aspect is followed on its own, since clusters put changes together. */
export function aspectsOf(object: ClusterObject, mask: (text: string) => string): Aspects {
  const aspects = { ...metadataAspects(object), ...stateAspects(object, mask) }
  return Object.fromEntries(Object.entries(aspects).map(([name, text]) => [name, mask(text)]))
}

function metadataAspects({ metadata, spec }: ClusterObject): Aspects {
  const { replicas, nodeName, priority, suspend } = (spec ?? {}) as Fields
  const grace = metadata.deletionGracePeriodSeconds as number | undefined
  return {
    ...(metadata.deletionTimestamp ? { deleting: grace === undefined ? 'yes' : `grace ${grace}` } : {}),
    ...textsOf({ 'spec.replicas': replicas, node: nodeName, priority, 'spec.suspend': suspend }),
  }
}

const textsOf = (values: Fields): Aspects =>
  Object.fromEntries(
    Object.entries(values)
      .filter(([, value]) => value !== undefined && value !== null)
      .map(([key, value]) => [key, String(value as string)]),
  )

function stateAspects(object: ClusterObject, mask: (text: string) => string): Aspects {
  if (object.kind === 'EndpointSlice') return endpointAspects(object)
  const status = (object.status ?? {}) as Fields
  if (isChaos(object.kind)) return chaosAspects(status, mask)
  return flatten(status, '')
}

function flatten(value: unknown, path: string): Aspects {
  if (Array.isArray(value))
    return Object.assign({}, ...value.map((item, index) => flattenItem(item, index, path))) as Aspects
  if (typeof value !== 'object' || value === null) return textsOf({ [path]: value })
  const named = Object.entries(value).filter(([key]) => !LEFT_OUT.test(key))
  const parts = named.map(([key, field]) => (SUMMARIES[key] ?? flatten)(field, path === '' ? key : `${path}.${key}`))
  return Object.assign({}, ...parts) as Aspects
}

function flattenItem(item: unknown, index: number, path: string): Aspects {
  const { type, name, ...rest } = (item ?? {}) as Fields & { type?: string; name?: string }
  const key = type ?? name
  if (key === undefined) return flatten(item, `${path}[${index}]`)
  return path.endsWith('conditions') ? { [`condition ${key}`]: conditionText(rest) } : flatten(rest, `${path}[${key}]`)
}

const conditionText = ({ status, reason, message }: Fields): string =>
  [String(status as string), reason, message].filter((part) => part !== undefined && part !== '').join(' ')

/** Parts of a status that read better as one text. */
const SUMMARIES: Readonly<Record<string, (value: unknown, path: string) => Aspects>> = {
  state: (value, path) => ({ [path]: containerState(value as Fields) }),
  lastState: (value, path) =>
    Object.keys(value as Fields).length > 0 ? { [path]: containerState(value as Fields) } : {},
  // Told by the pods themselves, and pruned at another pace.
  uncountedTerminatedPods: () => ({}),
  active: (value, path) => (Array.isArray(value) ? { [path]: String(value.length) } : textsOf({ [path]: value })),
  disruptedPods: () => ({}),
  allocatedResources: () => ({}),
  resources: () => ({}),
  volumeMounts: () => ({}),
  user: () => ({}),
}

function containerState(state: Fields): string {
  const [[name, details] = ['none', {}]] = Object.entries(state) as [string, Fields][]
  const { reason, message, exitCode, signal } = details
  const exit = exitCode === undefined ? '' : `exit ${exitCode as number}`
  const killed = signal === undefined ? '' : `signal ${signal as number}`
  return [name, reason, exit, killed, message].filter((part) => part !== undefined && part !== '').join(' ')
}

function endpointAspects({ endpoints, ports }: ClusterObject): Aspects {
  const all = (endpoints ?? []) as { conditions?: { ready?: boolean; serving?: boolean; terminating?: boolean } }[]
  const count = (which: 'ready' | 'serving' | 'terminating') =>
    all.filter(({ conditions }) => conditions?.[which] ?? false).length
  const numbers = ((ports ?? []) as { port?: number }[]).map(({ port }) => port).sort()
  return textsOf({
    endpoints: all.length,
    ready: count('ready'),
    serving: count('serving'),
    terminating: count('terminating'),
    ports: all.length > 0 ? numbers.join(',') : undefined,
  })
}

interface ChaosRecord {
  readonly id: string
  readonly phase: string
  readonly injectedCount: number
  readonly recoveredCount: number
  readonly events?: readonly { operation: string; type: string; message?: string }[]
}

function chaosAspects(
  { conditions, experiment, instances: _, ...rest }: Fields,
  mask: (text: string) => string,
): Aspects {
  const { containerRecords, ...others } = (experiment ?? {}) as Fields
  // Which pod is drawn differs; masked, all of a set read alike.
  const records = ((containerRecords ?? []) as ChaosRecord[]).map((record) => mask(recordText(record))).sort()
  return {
    ...flatten({ conditions, ...others, ...rest }, ''),
    ...(records.length > 0 ? { records: records.join('; ') } : {}),
  }
}

function recordText({ id, phase, injectedCount, recoveredCount, events = [] }: ChaosRecord): string {
  const said = events.map(({ operation, type, message }) => [operation, type, message].filter(Boolean).join(' '))
  const once = said.filter((text, index) => text !== said[index - 1])
  return `${id} ${phase} ${injectedCount}/${recoveredCount} [${once.join(', ')}]`
}
