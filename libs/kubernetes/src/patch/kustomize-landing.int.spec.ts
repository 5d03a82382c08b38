import { type Bundle, type Change } from '@ordeal/shared'
import { idOf, type Json } from '../input/kubernetes-object.js'
import { type Applied, applyChanges } from './apply-changes.js'

const BASE = `# shared by every stage
apiVersion: apps/v1
kind: Deployment
metadata: {name: api}
spec:
  replicas: 1
  selector: {matchLabels: {app: api}}
  template:
    metadata: {labels: {app: api}}
    spec:
      containers:
        - name: api
          image: example/api:1.0.0
          readinessProbe: {httpGet: {path: /, port: 80}, periodSeconds: 9}
---
apiVersion: v1
kind: Service
metadata: {name: api}
spec: {selector: {app: api}, ports: [{port: 80}]}
`
const HEAD = 'apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\n'
const CONTAINER = '/spec/template/spec/containers/0'

const change = (kind: Change['kind'], object: string, path = '', after?: Json): Change => ({
  ...{ kind, object, path, file: null, reason: 'because', fixes: [] },
  ...(after === undefined ? {} : { after }),
})

const bundle = (overlay: string, more: Record<string, string> = {}): Bundle => {
  const files = {
    'base/kustomization.yaml': `${HEAD}resources: [api.yaml]\n`,
    'base/api.yaml': BASE,
    'prod/kustomization.yaml': HEAD + overlay,
    ...more,
  }
  return { files: Object.entries(files).map(([path, content]) => ({ path, content })) }
}

interface Result extends Applied {
  /** The files that are new or changed, without what the head of a kustomization is. */
  readonly changed: Record<string, string>
}

async function apply(from: Bundle, ...changes: Change[]): Promise<Result> {
  const applied = await applyChanges(from, { subpath: 'prod', profile: null, values: [] }, changes)
  const before = new Map(from.files.map((f) => [f.path, f.content]))
  const files = applied.bundle.files.filter((f) => before.get(f.path) !== f.content)
  return { ...applied, changed: Object.fromEntries(files.map((f) => [f.path, f.content.replace(HEAD, '')])) }
}

const OVERLAY = 'namePrefix: prod-\nresources: [../base]\n'
const twoPods = change('edit', 'Deployment/prod-api', '/spec/replicas', 2)

describe('a number of replicas', () => {
  it('becomes an entry of the overlay', async () => {
    const { changed, changes } = await apply(bundle(OVERLAY), twoPods)
    expect(changed).toEqual({ 'prod/kustomization.yaml': `${OVERLAY}replicas:\n  - name: api\n    count: 2\n` })
    expect(changes[0]?.file).toBe('prod/kustomization.yaml')
  })

  it('changes the entry that is there', async () => {
    const overlay = `${OVERLAY}replicas: # by stage\n  - {name: api, count: 1} # one is cheap\n`
    const { changed } = await apply(bundle(overlay), twoPods)
    expect(changed).toEqual({ 'prod/kustomization.yaml': overlay.replace('count: 1', 'count: 2') })
  })

  it.each([
    ['of a file', 'patches:\n  - path: size.yaml\n'],
    ['of the old kind', 'patchesStrategicMerge: [size.yaml]\n'],
  ])('changes the patch %s that sets it', async (_, entry) => {
    const patch = 'apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: api}\nspec:\n  replicas: 1 # small\n'
    const { changed } = await apply(bundle(OVERLAY + entry, { 'prod/size.yaml': patch }), twoPods)
    expect(changed).toEqual({ 'prod/size.yaml': patch.replace('replicas: 1', 'replicas: 2') })
  })

  it.each([
    [
      'a merge',
      '    apiVersion: apps/v1\n      kind: Deployment\n      metadata: {name: api}\n      spec: {replicas: 1} # small\n',
    ],
    ['operations', '    - {op: replace, path: /spec/replicas, value: 1} # small\n'],
  ])('changes the text within the overlay that sets it by %s', async (_, patch) => {
    const target = patch.includes('op:') ? '    target: {kind: Deployment, name: api}\n' : ''
    const overlay = `${OVERLAY}patches:\n  - patch: |-\n  ${patch}${target}`
    const { changed } = await apply(bundle(overlay), twoPods)
    expect(changed['prod/kustomization.yaml']).toBe(overlay.replace(/(replicas|value): 1/, '$1: 2'))
  })

  it('is changed in the manifest where that is the overlay’s own', async () => {
    const own = BASE.replaceAll('name: api', 'name: own').replaceAll('app: api', 'app: own')
    const { changed } = await apply(
      bundle(`${OVERLAY.replace(']', ', own.yaml]')}`, { 'prod/own.yaml': own }),
      change('edit', 'Deployment/prod-own', '/spec/replicas', 3),
    )
    expect(changed).toEqual({ 'prod/own.yaml': own.replace('replicas: 1', 'replicas: 3') })
  })
})

describe('another field', () => {
  it('becomes a patch of the overlay, and a second one joins it', async () => {
    const { changed, changes } = await apply(
      bundle(OVERLAY),
      change('edit', 'Deployment/prod-api', `${CONTAINER}/readinessProbe/periodSeconds`, 2),
      change('edit', 'Deployment/prod-api', '/spec/template/spec/terminationGracePeriodSeconds', 60),
    )
    expect(changed).toEqual({
      'prod/kustomization.yaml': `${OVERLAY}patches:\n  - path: api-deployment-patch.yaml\n`,
      'prod/api-deployment-patch.yaml': `apiVersion: apps/v1
kind: Deployment
metadata:
  name: api
spec:
  template:
    spec:
      containers:
        - name: api
          readinessProbe:
            periodSeconds: 2
      terminationGracePeriodSeconds: 60
`,
    })
    expect(changes.map((c) => c.file)).toEqual(['prod/api-deployment-patch.yaml', 'prod/api-deployment-patch.yaml'])
  })

  it('that goes is removed by an operation', async () => {
    const { changed } = await apply(
      bundle(OVERLAY),
      change('edit', 'Deployment/prod-api', `${CONTAINER}/readinessProbe`),
    )
    expect(changed['prod/kustomization.yaml']).toBe(
      `${OVERLAY}patches:\n  - target:\n      kind: Deployment\n      name: api\n    patch: |\n      - op: remove\n        path: ${CONTAINER}/readinessProbe\n`,
    )
  })

  it('of a kind is replaced as a whole where a merge would leave the old one', async () => {
    const probe = { tcpSocket: { port: 80 } }
    const { objects, changed } = await apply(
      bundle(OVERLAY),
      change('edit', 'Deployment/prod-api', `${CONTAINER}/readinessProbe`, probe),
    )
    expect(JSON.stringify(objects)).toContain(`"readinessProbe":${JSON.stringify(probe)}`)
    expect(changed['prod/kustomization.yaml']).toContain('op: replace')
  })

  it('finds an object whose namespace stands in its manifest', async () => {
    const base = BASE.replaceAll('metadata: {name: api}', 'metadata: {name: api, namespace: shop}')
    const { changed } = await apply(
      bundle(OVERLAY, { 'base/api.yaml': base }),
      change('edit', 'Deployment/prod-api', '/spec/minReadySeconds', 3),
    )
    expect(changed['prod/kustomization.yaml']).toContain('target:')
  })
})

describe('a whole object', () => {
  const budget = (name: string): Json & object => ({
    apiVersion: 'policy/v1',
    kind: 'PodDisruptionBudget',
    metadata: { name },
    spec: { minAvailable: 1, selector: { matchLabels: { app: 'api' } } },
  })

  it('gets a file that is entered, and is told as it renders', async () => {
    const overlay = `${OVERLAY}namespace: shop\nlabels: [{pairs: {stage: prod}, includeSelectors: true}]\n`
    const { changed, changes, objects } = await apply(
      bundle(overlay),
      change('create', 'PodDisruptionBudget/prod-api', '', budget('prod-api')),
    )
    const file = 'prod/api-pod-disruption-budget.yaml'
    expect(Object.keys(changed).sort()).toEqual([file, 'prod/kustomization.yaml'])
    expect(changed['prod/kustomization.yaml']).toContain('resources: [../base, api-pod-disruption-budget.yaml]')
    const rendered = objects.find((o) => idOf(o) === 'PodDisruptionBudget/prod-api')
    expect(rendered).toMatchObject({
      metadata: { namespace: 'shop', labels: { stage: 'prod' } },
      spec: { selector: { matchLabels: { app: 'api', stage: 'prod' } } },
    })
    expect(changes[0]).toMatchObject({ object: 'PodDisruptionBudget/prod-api', after: rendered, file })
    // What was told is what is delivered: the same changes, applied again, render to the same.
    expect((await apply(bundle(overlay), ...changes)).objects).toEqual(objects)
  })

  it('takes the prefix when its name lacks it', async () => {
    const { changes } = await apply(bundle(OVERLAY), change('create', 'PodDisruptionBudget/x', '', budget('x')))
    expect(changes[0]?.object).toBe('PodDisruptionBudget/prod-x')
  })

  it('of the base is removed by a patch, of the overlay with its file', async () => {
    const removal = await apply(bundle(OVERLAY), change('delete', 'Service/prod-api'))
    expect(removal.changed['prod/api-service-removal.yaml']).toContain('$patch: delete')
    const own = 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: own}\n'
    const from = bundle(OVERLAY.replace(']', ', own.yaml]'), { 'prod/own.yaml': own })
    const { bundle: left, changed } = await apply(from, change('delete', 'ConfigMap/prod-own'))
    expect(left.files.map((f) => f.path)).not.toContain('prod/own.yaml')
    expect(changed).toEqual({ 'prod/kustomization.yaml': OVERLAY })
  })

  it('takes the place of another, and keeps the comments where the manifest is the overlay’s own', async () => {
    const pod = `# the door
apiVersion: v1
kind: Pod
metadata: {name: door, labels: {app: door}}
spec:
  containers:
    # what people see
    - name: door
      image: example/door:1.0.0
`
    const deployment = (name: string, labels: JsonLabels): Json => ({
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name, labels },
      spec: {
        replicas: 2,
        selector: { matchLabels: labels },
        template: { metadata: { labels }, spec: { containers: [{ name: 'door', image: 'example/door:1.0.0' }] } },
      },
    })
    const change_ = change('replace', 'Pod/prod-door', '', deployment('prod-door', { app: 'door' }))
    const own = await apply(bundle(OVERLAY.replace(']', ', pod.yaml]'), { 'prod/pod.yaml': pod }), change_)
    expect(own.changed['prod/pod.yaml']).toMatch(/^# the door\napiVersion: apps\/v1\nkind: Deployment\n/)
    expect(own.changed['prod/pod.yaml']).toContain('# what people see')
    const shared = await apply(bundle(OVERLAY, { 'base/api.yaml': `${BASE}---\n${pod}` }), change_)
    expect(shared.changed['prod/door-deployment.yaml']).toMatch(/^# the door\n[^]* {8}# what people see\n/)
    expect(Object.keys(shared.changed).sort()).toEqual([
      'prod/door-deployment.yaml',
      'prod/door-pod-removal.yaml',
      'prod/kustomization.yaml',
    ])
  })
})

type JsonLabels = Record<string, string>

it('refuses what the overlay cannot say, with the reason', async () => {
  const generated = `${OVERLAY}configMapGenerator: [{name: settings, literals: [a=b]}]\n`
  const from = bundle(generated)
  const found = (await apply(from)).objects.map(idOf).find((id) => id.startsWith('ConfigMap/')) ?? ''
  await expect(apply(from, change('edit', found, '/data/a', 'c'))).rejects.toThrow(
    /cannot edit ConfigMap\/prod-settings/,
  )
})
