import { type Bundle, type Change } from '@ordeal/shared'
import { type Json } from '../input/kubernetes-object.js'
import { type ProjectOptions } from '../input/project.js'
import { readProject } from '../input/read-project.js'
import { type Applied, applyChanges } from './apply-changes.js'

const DEPLOYMENT = `apiVersion: apps/v1
kind: Deployment
metadata:
  name: {{ .Release.Name }}-feed
spec:
  {{- with .Values.web }}
  replicas: {{ .replicas }}
  {{- end }}
  selector: {matchLabels: {app: feed}}
  template:
    metadata: {labels: {app: feed}}
    spec:
      containers:
        - name: feed
          image: example/feed:1.0.0
          ports: [{containerPort: {{ .Values.port }}}]
          {{- with .Values.readinessProbe }}
          readinessProbe: {{ toYaml . | nindent 12 }}
          {{- end }}
          resources: {{ toYaml .Values.resources | nindent 12 }}
          livenessProbe: {tcpSocket: {port: {{ .Values.port }}}, periodSeconds: 10}
`
const VALUES = `web:
  # how many pods answer
  replicas: 1 # enough for now
port: 8080
readinessProbe: {}
resources:
  limits: {memory: 64Mi}
  requests: {memory: 64Mi}
`
const CONTAINER = '/spec/template/spec/containers/0'
const DEPLOYED = 'Deployment/feed-feed'

const change = (kind: Change['kind'], object: string, path = '', after?: Json): Change => ({
  ...{ kind, object, path, file: null, reason: 'because', fixes: [] },
  ...(after === undefined ? {} : { after }),
})

const chart = (more: Record<string, string> = {}): Bundle => {
  const files = {
    'Chart.yaml': 'apiVersion: v2\nname: feed\nversion: 0.1.0\n',
    'values.yaml': VALUES,
    'templates/deployment.yaml': DEPLOYMENT,
    ...more,
  }
  return { files: Object.entries(files).map(([path, content]) => ({ path, content })) }
}

interface Result extends Applied {
  readonly changed: Record<string, string>
}

const OPTIONS: ProjectOptions = { subpath: null, profile: null, values: [], application: 'feed' }

async function apply(from: Bundle, changes: readonly Change[], options: Partial<ProjectOptions> = {}): Promise<Result> {
  const all = { ...OPTIONS, ...options }
  const applied = await applyChanges(from, all, changes)
  const before = new Map(from.files.map((f) => [f.path, f.content]))
  const files = applied.bundle.files.filter((f) => before.get(f.path) !== f.content)
  expect((await readProject(applied.bundle, all)).objects.map((o) => o.object)).toEqual(applied.objects)
  return { ...applied, changed: Object.fromEntries(files.map((f) => [f.path, f.content])) }
}

const twoPods = change('edit', DEPLOYED, '/spec/replicas', 2)

describe('a value', () => {
  it.each([
    ['that the template takes from around it', twoPods, ['replicas: 1 #', 'replicas: 2 #']],
    [
      'that is empty',
      change('edit', DEPLOYED, `${CONTAINER}/readinessProbe`, { tcpSocket: { port: 8080 } }),
      ['readinessProbe: {}', 'readinessProbe:\n  tcpSocket:\n    port: 8080'],
    ],
    [
      'that stands beside an equal one',
      change('edit', DEPLOYED, `${CONTAINER}/resources/limits/memory`, '128Mi'),
      ['limits: {memory: 64Mi}', 'limits: {memory: 128Mi}'],
    ],
    [
      'that is not there yet below one that is',
      change('edit', DEPLOYED, `${CONTAINER}/resources/requests/cpu`, '50m'),
      ['requests: {memory: 64Mi}', 'requests: {memory: 64Mi, cpu: 50m}'],
    ],
  ])('is changed in place %s', async (_, edit, [from = '', to = '']) => {
    const { changed, changes } = await apply(chart(), [edit])
    expect(changed).toEqual({ 'values.yaml': VALUES.replace(from, to) })
    expect(changes[0]?.file).toBe('values.yaml')
  })

  it('is changed in the values file that sets it, and set in the last one where none does', async () => {
    const files = chart({ 'prod.yaml': 'port: 9090\n', 'more.yaml': '# of this place\nweb: {replicas: 1}\n' })
    const values = ['more.yaml', 'prod.yaml']
    expect((await apply(files, [twoPods], { values })).changed).toEqual({
      'more.yaml': '# of this place\nweb: {replicas: 2}\n',
    })
    const memory = change('edit', DEPLOYED, `${CONTAINER}/resources/limits/memory`, '1Gi')
    expect((await apply(files, [memory], { values })).changed).toEqual({
      'prod.yaml': 'port: 9090\nresources:\n  limits:\n    memory: 1Gi\n',
    })
  })

  it('of a part is set among those of the whole', async () => {
    const files = chart({
      'charts/db/Chart.yaml': 'apiVersion: v2\nname: db\nversion: 1.0.0\n',
      'charts/db/values.yaml': 'copies: 1\n',
      'charts/db/templates/db.yaml': DEPLOYMENT.replaceAll('feed', 'db')
        .replace(/ {2}\{\{- with .Values.web[^]*?end \}\}\n/, '  replicas: {{ .Values.copies }}\n')
        .replaceAll(/\{\{ .Values.port \}\}/g, '80')
        .replaceAll(/ +(resources|\{\{- with|readinessProbe|\{\{- end).*\n/g, ''),
    })
    const { changed } = await apply(files, [change('edit', 'Deployment/feed-db', '/spec/replicas', 2)])
    expect(changed).toEqual({ 'values.yaml': `${VALUES}db:\n  copies: 2\n` })
  })

  it('that Skaffold sets is changed there', async () => {
    const skaffold = `apiVersion: skaffold/v4beta11
kind: Config
manifests:
  helm:
    releases:
      - name: feed
        chartPath: chart
        setValues:
          web.replicas: 1 # here
`
    const files = chart().files.map((f) => ({ ...f, path: `chart/${f.path}` }))
    const { changed } = await apply({ files: [...files, { path: 'skaffold.yaml', content: skaffold }] }, [twoPods])
    expect(changed).toEqual({ 'skaffold.yaml': skaffold.replace('replicas: 1', 'replicas: 2') })
  })
})

describe('what no value says', () => {
  it('is laid over what the chart renders, once', async () => {
    const grace = change('edit', DEPLOYED, '/spec/template/spec/terminationGracePeriodSeconds', 60)
    // The port stands in two places, so no value changes this one alone.
    const port = change('edit', DEPLOYED, `${CONTAINER}/livenessProbe/tcpSocket/port`, 9090)
    const { changed, changes } = await apply(chart(), [grace, port])
    expect(Object.keys(changed)).toEqual([
      'post-render/feed-feed-deployment-patch.yaml',
      'post-render/kustomization.yaml',
    ])
    expect(changed['post-render/kustomization.yaml']).toMatch(
      /^# [^]*resources:\n {2}- rendered.yaml\npatches:\n {2}- path: feed-feed-deployment-patch.yaml\n$/,
    )
    expect(changes.map((c) => c.file)).toEqual(Array(2).fill('post-render/feed-feed-deployment-patch.yaml'))
  })

  it('is a template of its own for a new object, that other releases can take', async () => {
    const budget: Json = {
      apiVersion: 'policy/v1',
      kind: 'PodDisruptionBudget',
      metadata: { name: 'feed-feed', annotations: { note: 'not {{ a }} template' } },
      spec: { minAvailable: 1, selector: { matchLabels: { app: 'feed' } } },
    }
    const { changed, changes } = await apply(chart(), [
      change('create', 'PodDisruptionBudget/feed-feed', '', budget),
      twoPods,
    ])
    expect(changed['templates/feed-pod-disruption-budget.yaml']).toBe(`apiVersion: policy/v1
kind: PodDisruptionBudget
metadata:
  name: {{ .Release.Name }}-feed
  annotations:
    note: not {{ "{{" }} a }} template
spec:
  minAvailable: 1
  selector:
    matchLabels:
      app: feed
`)
    expect(changes.map((c) => c.file)).toEqual(['templates/feed-pod-disruption-budget.yaml', 'values.yaml'])
  })

  it('is taken out, or put in another’s place', async () => {
    const service = '# of old\napiVersion: v1\nkind: Service\nmetadata: {name: extra}\nspec: {ports: [{port: 80}]}\n'
    const files = chart({ 'templates/service.yaml': service })
    const removal = await apply(files, [change('delete', 'Service/extra')])
    expect(removal.changed['post-render/extra-service-removal.yaml']).toContain('$patch: delete')
    const endpoint = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'extra' }, data: { a: 'b' } }
    const moved = await apply(files, [change('replace', 'Service/extra', '', endpoint)])
    expect(moved.changed['templates/extra-config-map.yaml']).toMatch(/^# of old\napiVersion: v1\nkind: ConfigMap\n/)
  })

  it('of an object that is replaced by one of its name is changed field by field', async () => {
    const project = await readProject(chart(), OPTIONS)
    const [found] = project.objects
    const object = found?.object as Record<string, Json>
    const next = { ...object, spec: { ...(object.spec as object), replicas: 3, minReadySeconds: 5 } } as Json
    const { changed, changes } = await apply(chart(), [change('replace', DEPLOYED, '', next)])
    expect(Object.keys(changed).sort()).toEqual([
      'post-render/feed-feed-deployment-patch.yaml',
      'post-render/kustomization.yaml',
      'values.yaml',
    ])
    expect(changes).toMatchObject([{ kind: 'replace', after: next }])
  })
})
