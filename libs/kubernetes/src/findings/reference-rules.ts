import { type Reference, referencesOf } from '../graph/references.js'
import { type KubernetesObject, mapAt, textAt } from '../input/kubernetes-object.js'
import { type Application, type Rule, type Weakness } from './rule.js'

/** What every namespace holds without anybody's doing. */
const GIVEN = new Set(['ConfigMap/kube-root-ca.crt'])

const isConfiguration = ({ kind }: Reference): boolean => kind === 'ConfigMap' || kind === 'Secret'

const missingReference: Rule = {
  id: 'ORD060-missing-reference',
  severity: 'warning',
  why: 'A pod does not start while a ConfigMap or Secret that it needs is not there.',
  proof: 'Deploy it to an empty namespace: its pods never start.',
  find: (application) =>
    application.objects.flatMap((object) =>
      referencesOf(object)
        .filter((reference) => isConfiguration(reference) && !reference.optional)
        .flatMap((reference) => missing(object, reference, application)),
    ),
}

function missing(
  object: KubernetesObject,
  { kind, name, key, path }: Reference,
  { byId, isOperated }: Application,
): Weakness[] {
  const found = byId.get(`${kind}/${name}`)
  if (!found) {
    if (GIVEN.has(`${kind}/${name}`) || isMadeByAnother(name, kind, byId)) return []
    const message = `It needs ${kind}/${name}, which is not among the manifests.`
    // Credentials are often kept out of manifests on purpose, and operators make both kinds.
    return [{ object, path, message, severity: kind === 'Secret' || isOperated ? 'note' : 'warning' }]
  }
  const keys = ['data', 'stringData', 'binaryData'].flatMap((field) => Object.keys(mapAt(found, field)))
  if (key === null || keys.includes(key)) return []
  const message = `It needs the key '${key}' of ${kind}/${name}, which has none of that name.`
  return [{ object, path, message, severity: 'error' }]
}

/** Objects of these kinds are turned into a Secret of their name, or of the one that they give. */
const SECRET_MAKERS = ['SealedSecret', 'ExternalSecret', 'Certificate', 'VaultStaticSecret', 'OnePasswordItem']

function isMadeByAnother(name: string, kind: string, byId: Application['byId']): boolean {
  if (kind !== 'Secret') return false
  return [...byId.values()].some((o) => {
    if (!SECRET_MAKERS.includes(o.kind)) return false
    const spec = mapAt(o, 'spec')
    const given = textAt(spec, 'secretName') ?? textAt(mapAt(spec, 'target'), 'name')
    return (given ?? o.metadata.name) === name
  })
}

const missingClaim: Rule = {
  id: 'ORD062-missing-claim',
  severity: 'warning',
  why: 'A pod is not scheduled while the claim of its volume is not there.',
  proof: 'Deploy it to an empty namespace: its pods stay pending.',
  find: ({ objects, byId }) =>
    objects.flatMap((object) =>
      referencesOf(object).flatMap(({ kind, name, path }): Weakness[] => {
        if (kind !== 'PersistentVolumeClaim' || byId.has(`${kind}/${name}`)) return []
        return [{ object, path, message: `It needs ${kind}/${name}, which is not among the manifests.` }]
      }),
    ),
}

const missingAccount: Rule = {
  id: 'ORD064-missing-account',
  severity: 'note',
  why: 'No pod is made while its service account is not there.',
  proof: 'Deploy it to an empty namespace: its controller makes no pods.',
  find: ({ objects, byId }) =>
    objects.flatMap((object) =>
      referencesOf(object).flatMap(({ kind, name, path }): Weakness[] => {
        if (kind !== 'ServiceAccount' || byId.has(`${kind}/${name}`)) return []
        return [{ object, path, message: `It needs ${kind}/${name}, which is not among the manifests.` }]
      }),
    ),
}

const missingGoverningService: Rule = {
  id: 'ORD063-missing-governing-service',
  severity: 'warning',
  why: 'The pods of a StatefulSet have no names of their own, by which they find each other, without its Service.',
  proof: 'Look up the name of one of its pods: it does not exist.',
  find: ({ objects, byId }) =>
    objects.flatMap((object): Weakness[] => {
      const name = textAt(mapAt(object, 'spec'), 'serviceName')
      if (object.kind !== 'StatefulSet' || !name || byId.has(`Service/${name}`)) return []
      const message = `Its serviceName is ${name}, but there is no Service/${name} among the manifests.`
      return [{ object, path: ['spec', 'serviceName'], message }]
    }),
}

/** Kinds that no supported Kubernetes serves any more in these versions, and what to write; `*` is every kind. */
const REMOVED: Record<string, Record<string, string>> = {
  'extensions/v1beta1': { '*': 'apps/v1 or networking.k8s.io/v1' },
  'apps/v1beta1': { '*': 'apps/v1' },
  'apps/v1beta2': { '*': 'apps/v1' },
  'batch/v1beta1': { '*': 'batch/v1' },
  'batch/v2alpha1': { '*': 'batch/v1' },
  'autoscaling/v2beta1': { '*': 'autoscaling/v2' },
  'autoscaling/v2beta2': { '*': 'autoscaling/v2' },
  'policy/v1beta1': { PodDisruptionBudget: 'policy/v1', PodSecurityPolicy: 'a Pod Security label of its namespace' },
  'networking.k8s.io/v1beta1': { Ingress: 'networking.k8s.io/v1', IngressClass: 'networking.k8s.io/v1' },
  'rbac.authorization.k8s.io/v1beta1': { '*': 'rbac.authorization.k8s.io/v1' },
  'rbac.authorization.k8s.io/v1alpha1': { '*': 'rbac.authorization.k8s.io/v1' },
  'apiextensions.k8s.io/v1beta1': { '*': 'apiextensions.k8s.io/v1' },
  'apiregistration.k8s.io/v1beta1': { '*': 'apiregistration.k8s.io/v1' },
  'scheduling.k8s.io/v1beta1': { '*': 'scheduling.k8s.io/v1' },
  'node.k8s.io/v1beta1': { '*': 'node.k8s.io/v1' },
  'discovery.k8s.io/v1beta1': { '*': 'discovery.k8s.io/v1' },
  'events.k8s.io/v1beta1': { '*': 'events.k8s.io/v1' },
  'coordination.k8s.io/v1beta1': { Lease: 'coordination.k8s.io/v1' },
  'storage.k8s.io/v1beta1': { StorageClass: 'storage.k8s.io/v1', CSIDriver: 'storage.k8s.io/v1' },
  'certificates.k8s.io/v1beta1': { CertificateSigningRequest: 'certificates.k8s.io/v1' },
  'admissionregistration.k8s.io/v1beta1': {
    MutatingWebhookConfiguration: 'admissionregistration.k8s.io/v1',
    ValidatingWebhookConfiguration: 'admissionregistration.k8s.io/v1',
  },
  'flowcontrol.apiserver.k8s.io/v1beta1': { '*': 'flowcontrol.apiserver.k8s.io/v1' },
  'flowcontrol.apiserver.k8s.io/v1beta2': { '*': 'flowcontrol.apiserver.k8s.io/v1' },
  'flowcontrol.apiserver.k8s.io/v1beta3': { '*': 'flowcontrol.apiserver.k8s.io/v1' },
}

const removedApi: Rule = {
  id: 'ORD061-removed-api',
  severity: 'error',
  why: 'A current cluster refuses the object.',
  proof: 'Apply it to a current cluster: it answers that there is no such kind.',
  find: ({ objects }) =>
    objects.flatMap((object): Weakness[] => {
      const kinds = REMOVED[object.apiVersion]
      const instead = kinds?.[object.kind] ?? kinds?.['*']
      if (!instead) return []
      const message = `No current Kubernetes serves ${object.kind} in ${object.apiVersion}; write ${instead}.`
      return [{ object, path: ['apiVersion'], message }]
    }),
}

const INGRESS_CLASS = 'kubernetes.io/ingress.class'

const deprecatedApi: Rule = {
  id: 'ORD065-deprecated-api',
  severity: 'note',
  why: 'What is deprecated is taken away one day: after an upgrade it is refused, or no longer heeded.',
  proof: 'Apply it to the newest Kubernetes: it warns, or refuses it.',
  find: ({ objects }) =>
    objects.flatMap((object): Weakness[] => {
      if (object.kind === 'Endpoints' && object.apiVersion === 'v1') {
        return [{ object, path: ['apiVersion'], message: 'Endpoints are deprecated; write an EndpointSlice.' }]
      }
      if (object.kind !== 'Ingress' || mapAt(object.metadata, 'annotations')[INGRESS_CLASS] === undefined) return []
      const message = `The annotation ${INGRESS_CLASS} is deprecated; write spec.ingressClassName.`
      return [{ object, path: ['metadata', 'annotations', INGRESS_CLASS], message }]
    }),
}

export const referenceRules: readonly Rule[] = [
  missingReference,
  missingClaim,
  missingAccount,
  missingGoverningService,
  removedApi,
  deprecatedApi,
]
