// docker-compose.yml: its containers in the common form of deploy-rules.mjs.
import { SECRETS } from './deploy-rules.mjs'

const REFERENCE = /\$\{([A-Z_]+)(?::([-?])([^}]*))?\}/g

/** Names of the variables that the file takes from .env. */
export const referencesOf = (text) => new Set([...text.matchAll(REFERENCE)].map(([, name]) => name))

/** As Compose fills them in; those that must be given become `sample`. */
const filled = (text) => String(text).replace(REFERENCE, (_, __, how, rest) => (how === '-' ? rest : 'sample'))

const isRequired = (text) => /\$\{[A-Z_]+:\?/.test(String(text))

function variableOf([name, text]) {
  const secret = name in SECRETS && isRequired(text)
  return [name, secret ? { secret } : { value: filled(text) }]
}

/** The health check of our image is a line of JavaScript with the address in it. */
function probesOf({ healthcheck }) {
  const url = /fetch\('([^']+)'\)/.exec(healthcheck?.test?.join(' ') ?? '')?.[1]
  if (!url) return []
  const { pathname, port } = new URL(url)
  return [{ kind: 'healthcheck', path: pathname, port }]
}

/** Ports by which containers reach each other, of images that are not ours. */
const KNOWN_PORTS = { postgres: [5432], nats: [4222] }

function servicesOf(services) {
  const ports = ([name, { environment }]) => [name, KNOWN_PORTS[name] ?? [Number(environment?.PORT)]]
  return Object.fromEntries(Object.entries(services).map(ports))
}

/** `nats` runs as root without a capability, see there. */
const MAY_BE_ROOT = new Set(['nats'])

const isLimited = ({ restart, deploy }) =>
  restart === 'no' || ['cpus', 'memory'].every((what) => deploy?.resources?.limits?.[what])

const securityOf = (name, service) => ({
  nonRoot: MAY_BE_ROOT.has(name) || /^[1-9]\d*:[1-9]\d*$/.test(service.user ?? ''),
  readOnly: service.read_only === true,
  dropsAll: service.cap_drop?.includes('ALL') === true && !service.cap_add,
  noEscalation: service.security_opt?.includes('no-new-privileges:true') === true,
  limited: isLimited(service),
})

/** Every container of a parsed compose file. `programs` is that of deploy-programs.mjs. */
export function containersOf({ services }, programs) {
  return Object.entries(services).map(([name, service]) => ({
    place: `docker-compose.yml, ${name}`,
    program: programs[service.command?.[0]] ?? null,
    image: filled(service.image),
    environment: Object.fromEntries(Object.entries(service.environment ?? {}).map(variableOf)),
    services: servicesOf(services),
    probes: probesOf(service),
    graceMs: parseInt(service.stop_grace_period ?? '10s') * 1000,
    preStopMs: 0,
    ...securityOf(name, service),
  }))
}
