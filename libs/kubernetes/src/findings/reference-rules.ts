import { podSpecOf, templatePathOf } from '../graph/pod-template.js'
import {
  isMap,
  type Json,
  type JsonMap,
  type KubernetesObject,
  mapAt,
  mapsAt,
  textAt,
} from '../input/kubernetes-object.js'
import { type Application, type Path, type Rule, type Weakness } from './rule.js'

/** A ConfigMap or Secret that a pod needs in order to start; `key` is null where the whole object is meant. */
interface Reference {
  readonly kind: 'ConfigMap' | 'Secret'
  readonly name: string
  readonly key: string | null
  readonly path: Path
}

/** What every namespace holds without anybody's doing. */
const GIVEN = new Set(['ConfigMap/kube-root-ca.crt'])

const missingReference: Rule = {
  id: 'ORD060-missing-reference',
  severity: 'warning',
  why: 'A pod does not start while a ConfigMap or Secret that it needs is not there.',
  find: (application) =>
    application.objects.flatMap((object) =>
      templatePathOf(object)
        ? referencesOf(object).flatMap((reference) => missing(object, reference, application))
        : [],
    ),
}

function missing(object: KubernetesObject, { kind, name, key, path }: Reference, { byId }: Application): Weakness[] {
  const found = byId.get(`${kind}/${name}`)
  if (!found) {
    if (GIVEN.has(`${kind}/${name}`)) return []
    return [{ object, path, message: `It needs ${kind}/${name}, which is not among the manifests.` }]
  }
  const keys = [...['data', 'stringData', 'binaryData'].flatMap((field) => Object.keys(mapAt(found, field)))]
  if (key === null || keys.includes(key)) return []
  return [
    {
      object,
      path,
      message: `It needs the key '${key}' of ${kind}/${name}, which has none of that name.`,
      severity: 'error',
    },
  ]
}

function referencesOf(object: KubernetesObject): Reference[] {
  const base = [...(templatePathOf(object) ?? []), 'spec']
  const spec = podSpecOf(object)
  const containers = ['containers', 'initContainers'].flatMap((field) =>
    mapsAt(spec, field).flatMap((container, index) => containerReferences(container, [...base, field, index])),
  )
  const volumes = mapsAt(spec, 'volumes').flatMap((volume, index) =>
    volumeReferences(volume, [...base, 'volumes', index]),
  )
  return [...containers, ...volumes]
}

function containerReferences(container: JsonMap, base: Path): Reference[] {
  const env = mapsAt(container, 'env').flatMap((entry, index) => [
    ...reference('ConfigMap', mapAt(entry, 'valueFrom').configMapKeyRef, [...base, 'env', index]),
    ...reference('Secret', mapAt(entry, 'valueFrom').secretKeyRef, [...base, 'env', index]),
  ])
  const from = mapsAt(container, 'envFrom').flatMap((entry, index) => [
    ...reference('ConfigMap', entry.configMapRef, [...base, 'envFrom', index]),
    ...reference('Secret', entry.secretRef, [...base, 'envFrom', index]),
  ])
  return [...env, ...from]
}

const volumeReferences = (volume: JsonMap, path: Path): Reference[] => [
  ...reference('ConfigMap', volume.configMap, path),
  ...reference('Secret', volume.secret, path),
]

function reference(kind: Reference['kind'], value: Json | undefined, path: Path): Reference[] {
  if (!isMap(value) || value.optional === true) return []
  const name = textAt(value, 'name') ?? textAt(value, 'secretName')
  return name === null ? [] : [{ kind, name, key: textAt(value, 'key'), path }]
}

/** Versions that no supported Kubernetes serves any more, and what to write. */
const REMOVED: Record<string, string> = {
  'extensions/v1beta1': 'apps/v1 or networking.k8s.io/v1',
  'apps/v1beta1': 'apps/v1',
  'apps/v1beta2': 'apps/v1',
  'networking.k8s.io/v1beta1': 'networking.k8s.io/v1',
  'policy/v1beta1': 'policy/v1',
  'batch/v1beta1': 'batch/v1',
  'autoscaling/v2beta1': 'autoscaling/v2',
  'autoscaling/v2beta2': 'autoscaling/v2',
  'rbac.authorization.k8s.io/v1beta1': 'rbac.authorization.k8s.io/v1',
}

const removedApi: Rule = {
  id: 'ORD061-removed-api',
  severity: 'error',
  why: 'A current cluster refuses the object.',
  find: ({ objects }) =>
    objects.flatMap((object): Weakness[] => {
      const instead = REMOVED[object.apiVersion]
      if (!instead) return []
      return [
        {
          object,
          path: ['apiVersion'],
          message: `No current Kubernetes serves ${object.apiVersion}; write ${instead}.`,
        },
      ]
    }),
}

export const referenceRules: readonly Rule[] = [missingReference, removedApi]
