// deploy/k8s, rendered: its containers in the common form of deploy-rules.mjs, and what only Kubernetes has.

/** Finds an object of a rendered set, or throws what is missing. */
function find(objects, kind, name) {
  const found = objects.find((o) => o.kind === kind && o.metadata.name === name)
  if (!found) throw new Error(`${kind}/${name} is referred to, but is not there`)
  return found
}

const podSpecOf = ({ spec }) => spec?.template?.spec

function variablesOf(container, objects) {
  const settings = (container.envFrom ?? []).flatMap(({ configMapRef }) =>
    Object.entries(find(objects, 'ConfigMap', configMapRef.name).data).map(([name, value]) => [name, { value }]),
  )
  const own = (container.env ?? []).map(({ name, value, valueFrom }) => {
    return [name, valueFrom?.secretKeyRef ? { secret: true } : { value: value ?? '' }]
  })
  return Object.fromEntries([...settings, ...own])
}

const PROBES = ['startupProbe', 'livenessProbe', 'readinessProbe']

function probesOf(container) {
  const numberOf = (port) => (container.ports ?? []).find(({ name }) => name === port)?.containerPort ?? port
  return PROBES.filter((kind) => container[kind]?.httpGet).map((kind) => {
    const { path, port } = container[kind].httpGet
    return { kind, path, port: numberOf(port) }
  })
}

function servicesOf(objects) {
  const services = objects.filter(({ kind }) => kind === 'Service')
  return Object.fromEntries(services.map(({ metadata, spec }) => [metadata.name, spec.ports.map(({ port }) => port)]))
}

const isLimited = ({ requests = {}, limits = {} } = {}) => [requests, limits].every((r) => r.cpu && r.memory)

function securityOf(pod, container) {
  const { securityContext: inPod = {} } = pod
  const own = container.securityContext ?? {}
  return {
    nonRoot: inPod.runAsNonRoot === true && inPod.runAsUser > 0 && inPod.seccompProfile?.type === 'RuntimeDefault',
    readOnly: own.readOnlyRootFilesystem === true,
    dropsAll: own.capabilities?.drop?.includes('ALL') === true && !own.capabilities.add,
    noEscalation: own.allowPrivilegeEscalation === false,
    limited: isLimited(container.resources),
  }
}

/** Every container of a rendered set. `programs` is that of deploy-programs.mjs. */
export function containersOf(objects, programs) {
  const services = servicesOf(objects)
  return objects.filter(podSpecOf).flatMap((workload) => {
    const pod = podSpecOf(workload)
    return [...(pod.initContainers ?? []), ...pod.containers].map((container) => ({
      place: `${workload.kind}/${workload.metadata.name}, container ${container.name}`,
      program: programs[container.args?.[0]] ?? null,
      image: container.image,
      environment: variablesOf(container, objects),
      services,
      probes: probesOf(container),
      graceMs: (pod.terminationGracePeriodSeconds ?? 30) * 1000,
      preStopMs: (container.lifecycle?.preStop?.sleep?.seconds ?? 0) * 1000,
      ...securityOf(pod, container),
    }))
  })
}

const matches = (selector, labels) => Object.entries(selector).every(([key, value]) => labels[key] === value)

function selectorOf({ kind, spec }) {
  if (kind === 'Service') return spec.selector
  return (spec?.podSelector ?? spec?.selector)?.matchLabels
}

/** Ports that a Service sends to and that none of its pods opens. */
function deadPorts({ spec }, pods) {
  const open = pods.flatMap((pod) => pod.spec.containers.flatMap((c) => c.ports ?? []))
  return spec.ports
    .map(({ targetPort }) => targetPort)
    .filter((target) => !open.some((port) => port.name === target || port.containerPort === target))
}

function* checkSelectors(objects) {
  const templates = objects.filter(podSpecOf).map((o) => o.spec.template)
  for (const object of objects) {
    const selector = selectorOf(object)
    if (!selector) continue
    const id = `${object.kind}/${object.metadata.name}`
    const pods = templates.filter(({ metadata }) => matches(selector, metadata.labels))
    if (pods.length === 0) yield `${id} selects no pod`
    const dead = object.kind === 'Service' ? deadPorts(object, pods) : []
    for (const port of dead) yield `${id} sends to ${port}, which no container opens`
  }
}

function* checkServices(objects) {
  const services = objects.filter(({ metadata }) => metadata.labels?.['ordeal.dev/tier'] === 'service')
  if (services.length !== 5) yield `there are ${services.length} services, not five`
  for (const { metadata, spec } of services) {
    if (!(spec.replicas >= 2)) yield `Deployment/${metadata.name} has less than two replicas`
    const budgets = objects.filter(({ kind }) => kind === 'PodDisruptionBudget')
    const guarded = budgets.some((b) => matches(b.spec.selector.matchLabels, spec.template.metadata.labels))
    if (!guarded) yield `Deployment/${metadata.name} has no PodDisruptionBudget`
  }
}

/** Only the experiment service may hold a token of the cluster, and each has an account of its own. */
function* checkAccounts(objects) {
  for (const workload of objects.filter(podSpecOf)) {
    const { automountServiceAccountToken: token, serviceAccountName } = podSpecOf(workload)
    const id = `${workload.kind}/${workload.metadata.name}`
    if (token !== false && serviceAccountName !== 'experiment') yield `${id} gets a token of the cluster`
    if (serviceAccountName !== workload.metadata.name) yield `${id} has no service account of its own`
    find(objects, 'ServiceAccount', serviceAccountName)
  }
}

const WIDENING = ['escalate', 'bind', 'impersonate']

/** Kubernetes' own roles that are wider than anything here may be. */
const WIDE_ROLES = ['cluster-admin', 'admin', 'edit']

/** Nobody may do everything: no wildcard, and only roles that stand here in full. */
function* checkRights(objects) {
  for (const { kind, metadata, rules = [], roleRef, subjects = [] } of objects) {
    const id = `${kind}/${metadata.name}`
    const words = rules.flatMap((rule) => [rule.apiGroups, rule.resources, rule.verbs]).flat()
    if (words.includes('*')) yield `${id} allows everything of a sort ('*')`
    if (words.some((word) => WIDENING.includes(word))) yield `${id} lets rights be widened`
    if (WIDE_ROLES.includes((roleRef ?? metadata).name)) yield `${id} is as wide as Kubernetes' own role`
    else if (roleRef) find(objects, roleRef.kind, roleRef.name)
    yield* subjects.filter(({ name }) => name !== 'experiment').map(({ name }) => `${id} gives rights to ${name}`)
  }
}

function* checkSecrets(objects) {
  for (const { kind, metadata } of objects) if (kind === 'Secret') yield `Secret/${metadata.name} stands in a manifest`
}

/** What is wrong with a rendered set as a whole, as sentences. */
export const checkObjects = (objects) =>
  [checkSelectors, checkServices, checkAccounts, checkRights, checkSecrets].flatMap((rule) => [...rule(objects)])
