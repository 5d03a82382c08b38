import { withDefaults } from '../schema/defaults.js'
import { RESOURCES, type ResourceDefinition } from '../schema/resources.js'
import type { K8sObject } from '../store/object.js'
import type { ObjectStore } from '../store/store.js'

const NAMESPACES = ['default', 'kube-system', 'kube-public', 'kube-node-lease', 'chaos-mesh']
/** Fixed, so that it takes nothing from the random streams. */
const API_SERVICE_ADDRESS = '10.96.0.1'

/** What every cluster has before anybody asks for anything; nodes are the engine's. */
export function bootstrap(store: ObjectStore): void {
  for (const name of NAMESPACES) {
    if (store.get('namespaces', null, name)) continue
    store.create('namespaces', withDefaults({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } }))
  }
  store.create('services', withDefaults(apiService()))
  for (const definition of RESOURCES) {
    if (definition.group !== 'chaos-mesh.org') continue
    store.create('customresourcedefinitions.apiextensions.k8s.io', resourceDefinition(definition))
  }
}

function apiService(): K8sObject {
  return {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: {
      name: 'kubernetes',
      namespace: 'default',
      labels: { component: 'apiserver', provider: 'kubernetes' },
    },
    spec: {
      clusterIP: API_SERVICE_ADDRESS,
      clusterIPs: [API_SERVICE_ADDRESS],
      ipFamilies: ['IPv4'],
      ipFamilyPolicy: 'SingleStack',
      ports: [{ name: 'https', port: 443, targetPort: 6443 }],
    },
    status: { loadBalancer: {} },
  }
}

/** Shows clients that the kinds of Chaos Mesh are there. */
function resourceDefinition(definition: ResourceDefinition): K8sObject {
  const { group, version, plural, singular, kind } = definition
  const names = { plural, singular, kind, listKind: `${kind}List` }
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.${group}` },
    spec: {
      group,
      names,
      scope: 'Namespaced',
      conversion: { strategy: 'None' },
      versions: [{ name: version, served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } }],
    },
    status: {
      acceptedNames: names,
      storedVersions: [version],
      conditions: ['NamesAccepted', 'Established'].map((type) => ({ type, status: 'True' })),
    },
  }
}
