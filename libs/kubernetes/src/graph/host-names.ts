/** A service as other workloads' settings can name it. */
export interface NamedService {
  readonly name: string
  readonly ports: readonly number[]
}

/** A service found in a text, and how sure it is that the text means it (0–1). */
export interface Mention {
  readonly service: string
  readonly confidence: number
}

/** Names of settings whose plain value is the name of a host: CATALOGUE_HOST, redis-addr, --backend. */
const HOST_SETTING =
  /(^|[_.-]|\b)(host(name)?s?|addr(ess)?(es|s)?|urls?|uris?|endpoints?|servers?|svc|services?|upstreams?|backends?|brokers?|targets?|peers?|dsn|calls?|proxy|origin|master|primary|replica|db|database|cache|queue)([_.-]|\b|$)/i

/** Names of settings whose value is the name of a thing within a system, not of its host: MYSQL_DATABASE, DB_USER. */
const NAME_SETTING =
  /[_.-](database|db|name|user(name)?|password|schema|keyspace|vhost|topic|group|bucket|index|prefix|mode|type|driver|class)$/i

/** A word that can be a host, with the port after it. */
const WORD = /[a-z0-9](?:[a-z0-9.-]{0,251}[a-z0-9])?(?::\d{1,5}(?!\d))?/gi
/** Kubernetes gives every pod variables of this shape for each service. */
const SERVICE_VARIABLE = /\$[({]?([A-Z][A-Z0-9_]*)_SERVICE_(?:HOST|PORT)\b/g

const SURE = 0.95
const WITH_PORT = 0.9
const BY_SETTING = 0.85
const OTHER_PORT = 0.6

/**
 * The services that a text names as hosts: in URLs, as `host:port`, by a name within the cluster (`db.shop.svc`), or as
 * the plain value of a setting whose name (`setting`) speaks of hosts. Lists may be parted by anything.
 */
export function mentionsIn(text: string, setting: string, services: ReadonlyMap<string, NamedService>): Mention[] {
  const plain = HOST_SETTING.test(setting) && (!NAME_SETTING.test(setting) || /host_?name$/i.test(setting))
  const words = [...text.matchAll(WORD)].flatMap((match) => {
    const word: Word = {
      text: match[0],
      before: text.slice(Math.max(0, match.index - 3), match.index),
      after: text[match.index + match[0].length] ?? '',
    }
    return mention(word, plain, services) ?? []
  })
  return [...words, ...variables(text, services)]
}

interface Word {
  readonly text: string
  readonly before: string
  readonly after: string
}

function mention(word: Word, plain: boolean, services: ReadonlyMap<string, NamedService>): Mention | null {
  // `user:` and `user@` before a host, and `http:` before `//`.
  if (word.after === '@' || word.after === ':') return null
  const [host = '', port] = word.text.split(':')
  const found = resolve(host.toLowerCase(), services)
  if (!found) return null
  const confidence = confidenceOf(
    word,
    { plain, qualified: host.includes('.'), port: port === undefined ? null : Number(port) },
    found,
  )
  return confidence === null ? null : { service: found.name, confidence }
}

interface Shape {
  readonly plain: boolean
  readonly qualified: boolean
  readonly port: number | null
}

function confidenceOf(word: Word, shape: Shape, service: NamedService): number | null {
  if (word.before.endsWith('//') || word.before.endsWith('@') || shape.qualified) return SURE
  // A path, not a host: `/var/redis`, `x/redis:7`.
  if (word.before.endsWith('/')) return null
  if (shape.port !== null) return service.ports.includes(shape.port) ? WITH_PORT : OTHER_PORT
  return shape.plain && word.after !== '/' && !/[.\w-]$/.test(word.before) ? BY_SETTING : null
}

/**
 * `db`, `db.<namespace>.svc…`, a pod of a StatefulSet `db-0.db…`. A name with dots that lacks `svc` is taken for a
 * host on the internet unless it is `<pod>.<service>`.
 */
function resolve(host: string, services: ReadonlyMap<string, NamedService>): NamedService | null {
  const [first = '', second = '', third] = host.split('.')
  const named = services.get(first) ?? null
  if (second === '') return named
  const pod = /-\d+$/.test(first) ? services.get(second) : undefined
  if (pod) return pod
  return third === 'svc' || second === 'svc' || second === 'default' ? named : null
}

function variables(text: string, services: ReadonlyMap<string, NamedService>): Mention[] {
  return [...text.matchAll(SERVICE_VARIABLE)].flatMap((match) => {
    const name = (match[1] ?? '').toLowerCase().replaceAll('_', '-')
    return services.has(name) ? [{ service: name, confidence: SURE }] : []
  })
}
