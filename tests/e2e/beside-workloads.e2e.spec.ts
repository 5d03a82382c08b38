import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { resultsSchema, type Results } from '@ordeal/shared'
import { ordeal } from './ordeal.js'

const CYCLE_MS = 60_000

const WEB = `
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  replicas: 2
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      containers:
        - name: web
          image: ordeal/testapp:1
          ports: [{name: http, containerPort: 8080}]
          readinessProbe: {httpGet: {path: /healthz, port: http}, periodSeconds: 2}
---
apiVersion: v1
kind: Service
metadata: {name: web}
spec: {selector: {app: web}, ports: [{name: http, port: 80, targetPort: http}]}
`
const INGRESS = `
apiVersion: networking.k8s.io/v1
kind: Ingress
metadata: {name: door}
spec:
  ingressClassName: any
  rules:
    - host: shop.example.com
      http: {paths: [{path: /shop, pathType: Prefix, backend: {service: {name: web, port: {name: http}}}}]}
`
const MONITOR = `
apiVersion: monitoring.coreos.com/v1
kind: ServiceMonitor
metadata: {name: web}
spec: {selector: {matchLabels: {app: web}}, endpoints: [{port: http}]}
`
const MONITOR_KIND = `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: servicemonitors.monitoring.coreos.com}
spec:
  group: monitoring.coreos.com
  scope: Namespaced
  names: {plural: servicemonitors, singular: servicemonitor, kind: ServiceMonitor, listKind: ServiceMonitorList}
  versions: [{name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}}]
`

describe('what stands beside workloads in an input, through a whole cycle', () => {
  let root: string
  beforeEach(async () => (root = await mkdtemp(join(tmpdir(), 'ordeal-beside-'))))
  afterEach(() => rm(root, { recursive: true }))

  async function run(...documents: string[]): Promise<Results> {
    const input = join(root, 'app.yaml')
    await writeFile(input, documents.join('---'))
    const args = ['run', input, '--out', join(root, 'out'), '--json', '--no-improve']
    const { stdout, stderr } = await ordeal(args, join(root, 'state'))
    if (stdout === '') throw new Error(stderr)
    return resultsSchema.parse(JSON.parse(stdout))
  }

  it(
    'an Ingress is the way in: requests take it in every window',
    async () => {
      const { cycle, hypothesis, runs } = await run(WEB, INGRESS)
      expect(cycle.outcome).toBe('resilient')
      const [first] = hypothesis?.steadyStates ?? []
      expect(first?.probe).toMatchObject({
        service: 'web',
        path: '/shop',
        through: { ingress: 'Ingress/door', host: 'shop.example.com' },
      })
      expect(first?.negativeControl.failed).toBe(true)
      expect(cycle.cluster.assumptions).toContainEqual(
        expect.stringMatching(/^Ingress\/door is served by a controller/),
      )
      const checks = runs[0]?.checks.filter(({ steadyState }) => steadyState === first?.id) ?? []
      expect(checks.map(({ window }) => window)).toEqual(['pre', 'fault', 'post'])
      for (const { samples } of checks) expect(samples).toBeGreaterThan(50)
    },
    CYCLE_MS,
  )

  it(
    'a custom resource is kept without effect where its kind is defined, and the reader is told',
    async () => {
      const { cycle, summary } = await run(WEB, MONITOR_KIND, MONITOR)
      expect(cycle.outcome).toBe('resilient')
      expect(cycle.cluster.assumptions).toContainEqual(expect.stringMatching(/^ServiceMonitor\/web .*without effect/))
      expect(summary.manifests).toContain('app.yaml')
    },
    CYCLE_MS,
  )

  it(
    'and left out where it is not, and the reader is told',
    async () => {
      const { cycle } = await run(WEB, MONITOR)
      expect(cycle.outcome).toBe('resilient')
      expect(cycle.cluster.assumptions).toContainEqual(expect.stringMatching(/^ServiceMonitor\/web .*no effect/))
    },
    CYCLE_MS,
  )
})
