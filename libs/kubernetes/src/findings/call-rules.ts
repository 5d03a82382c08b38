import { servicePortsOf } from '../graph/pod-template.js'
import { type KubernetesObject, mapAt, mapsAt, textAt } from '../input/kubernetes-object.js'
import { type Application, containerName, containerRule, type Rule, type Weakness } from './rule.js'

/** A URL whose host is a name within the cluster: `http://db`, `http://db:8080/x`, `https://db.shop.svc`. */
const CALL =
  /\b(https?):\/\/(?:[^\s/@|,]*@)?([a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?)(\.[a-z0-9-]+\.svc(?:\.cluster\.local)?)?(?::(\d{1,5}))?(?![\w.:-])/gi

interface Call {
  readonly name: string
  /** True where the name says in which namespace it is. */
  readonly isQualified: boolean
  readonly port: number
}

const DEFAULT_PORTS: Readonly<Record<string, number>> = { http: 80, https: 443 }
/** Names that are no service's. */
const OWN = new Set(['localhost'])

const callsIn = (text: string): Call[] =>
  [...text.matchAll(CALL)].flatMap(([, scheme = '', host = '', space, port]) => {
    const name = host.toLowerCase()
    const call = { name, isQualified: space !== undefined }
    // A host of digits alone is no name.
    return OWN.has(name) || /^\d+$/.test(name)
      ? []
      : [{ ...call, port: port === undefined ? (DEFAULT_PORTS[scheme.toLowerCase()] ?? 80) : Number(port) }]
  })

/** A rule that looks at the calls that a container's variables name; `judge` says what is wrong with one, or nothing. */
const callRule = (
  rule: Omit<Rule, 'find'>,
  judge: (call: Call, application: Application) => Pick<Weakness, 'message' | 'severity'> | null,
): Rule =>
  containerRule(rule, (container, path, { object, application }) =>
    mapsAt(container, 'env').flatMap((entry, index) =>
      callsIn(textAt(entry, 'value') ?? '').flatMap((call): Weakness[] => {
        const found = judge(call, application)
        if (!found) return []
        const variable = `${textAt(entry, 'name') ?? '?'} of container ${containerName(container)}`
        return [
          { ...found, object, path: [...path, 'env', index, 'value'], message: `${variable} calls ${found.message}` },
        ]
      }),
    ),
  )

/** Services by which callers reach exactly the ports that they name. */
const hasPortsOfItsOwn = (service: KubernetesObject): boolean =>
  mapAt(service, 'spec').clusterIP !== 'None' && mapAt(service, 'spec').type !== 'ExternalName'

const missingPort = callRule(
  {
    id: 'ORD046-call-to-missing-port',
    severity: 'warning',
    why: 'Each of these calls fails: nothing takes it.',
    proof: 'Make the call from one of its pods: no connection is ever made.',
  },
  ({ name, port }, { byId }) => {
    const service = byId.get(`Service/${name}`)
    if (!service || !hasPortsOfItsOwn(service)) return null
    const ports = servicePortsOf(service).map((p) => p.port)
    if (!ports.length || ports.includes(port)) return null
    return { message: `port ${port} of Service/${name}, which has only ${ports.join(', ')}.` }
  },
)

const nobody = callRule(
  {
    id: 'ORD047-call-to-nobody',
    severity: 'warning',
    why: 'Where nobody else provides the name, each of these calls fails.',
    proof: 'Deploy it to an empty namespace, and look the name up from one of its pods.',
  },
  ({ name, isQualified }, { byId, isOperated }) => {
    if (byId.has(`Service/${name}`)) return null
    const severity = isQualified || isOperated ? 'note' : 'warning'
    return { message: `${name}, and there is no Service of that name among the manifests.`, severity }
  },
)

export const callRules: readonly Rule[] = [missingPort, nobody]
