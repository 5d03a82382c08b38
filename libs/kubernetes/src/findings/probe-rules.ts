import { isDeepStrictEqual } from 'node:util'
import { mentionsIn } from '../graph/host-names.js'
import { containersOf, podLabelsOf, servingContainersOf, serviceSelectorOf } from '../graph/pod-template.js'
import { type Json, type JsonMap, mapAt, mapsAt, numberAt, selects, textAt } from '../input/kubernetes-object.js'
import { type Application, containerName, containerRule, type Path, type Rule, type Weakness } from './rule.js'

const KINDS = ['startupProbe', 'readinessProbe', 'livenessProbe'] as const

const noReadiness = containerRule(
  {
    id: 'ORD020-no-readiness-probe',
    severity: 'warning',
    why: 'A new pod is sent traffic before it can answer.',
    proof: 'Kill a pod under traffic: requests fail while its successor starts.',
  },
  (container, path, { object, workload, application }) => {
    const isServing = application.served.has(workload.id) && servingContainersOf(object).includes(container)
    if (!isServing || container.readinessProbe) return []
    const message = `Container ${containerName(container)} has no readiness probe: it is sent traffic before it can answer.`
    return [{ object, path, message, severity: container.startupProbe ? 'note' : 'warning' }]
  },
)

const noLiveness = containerRule(
  {
    id: 'ORD021-no-liveness-probe',
    severity: 'note',
    why: 'A pod that hangs is never restarted.',
    proof: 'Make its process hang, with a fault that stops its answers: it stays so.',
  },
  (container, path, { object, workload, application }) => {
    const isServing = application.served.has(workload.id) && servingContainersOf(object).includes(container)
    if (!isServing || container.livenessProbe) return []
    const message = `Container ${containerName(container)} has no liveness probe: it is not restarted when it hangs.`
    return [{ object, path, message }]
  },
)

/** Seconds of trouble that a liveness probe should bear: shorter ones pass by themselves. */
const MIN_PATIENCE_S = 5
/** Seconds that a container should have to start in. */
const MIN_START_S = 10

const patienceOf = (probe: JsonMap): number =>
  (numberAt(probe, 'failureThreshold') ?? 3) * (numberAt(probe, 'periodSeconds') ?? 10)

const eagerLiveness = containerRule(
  {
    id: 'ORD022-eager-liveness',
    severity: 'warning',
    why: 'A slow moment becomes a wave of restarts that outlasts it.',
    proof: 'Delay its answers for longer than the probe waits: its containers are restarted, all at once.',
  },
  (container, path, { object }) => {
    const probe = mapAt(container, 'livenessProbe')
    if (!container.livenessProbe) return []
    const failures = numberAt(probe, 'failureThreshold') ?? 3
    if (failures > 1 && patienceOf(probe) >= MIN_PATIENCE_S) return []
    const after = failures === 1 ? 'a single failed probe' : `${patienceOf(probe)} s of failed probes`
    const message = `Container ${containerName(container)} is restarted after ${after}.`
    return [{ object, path: [...path, 'livenessProbe'], message }]
  },
)

const sameLiveness = containerRule(
  {
    id: 'ORD012-liveness-is-readiness',
    severity: 'warning',
    why: 'What should only take a pod out of rotation restarts it at the same moment.',
    proof: 'Delay its answers for longer than the probes wait: pods are restarted that would have recovered.',
  },
  ({ livenessProbe, readinessProbe }, path, { object }) => {
    if (!livenessProbe || !isDeepStrictEqual(timed(livenessProbe), timed(readinessProbe))) return []
    const message = 'Liveness is the same as readiness, timing included: a slow moment restarts the pod.'
    return [{ object, path: [...path, 'livenessProbe'], message }]
  },
)

/** A probe with the timing that Kubernetes gives it where it names none. */
const timed = (probe: Json | undefined): JsonMap => ({
  ...{ initialDelaySeconds: 0, periodSeconds: 10, timeoutSeconds: 1, failureThreshold: 3, successThreshold: 1 },
  ...mapAt({ probe: probe ?? {} }, 'probe'),
})

const shortStart = containerRule(
  {
    id: 'ORD032-short-start',
    severity: 'note',
    why: 'A container that starts slower than usual, on a busy node, is restarted before it ever runs.',
    proof: 'Press the CPU of its node while a pod starts.',
  },
  (container, path, { object }) => {
    const [startup, liveness] = [mapAt(container, 'startupProbe'), mapAt(container, 'livenessProbe')]
    const kind = container.startupProbe ? 'startupProbe' : 'livenessProbe'
    const probe = container.startupProbe ? startup : liveness
    const seconds = (numberAt(probe, 'initialDelaySeconds') ?? 0) + patienceOf(probe)
    if (!container[kind] || seconds >= MIN_START_S) return []
    const message = `Container ${containerName(container)} is restarted when it has not started within ${seconds} s.`
    return [{ object, path: [...path, kind], message, severity: seconds < MIN_PATIENCE_S ? 'warning' : 'note' }]
  },
)

const probePort = containerRule(
  {
    id: 'ORD028-probe-port-matches-nothing',
    severity: 'error',
    why: 'A probe of a port that does not exist never succeeds: the pod is never ready, or is restarted for ever.',
    proof: 'Deploy it and wait: it never settles.',
  },
  (container, path, { object }) => {
    const all = containersOf(object).flatMap((c) => mapsAt(c, 'ports'))
    const own = mapsAt(container, 'ports')
    return KINDS.flatMap((kind): Weakness[] => {
      const port = portOf(mapAt(container, kind))
      if (port === null || isDeclared(port, typeof port === 'string' ? own : all)) return []
      const declared = all
        .map((p) => [textAt(p, 'name') ?? '', numberAt(p, 'containerPort') ?? ''].join(' ').trim())
        .join(', ')
      const message = `The ${kind} asks port ${port}, which its containers do not declare (${declared || 'they declare none'}).`
      const isSure = typeof port === 'string'
      if (!isSure && !own.length) return []
      return [{ object, path: [...path, kind], message, severity: isSure ? 'error' : 'note' }]
    })
  },
)

function portOf(probe: JsonMap): string | number | null {
  const handler = [mapAt(probe, 'httpGet'), mapAt(probe, 'tcpSocket')].find((h) => h.port !== undefined)
  const port = handler && !handler.host ? handler.port : undefined
  if (typeof port === 'number') return port
  if (typeof port !== 'string') return null
  return /^\d+$/.test(port) ? Number(port) : port
}

const isDeclared = (port: string | number, ports: readonly JsonMap[]): boolean =>
  ports.some((p) => p.containerPort === port || p.name === port)

const livenessAsksOthers = containerRule(
  {
    id: 'ORD030-liveness-asks-others',
    severity: 'warning',
    why: 'When what it depends on is lost, healthy pods are restarted, too, and the outage spreads.',
    proof: 'Kill the service that it asks: its own containers are restarted.',
  },
  (container, path, { object, application }) => {
    const [{ name, path: at } = NONE] = askedBy(container, application)
    const service = name === null ? undefined : application.byId.get(`Service/${name}`)
    if (!service || selects(serviceSelectorOf(service), podLabelsOf(object))) return []
    const message = `The liveness probe of container ${containerName(container)} asks another service, ${name}.`
    return [{ object, path: [...path, 'livenessProbe', ...at], message }]
  },
)

const NONE = { name: null, path: [] as Path }

function askedBy(container: JsonMap, { services }: Application): { name: string; path: Path }[] {
  const probe = mapAt(container, 'livenessProbe')
  const host = textAt(mapAt(probe, 'httpGet'), 'host')
  const { command } = mapAt(probe, 'exec')
  const words = Array.isArray(command) ? command.filter((word) => typeof word === 'string') : []
  const text = host === null ? words.join(' ') : `http://${host}`
  const found = mentionsIn(text, '', services)
  return found.map(({ service }) => ({ name: service, path: [host === null ? 'exec' : 'httpGet'] }))
}

export const probeRules: readonly Rule[] = [
  sameLiveness,
  noReadiness,
  noLiveness,
  eagerLiveness,
  probePort,
  livenessAsksOthers,
  shortStart,
]
