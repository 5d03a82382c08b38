import { apiVersionOf, EVENTS_VIEW, METRICS, RESOURCES, REVIEWS, type ResourceDefinition } from '../schema/resources.js'

const OFFERED = [...RESOURCES, EVENTS_VIEW, ...REVIEWS, ...METRICS]
const VERBS = ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch']
const READ_VERBS = ['get', 'list', 'watch']
/** The control plane whose behaviour is modelled. */
export const KUBERNETES_VERSION = '1.34.4'

/** GET /version. */
export function version(): unknown {
  const [major, minor] = KUBERNETES_VERSION.split('.')
  return {
    major,
    minor,
    gitVersion: `v${KUBERNETES_VERSION}+ordeal`,
    gitCommit: '',
    gitTreeState: '',
    buildDate: '1970-01-01T00:00:00Z',
    goVersion: '',
    compiler: '',
    platform: 'embedded',
  }
}

/** GET /api. */
export function coreVersions(): unknown {
  return { kind: 'APIVersions', versions: ['v1'], serverAddressByClientCIDRs: [] }
}

type Definitions = readonly ResourceDefinition[]

/** GET /apis. `custom`: the kinds that the cluster was given. */
export function groupList(custom: Definitions): unknown {
  return { kind: 'APIGroupList', apiVersion: 'v1', groups: groups(custom).map(groupEntry) }
}

/** GET /apis/GROUP, or null when there is none. */
export function group(name: string, custom: Definitions): unknown {
  const found = groups(custom).find((one) => one.group === name)
  return found ? { kind: 'APIGroup', apiVersion: 'v1', ...groupEntry(found) } : null
}

/** GET /api/v1 and /apis/GROUP/VERSION, or null when there is none. */
export function resourceList(groupVersion: string, custom: Definitions): unknown {
  const found = [...OFFERED, ...custom].filter((definition) => apiVersionOf(definition) === groupVersion)
  if (found.length === 0) return null
  return { kind: 'APIResourceList', apiVersion: 'v1', groupVersion, resources: found.flatMap(resourceEntries) }
}

/** The aggregated form of /api (core group) or /apis (all others), which newer clients ask for. */
export function aggregated(root: 'api' | 'apis', custom: Definitions): unknown {
  const names = root === 'api' ? [{ group: '', version: 'v1' }] : groups(custom)
  return {
    kind: 'APIGroupDiscoveryList',
    apiVersion: 'apidiscovery.k8s.io/v2',
    metadata: {},
    items: names.map(({ group: name, version: groupVersion }) => ({
      metadata: { name, creationTimestamp: null },
      versions: [
        {
          version: groupVersion,
          freshness: 'Current',
          resources: [...OFFERED, ...custom]
            .filter((one) => one.group === name && one.version === groupVersion)
            .map(aggregatedEntry),
        },
      ],
    })),
  }
}

/** `apis/GROUP/VERSION` and `api/v1`: where the documents of OpenAPI v3 are. */
export function groupVersionPaths(): string[] {
  return ['api/v1', ...groups([]).map((one) => `apis/${apiVersionOf(one)}`)]
}

function groups(custom: Definitions): { group: string; version: string }[] {
  const byName = new Map([...OFFERED, ...custom].map((definition) => [definition.group, definition.version]))
  byName.delete('')
  return [...byName].map(([name, groupVersion]) => ({ group: name, version: groupVersion }))
}

function groupEntry(one: { group: string; version: string }): Record<string, unknown> {
  const entry = { groupVersion: apiVersionOf(one), version: one.version }
  return { name: one.group, versions: [entry], preferredVersion: entry }
}

function verbsOf(definition: ResourceDefinition): readonly string[] {
  return definition.verbs ?? (definition.readOnly ? READ_VERBS : VERBS)
}

function subresourceVerbs(name: string): readonly string[] {
  if (name === 'eviction') return ['create']
  return name === 'log' ? ['get'] : ['get', 'patch', 'update']
}

/** Subresources that are written and read as another kind. */
const OTHER_KINDS: Readonly<Record<string, { group: string; version: string; kind: string }>> = {
  scale: { group: 'autoscaling', version: 'v1', kind: 'Scale' },
  eviction: { group: 'policy', version: 'v1', kind: 'Eviction' },
}

function resourceEntries(definition: ResourceDefinition): Record<string, unknown>[] {
  const { plural, singular, namespaced, kind, shortNames, categories } = definition
  const short = shortNames.length > 0 ? { shortNames } : {}
  const grouped = categories.length > 0 ? { categories } : {}
  const own = {
    name: plural,
    singularName: singular,
    namespaced,
    kind,
    verbs: verbsOf(definition),
    ...short,
    ...grouped,
  }
  const parts = definition.subresources.map((name) => ({
    name: `${plural}/${name}`,
    singularName: '',
    namespaced,
    ...(OTHER_KINDS[name] ?? { kind }),
    verbs: subresourceVerbs(name),
  }))
  return [own, ...parts]
}

function aggregatedEntry(definition: ResourceDefinition): Record<string, unknown> {
  const { group: name, version: groupVersion, plural, singular, namespaced, kind, shortNames, categories } = definition
  return {
    resource: plural,
    responseKind: { group: name, version: groupVersion, kind },
    scope: namespaced ? 'Namespaced' : 'Cluster',
    singularResource: singular,
    verbs: verbsOf(definition),
    shortNames,
    categories,
    subresources: definition.subresources.map((subresource) => ({
      subresource,
      responseKind: OTHER_KINDS[subresource] ?? { group: name, version: groupVersion, kind },
      verbs: subresourceVerbs(subresource),
    })),
  }
}
