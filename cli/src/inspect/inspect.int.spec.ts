import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Host } from '../host.js'
import { fakeScreen } from '../testing/fake-screen.js'
import { inspect, type InspectionForm, inspectionForms } from './inspect.command.js'

const MANIFEST = `apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  replicas: 1
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      containers:
        - {name: web, image: "web:1", env: [{name: API_TOKEN, value: opensesame-42}]}
---
apiVersion: v1
kind: Service
metadata: {name: web}
spec: {selector: {app: wbe}, ports: [{port: 80}]}
`

describe('ordeal inspect', () => {
  let folder = ''
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'inspect-'))
    await writeFile(join(folder, 'app.yaml'), MANIFEST)
  })
  afterAll(() => rm(folder, { recursive: true }))

  const print = async (form: InspectionForm, ...around: string[]): Promise<string> => {
    const out = fakeScreen()
    const host = { terminal: { out, err: fakeScreen() } } as unknown as Host
    const project = { subpath: null, profile: null, values: [], application: 'shop' }
    expect(await inspect({ paths: [folder], project, around, form }, host)).toBe(0)
    return out.text()
  }

  it.each<[InspectionForm, RegExp]>([
    ['text', /error ORD040-selector-matches-nothing Service\/web \(app.yaml:16\)/],
    ['json', /"schema": "ordeal.inspection\/v1"/],
    ['sarif', /"ruleId": "ORD040-selector-matches-nothing"/],
    ['dot', /"Service\/web" \[label="web\\nService"/],
    ['svg', /<svg[^]*Deployment[^]*<\/svg>/],
  ])('prints %s', async (form, expected) => {
    expect(await print(form)).toMatch(expected)
  })

  it('prints only what a question about an object needs', async () => {
    const shown = JSON.parse(await print('json', 'Service/web')) as {
      objects: { id: string }[]
      findings: { object: string }[]
    }
    expect(shown.objects.map((o) => o.id)).toEqual(['Service/web'])
    expect(new Set(shown.findings.map((f) => f.object))).toEqual(new Set(['Service/web']))
    await expect(print('text', 'Service/ghost')).rejects.toThrow(
      /no such object. There are Deployment\/web, Service\/web/,
    )
  })

  it('prints no credential in any form', async () => {
    for (const form of inspectionForms) expect(await print(form)).not.toContain('opensesame')
  })
})
