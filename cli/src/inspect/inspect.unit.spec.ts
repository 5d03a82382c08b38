import { fakeScreen } from '../testing/fake-screen.js'
import { drawGraph, pictureOf } from './draw-graph.js'
import { type Inspection } from './inspection.js'
import { renderInspection } from './render-inspection.js'

const place = (line: number): { file: string; line: number } => ({ file: 'shop.yaml', line })
const workload = (name: string, more: Partial<Inspection['graph']['workloads'][number]> = {}) => ({
  ...{ id: `Deployment/${name}`, podLabels: { app: name }, selector: { app: name }, replicas: 1, images: [] },
  ...{ stateful: false, managed: true, readiness: true, source: place(1) },
  ...more,
})
const service = (name: string) => ({
  ...{ id: `Service/${name}`, selector: { app: name }, ports: [{ port: 80, targetPort: 80 }] },
  ...{ workloads: [`Deployment/${name}`], source: place(9) },
})

const inspection: Inspection = {
  schema: 'ordeal.inspection/v1',
  application: 'shop "2"',
  form: 'raw',
  objects: ['Deployment/web', 'Deployment/db', 'Service/web', 'Service/db', 'Ingress/door'].map((id) => ({
    ...{ id, apiVersion: 'v1' },
    ...place(1),
  })),
  graph: {
    application: 'shop',
    workloads: [workload('web', { replicas: 2 }), workload('db', { stateful: true, readiness: false })],
    services: [service('web'), service('db')],
    edges: [{ from: 'Deployment/web', to: 'Service/db', evidence: 'env DB_HOST names db', confidence: 0.6 }],
    entryPoints: ['Service/web'],
  },
  links: [
    { from: 'Deployment/web', to: 'Service/db', kind: 'calls', evidence: 'env DB_HOST names db', confidence: 0.6 },
    { from: 'Ingress/door', to: 'Service/web', kind: 'routes', evidence: 'a backend of it', confidence: 1 },
  ],
  findings: [
    { rule: 'R1', severity: 'note', object: 'Deployment/web', path: '', message: 'A little.', ...place(2) },
    { rule: 'R2', severity: 'error', object: 'Service/db', path: '', message: 'A lot.', ...place(3) },
    { rule: 'R2', severity: 'error', object: 'Service/web', path: '', message: 'Again.', ...place(4) },
  ],
  rules: [
    { id: 'R1', why: 'It may hurt.', proof: 'Hit it.' },
    { id: 'R2', why: 'It will hurt.', proof: 'Look at it.' },
  ],
  notes: ['a test hook is left out'],
}

describe('inspect', () => {
  it('tells what there is, who calls whom, and what is weak, the worst first', () => {
    expect(renderInspection(inspection, fakeScreen()))
      .toBe(`shop "2" (raw): 5 objects, 2 workloads, 2 services; 2 errors, 0 warnings, 1 note

Entry points
  Service/web

Workloads
  Deployment/web (shop.yaml:1): 2 replicas, behind Service/web
  Deployment/db (shop.yaml:1): 1 replica, holds state, does not tell when it is ready, behind
    Service/db

Who calls whom
  Deployment/web → Service/db (60 %: env DB_HOST names db)

What else belongs together
  Ingress/door routes Service/web (a backend of it)

Weaknesses
  error R2 Service/db (shop.yaml:3): A lot.
      why: It will hurt.
      proof: Look at it.
  error R2 Service/web (shop.yaml:4): Again.
  note R1 Deployment/web (shop.yaml:2): A little.
      why: It may hurt.
      proof: Hit it.

Beside the application
  a test hook is left out
`)
  })

  it('draws users, doubts and weaknesses', () => {
    const dot = drawGraph(inspection)
    expect(dot).toContain('digraph "shop \\"2\\""')
    expect(dot).toContain('"users" -> "Service/web"')
    expect(dot).toMatch(/"Deployment\/web" -> "Service\/db" \[.*style=dashed, label="0.6"\]/)
    expect(dot).toMatch(/"Service\/db" \[.*color="#c0392b"\]/)
    expect(dot).toContain('label="web ×2\\nDeployment"')
  })

  it('makes a picture of any graph', async () => {
    const svg = await pictureOf(drawGraph(inspection))
    expect(svg).toMatch(/<svg[^]*<title>Service\/db<\/title>[^]*<\/svg>/)
    const strange = { ...inspection, application: 'a\\"b\n<script>' }
    expect(await pictureOf(drawGraph(strange))).not.toContain('<script>')
  })
})
