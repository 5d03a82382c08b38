import { type Fault, type Graph, type Hypothesis, type SteadyStateDraft } from '@ordeal/shared'
import { type Application } from './cycle.js'

const threshold = {
  maxLatencyMs: null,
  fault: { minShare: 0.95, maxOutageMs: 5000 },
  post: { normalAfterMs: 5000, minShare: 0.98 },
}

const answers = (name: string): SteadyStateDraft => ({
  id: `${name}-answers`,
  statement: `${name} answers`,
  target: `Service/${name}`,
  weight: 3,
  probe: { kind: 'http', service: name, port: 80, path: '/', ratePerSecond: 10, timeoutMs: 2000 },
  threshold,
})
const ready = (kind: string, name: string): SteadyStateDraft => ({
  id: `${name}-ready`,
  statement: `${name} is ready`,
  target: `${kind}/${name}`,
  weight: 1,
  probe: { kind: 'k8s', selector: { app: name }, minReady: 1, periodMs: 1000 },
  threshold,
})

const source = { file: 'app.yaml', line: 1 }
const graphOf = (kind: string, name: string, replicas: number): Graph => ({
  application: name,
  workloads: [
    {
      id: `${kind}/${name}`,
      podLabels: { app: name },
      selector: { app: name },
      replicas,
      stateful: false,
      managed: kind !== 'Pod',
      readiness: true,
      images: ['ordeal/testapp:1'],
      source,
    },
  ],
  services: [
    {
      id: `Service/${name}`,
      selector: { app: name },
      ports: [{ port: 80, targetPort: 8080 }],
      workloads: [`${kind}/${name}`],
      source,
    },
  ],
  edges: [],
  entryPoints: [`Service/${name}`],
})

const service = (name: string, spec: object) => ({
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { name },
  spec: { selector: { app: name }, ports: [{ port: 80, targetPort: 8080 }], ...spec },
})

const container = (name: string) => ({
  name,
  image: 'ordeal/testapp:1',
  ports: [{ containerPort: 8080 }],
  readinessProbe: { httpGet: { path: '/healthz', port: 8080 }, periodSeconds: 2 },
})

export const deployment = (name: string, replicas: number): Record<string, unknown> => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name },
  spec: {
    replicas,
    selector: { matchLabels: { app: name } },
    template: { metadata: { labels: { app: name } }, spec: { containers: [container(name)] } },
  },
})

const barePod = (name: string): Record<string, unknown> => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, labels: { app: name } },
  spec: { containers: [container(name)] },
})

/** A Deployment behind a Service that calls another, by name, for each request; faults are aimed at the first. */
export function callingApp(name: string, called: string): Application {
  const [front, back] = [deploymentApp(name, 1), deploymentApp(called, 1)]
  const [workload, ...rest] = front.objects
  const env = [{ name: 'CALLS', value: `http://${called}` }]
  const spec = { template: { spec: { containers: [{ ...container(name), env }] } } }
  return {
    objects: [merged(workload ?? {}, { spec }), ...rest, ...back.objects],
    graph: {
      ...front.graph,
      workloads: [...front.graph.workloads, ...back.graph.workloads],
      services: [...front.graph.services, ...back.graph.services],
    },
    steadyStates: front.steadyStates,
  }
}

/** The second laid over the first; lists are replaced. */
function merged(under: Record<string, unknown>, over: Record<string, unknown>): Record<string, unknown> {
  const isMap = (value: unknown): value is Record<string, unknown> =>
    typeof value === 'object' && value !== null && !Array.isArray(value)
  const fields = Object.entries(over).map(([key, value]): [string, unknown] => {
    const found = under[key]
    return [key, isMap(value) && isMap(found) ? merged(found, value) : value]
  })
  return { ...under, ...Object.fromEntries<unknown>(fields) }
}

/** A Deployment behind a Service. `serviceSpec` overrides the Service's spec. */
export const deploymentApp = (name: string, replicas: number, serviceSpec: object = {}): Application => ({
  objects: [deployment(name, replicas), service(name, serviceSpec)],
  graph: graphOf('Deployment', name, replicas),
  steadyStates: [answers(name), ready('Deployment', name)],
})

/** A bare Pod behind a Service. */
export const barePodApp = (name: string): Application => ({
  objects: [barePod(name), service(name, {})],
  graph: graphOf('Pod', name, 1),
  steadyStates: [answers(name), ready('Pod', name)],
})

/** A fault on the application's workload: by default one of its pods is killed. */
export function faultOn({ graph }: Application, more: Partial<Fault> = {}): Fault {
  const [workload] = graph.workloads
  if (!workload) throw new Error('an application without a workload')
  return {
    id: 'f1',
    kind: 'PodChaos',
    action: 'pod-kill',
    target: { component: workload.id, selector: workload.selector, mode: 'one', count: null },
    durationMs: 60_000,
    parameters: {},
    ...more,
  } as Fault
}

/** A hypothesis as it would be frozen for the application, with these faults. */
export const hypothesisOf = (app: Application, faults: Fault[][]): Hypothesis => ({
  steadyStates: app.steadyStates.map((state) => ({
    ...state,
    baseline: { samples: 50, failed: 0, latencyMs: null },
    negativeControl: { failed: true, how: 'shown before', method: 'target-broken' },
  })),
  scenario: { event: 'a pod is lost', reason: 'test', faults },
  // The compiled fault window is as long as its faults.
  timing: { preMs: 5000, faultMs: 0, postMs: 10_000 },
  assumptions: [],
  hash: `sha256:${'0'.repeat(64)}`,
})

export const hypothesisFor = (app: Application, more: Partial<Fault> = {}): Hypothesis =>
  hypothesisOf(app, [[faultOn(app, more)]])

/** The application with a variable more in the environment of its containers. */
export function withVariable(app: Application, variable: { name: string; value: string }): Application {
  const objects = app.objects.map((object) => {
    const spec = object.spec as { template?: { spec: { containers: object[] } } }
    if (!spec.template) return object
    const containers = spec.template.spec.containers.map((one) => ({ ...one, env: [variable] }))
    return { ...object, spec: { ...spec, template: { ...spec.template, spec: { ...spec.template.spec, containers } } } }
  })
  return { ...app, objects }
}
