import fc from 'fast-check'
import { type Bundle, type Change } from '@ordeal/shared'
import { parse } from 'yaml'
import { type Json, type KubernetesObject } from '../input/kubernetes-object.js'
import { readPlainProject } from '../input/read-project.js'
import { type Applied, applyChanges } from './apply-changes.js'
import { applyToObjects } from './apply-to-objects.js'
import { requireSameObjects } from './same-rendering.js'

const OPTIONS = { subpath: null, profile: null, values: [] }
const bundleOf = (files: Record<string, string>): Bundle => ({
  files: Object.entries(files).map(([path, content]) => ({ path, content })),
})

const change = (part: Partial<Change> & Pick<Change, 'kind' | 'object'>): Change => ({
  path: '',
  before: undefined,
  after: undefined,
  file: null,
  reason: 'because',
  fixes: [],
  ...part,
})
const edit = (object: string, path: string, after: Json | undefined): Change =>
  change({ kind: 'edit', object, path, after })

/** Applies to files and to objects, and asserts that both lead to the same. */
const apply = async (from: Bundle, ...changes: Change[]): Promise<Applied> => {
  const applied = await applyChanges(from, OPTIONS, changes)
  const objects = readPlainProject(from, OPTIONS).objects.map((o) => o.object)
  requireSameObjects(applied.objects, applyToObjects(objects, changes))
  return applied
}
const file = (bundle: Bundle, path: string): string | undefined => bundle.files.find((f) => f.path === path)?.content

const POD = `# one web server
# started by hand
apiVersion: v1
kind: Pod
metadata:
  name: web
  labels: {app: web}   # found by this
spec:
  restartPolicy: Never
  containers:
    # what people see
    - name: web
      image: nginx:1.27   # pinned
      ports:
        - containerPort: 80
`
const SERVICE = `apiVersion: v1
kind: Service
metadata:
  name: web
spec:
  selector: {app: web}
  ports:
    - port: 80
`
const DEPLOYMENT = {
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'web', labels: { app: 'web' } },
  spec: {
    replicas: 2,
    selector: { matchLabels: { app: 'web' } },
    template: {
      metadata: { labels: { app: 'web' } },
      spec: { containers: [{ name: 'web', image: 'nginx:1.27', ports: [{ containerPort: 80 }] }] },
    },
  },
}
const BUDGET = {
  apiVersion: 'policy/v1',
  kind: 'PodDisruptionBudget',
  metadata: { name: 'web' },
  spec: { minAvailable: 1, selector: { matchLabels: { app: 'web' } } },
}
const create = change({ kind: 'create', object: 'PodDisruptionBudget/web', after: BUDGET })
const skaffold = (list: string): string =>
  `apiVersion: skaffold/v3\nkind: Config\nmanifests:\n  # in this order\n  rawYaml:${list}\nbuild: {}\n`

describe('an edit', () => {
  it('changes its line and tells its file', async () => {
    const { bundle, changes } = await apply(
      bundleOf({ 'all.yaml': `${POD}---\n${SERVICE}` }),
      edit('Service/web', '/spec/ports/0/port', 8080),
    )
    expect(file(bundle, 'all.yaml')).toBe(
      `${POD}---\n${SERVICE}`.replace('port: 80\n', 'port: 8080\n').replace('containerPort: 8080', 'containerPort: 80'),
    )
    expect(changes[0]?.file).toBe('all.yaml')
  })

  it('finds its object within a List', async () => {
    const items = [SERVICE, SERVICE.replace('name: web', 'name: api')].map(
      (s) => `- ${s.replaceAll('\n', '\n  ').trimEnd()}\n`,
    )
    const from = bundleOf({ 'all.yaml': `apiVersion: v1\nkind: List\nitems:\n${items.join('')}` })
    const { bundle } = await apply(from, edit('Service/api', '/spec/type', 'NodePort'))
    expect(file(bundle, 'all.yaml')).toBe(`apiVersion: v1\nkind: List\nitems:\n${items.join('')}    type: NodePort\n`)
  })

  it('refuses an object that is not there', async () => {
    const applied = applyChanges(bundleOf({ 'a.yaml': POD }), OPTIONS, [edit('Pod/other', '/spec', {})])
    await expect(applied).rejects.toThrow(/no Pod\/other to edit/)
  })
})

describe('a replacement', () => {
  it('keeps what the comments of a Pod say where it becomes a Deployment', async () => {
    const from = bundleOf({ 'pod.yaml': `---\n${POD}---\n${SERVICE}` })
    const { bundle, changes } = await apply(from, change({ kind: 'replace', object: 'Pod/web', after: DEPLOYMENT }))
    expect(file(bundle, 'pod.yaml')).toBe(`---
# one web server
# started by hand
apiVersion: apps/v1
kind: Deployment
metadata:
  name: web
  labels: {app: web}   # found by this
spec:
  replicas: 2
  selector:
    matchLabels:
      app: web
  template:
    metadata:
      labels:
        app: web
    spec:
      containers:
        # what people see
        - name: web
          image: nginx:1.27   # pinned
          ports:
            - containerPort: 80
---
${SERVICE}`)
    expect(changes[0]?.file).toBe('pod.yaml')
  })

  it('keeps the comments at the head where the Pod is written within brackets', async () => {
    const pod =
      '# by hand\napiVersion: v1\nkind: Pod\nmetadata: {name: web}\nspec: {containers: [{name: web, image: "nginx:1.27"}]} # odd\n'
    const { bundle } = await apply(
      bundleOf({ 'pod.yaml': pod }),
      change({ kind: 'replace', object: 'Pod/web', after: DEPLOYMENT }),
    )
    expect(file(bundle, 'pod.yaml')).toMatch(/^# by hand\napiVersion: apps\/v1\nkind: Deployment\n/)
    expect(file(bundle, 'pod.yaml')).toContain('# odd')
  })

  it('works within a List', async () => {
    const from = bundleOf({
      'l.yaml': `apiVersion: v1\nkind: List\nitems:\n- ${POD.slice(POD.indexOf('api')).replaceAll('\n', '\n  ').trimEnd()}\n`,
    })
    await apply(from, change({ kind: 'replace', object: 'Pod/web', after: DEPLOYMENT }))
  })
})

describe('a creation', () => {
  it('gets a file of its own beside what it is about', async () => {
    const { bundle, changes } = await apply(bundleOf({ 'b/svc.yaml': SERVICE, 'a/pod.yml': POD }), create)
    expect(changes[0]?.file).toBe('a/web-pod-disruption-budget.yml')
    expect(parse(file(bundle, 'a/web-pod-disruption-budget.yml') ?? '')).toEqual(BUDGET)
  })

  it('takes no name that is taken, and no object that is there', async () => {
    const from = bundleOf({ 'pod.yaml': POD, 'web-pod-disruption-budget.yaml': SERVICE })
    const { changes } = await apply(from, create)
    expect(changes[0]?.file).toBe('web-pod-disruption-budget-2.yaml')
    await expect(applyChanges(from, OPTIONS, [create, create])).rejects.toThrow(
      /there is a PodDisruptionBudget\/web already/,
    )
  })

  it.each([
    ['names', '\n    - pod.yaml # first', '\n    - pod.yaml # first\n    - web-pod-disruption-budget.yaml'],
    ['names with ./', ' [./pod.yaml]', ' [./pod.yaml, ./web-pod-disruption-budget.yaml]'],
    ['a pattern', '\n    - "*.yaml"', '\n    - "*.yaml"'],
    ['a pattern that does not fit', ' ["p*.yaml"]', ' ["p*.yaml", web-pod-disruption-budget.yaml]'],
  ])('is listed where Skaffold takes %s', async (_, before, after) => {
    const { bundle } = await apply(bundleOf({ 'skaffold.yaml': skaffold(before), 'pod.yaml': POD }), create)
    expect(file(bundle, 'skaffold.yaml')).toBe(skaffold(after))
  })

  it('can be changed further', async () => {
    const { changes } = await apply(
      bundleOf({ 'pod.yaml': POD }),
      create,
      edit('PodDisruptionBudget/web', '/spec/minAvailable', '50%'),
    )
    expect(changes.map((c) => c.file)).toEqual(['web-pod-disruption-budget.yaml', 'web-pod-disruption-budget.yaml'])
  })
})

describe('a deletion', () => {
  const remove = change({ kind: 'delete', object: 'Service/web' })

  it('takes the document, or the file where nothing else is in it', async () => {
    const first = await apply(bundleOf({ 'a.yaml': `${POD}---\n${SERVICE}` }), remove)
    expect(file(first.bundle, 'a.yaml')).toBe(POD)
    const second = await apply(bundleOf({ 'a.yaml': `${SERVICE}---\n${POD}` }), remove)
    expect(file(second.bundle, 'a.yaml')).toBe(`---\n${POD}`)
    const list = skaffold('\n    - pod.yaml\n    - svc.yaml')
    const { bundle } = await apply(bundleOf({ 'skaffold.yaml': list, 'pod.yaml': POD, 'svc.yaml': SERVICE }), remove)
    expect(bundle.files.map((f) => f.path)).toEqual(['pod.yaml', 'skaffold.yaml'])
    expect(file(bundle, 'skaffold.yaml')).toBe(skaffold('\n    - pod.yaml'))
  })
})

describe('applyChanges', () => {
  const paths = [
    '/spec/replicas',
    '/spec/template/metadata/labels/x',
    '/spec/template/spec/containers/0/livenessProbe',
    '/metadata/annotations',
  ]
  const values: fc.Arbitrary<Json | undefined> = fc.oneof(
    fc.integer({ min: 0, max: 9 }),
    fc.constant<Json>({ a: 1, b: { c: ['x'] } }),
    fc.constant(undefined),
    fc.string(),
  )

  it('reaches by files what it reaches by objects, whatever the edits and the line ends', async () => {
    const edits = fc.array(
      fc.record({ path: fc.constantFrom(...paths), after: values, on: fc.constantFrom('a', 'b') }),
      { maxLength: 6 },
    )
    const text = (name: string): string => JSON.stringify({ ...DEPLOYMENT, metadata: { name } })
    const block = (name: string): string =>
      `# ${name}\napiVersion: apps/v1\nkind: Deployment\nmetadata: {name: ${name}}\nspec:\n    template: # here\n        spec:\n            containers:\n            - name: x # y\n\n`
    await fc.assert(
      fc.asyncProperty(edits, fc.boolean(), fc.boolean(), async (list, crlf, json) => {
        const content = `${block('a')}---\n${json ? text('b') : block('b')}`.replaceAll('\n', crlf ? '\r\n' : '\n')
        const { bundle } = await apply(
          bundleOf({ 'a.yaml': content }),
          ...list.map((e) => edit(`Deployment/${e.on}`, e.path, e.after)),
        )
        const untouched = ['a', 'b'].filter((name) => !list.some((e) => e.on === name))
        for (const name of untouched)
          expect(file(bundle, 'a.yaml')).toContain(
            (json && name === 'b' ? text('b') : block(name)).trimEnd().replaceAll('\n', crlf ? '\r\n' : '\n'),
          )
      }),
      { numRuns: 150 },
    )
  })

  it('is noticed when files and objects part', () => {
    const objects: KubernetesObject[] = [DEPLOYMENT]
    const other = objects.map((o) => ({ ...o, extra: 1 }))
    expect(() => requireSameObjects(objects, other)).toThrow(/Deployment\/web/)
  })
})
