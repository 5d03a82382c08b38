import { type ClusterObject } from '@ordeal/kubernetes'
import { type Life } from './record.js'

/** Gives every object a name that is the same in each run, and takes out of texts what is not. */
export interface Masks {
  /** `Pod/web-{1}-*`: objects that only their generated names tell apart share one. */
  nameOf(life: Life): string
  text(text: string): string
}

interface Surroundings {
  readonly namespace: string
  /** Names of the nodes that the cluster brings. */
  readonly nodes: readonly string[]
}

const PATTERNS: readonly (readonly [RegExp, string])[] = [
  // Of a pod that was refused.
  [/\}-(?:[a-z0-9]{5})?"/g, '}-*"'],
  [/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, '<uid>'],
  [/\b\d{1,3}\.\d{1,3}\.\d{1,3}\.\d{1,3}\b/g, '<ip>'],
  // A machine without a network fails before it asks for the name.
  [
    /lookup (\S+) on <ip>:53: (no such host|dial udp <ip>:53: connect: network is unreachable)/g,
    'lookup $1: <not found>',
  ],
  [/\d{4}-\d\d-\d\dT[\d:.]+Z/g, '<time>'],
  [/\b\d+(\.\d+)?(ms|µs)\b|\b\d+\.\d+s\b/g, '<duration>'],
  // What a pod-failure puts in the place of an image is a setting of Chaos Mesh.
  [/\b(gcr\.io\/google-containers|registry\.k8s\.io)\/pause:(latest|3\.10)\b/g, '<pause>'],
  [/\bkube-api-access-\w{5}\b/g, 'kube-api-access-*'],
  [/\b(containerd:\/\/|sha256:)?[0-9a-f]{64}\b/g, '<id>'],
]

export function createMasks(lives: readonly Life[], { namespace, nodes }: Surroundings): Masks {
  const objects = lives.filter(({ kind }) => kind !== 'Event').sort((a, b) => bornAt(a) - bornAt(b))
  const byUid = new Map(objects.map((life) => [life.uid, life]))
  const labels = new Map<string, string>()
  const taken = new Map<string, number>()
  const numbered = (base: string): number => {
    const number = (taken.get(base) ?? 0) + 1
    taken.set(base, number)
    return number
  }
  const label = (life: Life): string => {
    const known = labels.get(life.uid)
    if (known) return known
    const owner = byUid.get(controllerOf(life) ?? '')
    const made = owner ? labelOfOwned(life, owner.kind, label(owner), numbered) : ownName(life, numbered)
    labels.set(life.uid, made)
    return made
  }
  for (const life of objects) label(life)
  const words = [
    ...objects.map((life) => [nameIn(life), label(life).replace(/'\d+$/, '')] as const),
    ...revisionNames(objects, numbered),
    ...nodes.map((node) => [node, '<node>'] as const),
    [namespace, '<ns>'] as const,
  ]
  const replace = replacer(words.filter(([from, to]) => from !== to))
  return {
    nameOf: (life) => `${life.kind}/${replace(label(life))}`,
    text: (text) => PATTERNS.reduce((masked, [pattern, by]) => masked.replace(pattern, by), replace(text)),
  }
}

const bornAt = ({ states }: Life): number => states[0]?.at ?? 0
const nameIn = ({ states }: Life): string => states[0]?.object.metadata.name ?? ''
const controllerOf = ({ states }: Life): string | undefined =>
  states[0]?.object.metadata.ownerReferences?.find(({ controller }) => controller)?.uid

function labelOfOwned(life: Life, ownerKind: string, owner: string, numbered: (base: string) => number): string {
  const name = nameIn(life)
  // A set of a Deployment and a job of a CronJob have one place in a sequence; a StatefulSet's pods keep their names.
  if (life.kind === 'ReplicaSet' || (life.kind === 'Job' && ownerKind === 'CronJob')) {
    return `${owner}-{${numbered(`${life.kind} of ${owner}`)}}`
  }
  if (ownerKind === 'StatefulSet') return ownName(life, numbered)
  return name.startsWith(owner.split('-{')[0] ?? '') ? `${owner}-*` : name
}

/** The name itself; one that comes again belongs to another object. */
function ownName(life: Life, numbered: (base: string) => number): string {
  const service = life.states[0]?.object.metadata.labels?.['kubernetes.io/service-name']
  if (life.kind === 'EndpointSlice' && service !== undefined) return `${service}-*`
  const name = nameIn(life)
  const number = numbered(`${life.kind}/${name}`)
  return number === 1 ? name : `${name}'${number}`
}

/** Names of a StatefulSet's revisions, in the order in which they appear. */
function revisionNames(objects: readonly Life[], numbered: (base: string) => number): (readonly [string, string])[] {
  return objects
    .filter(({ kind }) => kind === 'StatefulSet')
    .flatMap((life) => {
      const names = life.states.flatMap(({ object }) => {
        const { currentRevision, updateRevision } = (object.status ?? {}) as Record<string, string | undefined>
        return [currentRevision, updateRevision].filter((name) => name !== undefined)
      })
      return [...new Set(names)].map(
        (name) => [name, `${nameIn(life)}-r${numbered(`revision of ${life.uid}`)}`] as const,
      )
    })
}

function replacer(words: readonly (readonly [string, string])[]): (text: string) => string {
  const by = new Map(words.filter(([from]) => from !== ''))
  if (by.size === 0) return (text) => text
  const longestFirst = [...by.keys()].sort((a, b) => b.length - a.length)
  const pattern = new RegExp(longestFirst.map((word) => word.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')).join('|'), 'g')
  return (text) => text.replace(pattern, (word) => by.get(word) ?? word)
}

/** Whom an event is about. */
export function subjectOf(event: ClusterObject): { kind: string; name: string; uid: string } {
  const { kind = '', name = '', uid = '' } = (event.involvedObject ?? {}) as Record<string, string | undefined>
  return { kind, name, uid }
}
