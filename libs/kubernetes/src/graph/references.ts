import {
  isMap,
  type Json,
  type JsonMap,
  type KubernetesObject,
  mapAt,
  mapsAt,
  textAt,
} from '../input/kubernetes-object.js'
import { podSpecOf, templatePathOf } from './pod-template.js'

/** Kinds of objects that a pod names in its template. */
export type ReferredKind = 'ConfigMap' | 'Secret' | 'PersistentVolumeClaim' | 'ServiceAccount'

/** An object that a pod template names; `key` is null where the whole object is meant. */
export interface Reference {
  readonly kind: ReferredKind
  readonly name: string
  readonly key: string | null
  /** Where the name stands in the object, as segments of a JSON pointer. */
  readonly path: readonly (string | number)[]
  /** True when a pod starts without it, too. */
  readonly optional: boolean
  /** How the pod uses it, in words. */
  readonly use: string
}

type At = Reference['path']

/** What the pods of an object refer to, in the order of its template; nothing for a kind that runs no pods. */
export function referencesOf(object: KubernetesObject): Reference[] {
  const template = templatePathOf(object)
  if (template === null) return []
  const base = [...template, 'spec']
  const spec = podSpecOf(object)
  const containers = ['containers', 'initContainers'].flatMap((field) =>
    mapsAt(spec, field).flatMap((container, index) => containerReferences(container, [...base, field, index])),
  )
  const volumes = mapsAt(spec, 'volumes').flatMap((v, index) => volumeReferences(v, [...base, 'volumes', index]))
  return [...containers, ...volumes, ...accountOf(spec, base)]
}

function containerReferences(container: JsonMap, base: At): Reference[] {
  const env = mapsAt(container, 'env').flatMap((entry, index) => {
    const from = mapAt(entry, 'valueFrom')
    const at = { path: [...base, 'env', index], use: `env ${textAt(entry, 'name') ?? '?'}` }
    return [...named('ConfigMap', from.configMapKeyRef, at), ...named('Secret', from.secretKeyRef, at)]
  })
  const from = mapsAt(container, 'envFrom').flatMap((entry, index) => {
    const at = { path: [...base, 'envFrom', index], use: 'envFrom' }
    return [...named('ConfigMap', entry.configMapRef, at), ...named('Secret', entry.secretRef, at)]
  })
  return [...env, ...from]
}

function volumeReferences(volume: JsonMap, path: At): Reference[] {
  const use = `volume ${textAt(volume, 'name') ?? '?'}`
  const sources = mapsAt(mapAt(volume, 'projected'), 'sources').flatMap((source, index) =>
    volumeSource(source, { path: [...path, 'projected', 'sources', index], use }),
  )
  return [...volumeSource(volume, { path, use }), ...sources]
}

const volumeSource = (source: JsonMap, at: Pick<Reference, 'path' | 'use'>): Reference[] => [
  ...named('ConfigMap', source.configMap, at),
  ...named('Secret', source.secret, at),
  ...named('PersistentVolumeClaim', source.persistentVolumeClaim, at),
]

function accountOf(spec: JsonMap, base: At): Reference[] {
  const name = textAt(spec, 'serviceAccountName')
  if (name === null || name === 'default') return []
  return [
    { kind: 'ServiceAccount', name, key: null, path: [...base, 'serviceAccountName'], optional: false, use: 'account' },
  ]
}

function named(kind: ReferredKind, value: Json | undefined, at: Pick<Reference, 'path' | 'use'>): Reference[] {
  if (!isMap(value)) return []
  const name = textAt(value, 'name') ?? textAt(value, 'secretName') ?? textAt(value, 'claimName')
  return name === null ? [] : [{ kind, name, key: textAt(value, 'key'), optional: value.optional === true, ...at }]
}
