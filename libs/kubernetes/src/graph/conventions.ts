import { type Service } from '@ordeal/shared'
import { idOf, type JsonMap, type KubernetesObject, mapsAt, nameOf, textAt } from '../input/kubernetes-object.js'
import { type Edge } from './build-graph.js'
import { containersOf } from './pod-template.js'
import { holdsData, imageName } from './state.js'

/** A host that an image calls unless it is told another, by its documentation. */
const BY_DEFAULT = 0.7
/** A name such as `carts-db` says whose it is. */
const BY_NAME = 0.6
/** A variable such as PGPASSWORD says what is called, and there is one such service. */
const BY_VARIABLE = 0.6

/** Hosts that well-known images call when no setting names one. */
const DEFAULT_HOSTS: readonly { image: RegExp; hosts: readonly string[] }[] = [
  { image: /^wordpress$/, hosts: ['mysql'] },
  { image: /^(phpmyadmin)$/, hosts: ['db'] },
  { image: /^(nextcloud|drupal|joomla|matomo|bookstack)$/, hosts: ['mysql', 'db', 'mariadb'] },
  {
    image: /^(gb-frontend|guestbook-frontend|php-redis|guestbook)$/,
    hosts: ['redis-leader', 'redis-follower', 'redis-master', 'redis-slave', 'redis-replica'],
  },
  { image: /^(gb-redis-?(follower|slave))$/, hosts: ['redis-leader', 'redis-master'] },
  { image: /^redis-?commander$/, hosts: ['redis', 'localhost'] },
  { image: /^mongo-express$/, hosts: ['mongo'] },
  { image: /^(kafka-ui|kafdrop|cp-schema-registry|cp-kafka-rest|cp-kafka-connect)$/, hosts: ['kafka'] },
  { image: /^(kafka|cp-kafka)$/, hosts: ['zookeeper'] },
  { image: /^(kibana|opensearch-dashboards)$/, hosts: ['elasticsearch', 'opensearch'] },
  { image: /^examplevotingapp[_-]vote$/, hosts: ['redis'] },
  { image: /^examplevotingapp[_-]result$/, hosts: ['db'] },
  { image: /^examplevotingapp[_-]worker$/, hosts: ['redis', 'db'] },
]

/** Variables by which clients of a system are told what they need beside its host. */
const CLIENT_VARIABLES: readonly { variable: RegExp; image: RegExp }[] = [
  {
    variable: /^(PGPASSWORD|PGUSER|PGDATABASE|POSTGRES(QL)?_(PASSWORD|USER|DB|DATABASE))$/,
    image: /^(postgres|postgis|timescaledb)/,
  },
  {
    variable: /^(MYSQL|MARIADB|WORDPRESS_DB)_(PASSWORD|USER|DATABASE|NAME|ROOT_PASSWORD)$/,
    image: /^(mysql|mariadb|percona)/,
  },
  { variable: /^REDIS_(PASSWORD|PORT|DB|USERNAME|AUTH)$/, image: /^(redis|valkey|keydb|dragonfly)/ },
  { variable: /^(MONGO|MONGODB)_(PASSWORD|USER(NAME)?|DATABASE|DB|INITDB_\w+)$/, image: /^mongo/ },
  { variable: /^(RABBITMQ|AMQP)_(PASSWORD|USER(NAME)?|VHOST|DEFAULT_\w+)$/, image: /^rabbitmq/ },
  { variable: /^KAFKA_(TOPIC|GROUP_ID|CLIENT_ID|USERNAME|PASSWORD)\w*$/, image: /^(kafka|cp-kafka|redpanda)/ },
]

const SUFFIX =
  /-(db|database|mysql|mariadb|postgres(ql)?|pg|mongo(db)?|redis|cache|valkey|memcached|rabbitmq|queue|data|store)$/

interface Seen {
  readonly workloads: readonly KubernetesObject[]
  readonly services: readonly Service[]
  /** Edges that settings show. */
  readonly seen: readonly Edge[]
}

/**
 * Calls that no setting shows, but that names and known images make likely: what an image calls by default, the store
 * that is called after a workload, the only store of the kind that a workload has credentials for.
 */
export function conventionEdges({ workloads, services, seen }: Seen): Edge[] {
  const stores = storesOf(workloads, services)
  const byName = new Map(services.map((s) => [nameOf(s.id), s]))
  const called = new Set(seen.map((e) => e.to))
  const byOwner = namesakesOf(stores.filter(({ service }) => !called.has(service.id)))
  const known = new Set(seen.map((e) => `${e.from} ${e.to}`))
  return workloads.flatMap((workload) => {
    const from = idOf(workload)
    return [
      ...defaultHosts(workload, byName),
      ...(byOwner.get(workload.metadata.name) ?? []).map((to) => ({
        to,
        confidence: BY_NAME,
        evidence: `${nameOf(to)} is named after it`,
      })),
      ...byVariable(workload, stores, known),
    ].flatMap((likely) => (known.has(`${from} ${likely.to}`) ? [] : [{ from, ...likely }]))
  })
}

interface Store {
  readonly service: Service
  readonly images: readonly string[]
}

function storesOf(workloads: readonly KubernetesObject[], services: readonly Service[]): Store[] {
  const images = new Map(workloads.filter(holdsData).map((w) => [idOf(w), imagesOf(w).map(imageName)]))
  return services.flatMap((service) => {
    const found = service.workloads.flatMap((id) => images.get(id) ?? [])
    return found.length ? [{ service, images: found }] : []
  })
}

/** Stores by the name that theirs begins with: `carts-db` → carts. */
function namesakesOf(stores: readonly Store[]): Map<string, string[]> {
  const owned = new Map<string, string[]>()
  for (const { service } of stores) {
    const owner = nameOf(service.id).replace(SUFFIX, '')
    owned.set(owner, [...(owned.get(owner) ?? []), service.id])
  }
  return owned
}

const imagesOf = (workload: KubernetesObject): string[] =>
  containersOf(workload).flatMap((container) => textAt(container, 'image') ?? [])

type Likely = Omit<Edge, 'from'>

function defaultHosts(workload: KubernetesObject, services: ReadonlyMap<string, Service>): Likely[] {
  return imagesOf(workload).flatMap((image) => {
    const hosts = DEFAULT_HOSTS.find((known) => known.image.test(imageName(image)))?.hosts ?? []
    return hosts.flatMap((host) => {
      const service = services.get(host)
      return service ? [{ to: service.id, confidence: BY_DEFAULT, evidence: `its image calls ${host} by default` }] : []
    })
  })
}

/** Nothing where a setting already names a store of that kind, or where there are several to choose from. */
function byVariable(workload: KubernetesObject, stores: readonly Store[], known: ReadonlySet<string>): Likely[] {
  const from = idOf(workload)
  const names = containersOf(workload).flatMap((c: JsonMap) => mapsAt(c, 'env').map((e) => textAt(e, 'name') ?? ''))
  return CLIENT_VARIABLES.flatMap(({ variable, image }) => {
    const name = names.find((n) => variable.test(n))
    const fitting = name === undefined ? [] : stores.filter((s) => s.images.some((i) => image.test(i)))
    const workloads = new Set(fitting.flatMap((s) => s.service.workloads))
    const isOwn = workloads.has(from) || fitting.some((s) => known.has(`${from} ${s.service.id}`))
    const [only] = fitting
    if (isOwn || workloads.size !== 1 || !only) return []
    const evidence = `env ${name} is for a system like ${nameOf(only.service.id)}`
    return [{ to: only.service.id, confidence: BY_VARIABLE, evidence }]
  })
}
