import { type Graph, type Service, type Workload } from '../artefacts/graph.js'

const source = { file: 'app.yaml', line: 1 }

/** A Deployment of two pods that tell when they are ready; its pods are called by `app: <name>`. */
export const sampleWorkload = (name: string, more: Partial<Workload> = {}): Workload => ({
  id: `Deployment/${name}`,
  podLabels: { app: name },
  selector: { app: name },
  replicas: 2,
  stateful: false,
  managed: true,
  readiness: true,
  images: [`${name}:1`],
  source,
  ...more,
})

/** A Service for the Deployment of its name. */
export const sampleService = (name: string, port = 80): Service => ({
  id: `Service/${name}`,
  selector: { app: name },
  ports: [{ port, targetPort: 8080 }],
  workloads: [`Deployment/${name}`],
  source,
})

/** A Deployment that calls a Service, as its environment shows. */
export const sampleCall = (from: string, to: string): Graph['edges'][number] => ({
  from: `Deployment/${from}`,
  to: `Service/${to}`,
  evidence: 'env',
  confidence: 0.9,
})
