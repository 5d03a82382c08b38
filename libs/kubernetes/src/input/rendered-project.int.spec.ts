import { type Bundle } from '@ordeal/shared'
import { idOf } from './kubernetes-object.js'
import { type Project, type ProjectOptions } from './project.js'
import { readProject } from './read-project.js'

const bundle = (files: Record<string, string>): Bundle => ({
  files: Object.entries(files).map(([path, content]) => ({ path, content })),
})
const read = (files: Record<string, string>, options: Partial<ProjectOptions> = {}): Promise<Project> =>
  readProject(bundle(files), { subpath: null, profile: null, values: [], ...options })
const ids = (project: Project): string[] => project.objects.map((o) => idOf(o.object))
const places = (project: Project): string[] =>
  project.objects.map((o) => `${idOf(o.object)} ${o.source.file}:${o.source.line}`)
const map = (name: string, more = ''): string => `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: ${name}}\n${more}`
const skaffold = (body: string): string =>
  `apiVersion: skaffold/v4beta11\nkind: Config\nmetadata: {name: shop}\n${body}`

describe('a Kustomize folder', () => {
  const files = {
    'base/kustomization.yaml': 'resources: [all.yaml]\nsecretGenerator: [{name: key, literals: [a=b]}]\n',
    'base/all.yaml': `# two\n${map('one')}---\n${map('two')}`,
    'over/kustomization.yaml': 'namePrefix: my-\nresources: [../base, own.yaml]\n',
    'over/own.yaml': map('three'),
  }

  it('is built, and each object leads to the document that it was, and to its name there', async () => {
    const project = await read(files, { subpath: 'over' })
    expect(project).toMatchObject({ form: 'kustomize', application: 'over' })
    expect(places(project).map((p) => p.replace(/-\w{10} /, '-HASH '))).toEqual([
      'ConfigMap/my-one base/all.yaml:2',
      'ConfigMap/my-three over/own.yaml:1',
      'ConfigMap/my-two base/all.yaml:6',
      'Secret/my-key-HASH base/kustomization.yaml:2',
    ])
    expect(project.objects[0]?.origin).toEqual({
      kind: 'kustomize',
      file: 'over/kustomization.yaml',
      originalName: 'one',
      generated: false,
    })
    expect(project.objects[3]?.origin).toMatchObject({ generated: true })
  })

  it('leads to its document also an object of which a patch sets all annotations', async () => {
    const patch = '[{"op": "add", "path": "/metadata/annotations", "value": {"team": "blue"}}]'
    const own = 'kind: Thing\napiVersion: example.org/v1\nmetadata: {name: four}\n'
    const project = await read(
      {
        ...files,
        'base/kustomization.yaml': 'resources: [all.yaml, thing.yaml]\n',
        'base/thing.yaml': `# a thing\n${own}`,
        'over/kustomization.yaml': `nameSuffix: -x\nresources: [../base]\npatches: [{target: {kind: Thing}, patch: '${patch}'}]\n`,
      },
      { subpath: 'over' },
    )
    const thing = project.objects.find(({ object }) => object.kind === 'Thing')
    expect(thing?.source).toMatchObject({ file: 'base/thing.yaml', line: 2 })
    expect(thing?.origin).toMatchObject({ originalName: 'four', generated: false })
  })

  const at = (kustomization: string, more: Record<string, string> = {}): Record<string, string> => ({
    'a/kustomization.yaml': kustomization,
    ...more,
  })
  it.each<[string, Record<string, string>, RegExp]>([
    [
      'a remote base',
      at('resources: ["https://github.com/a/b//c?ref=v1"]'),
      /^a\/kustomization.yaml: 'https:.*' is remote and is not fetched. Copy/,
    ],
    ['a remote base without a scheme', at('resources: ["github.com/a/b//c?ref=v1"]'), /'github.com.*' is remote/],
    ['a remote file', at('resources: ["https://example.org/x.yaml"]'), /is remote/],
    [
      'helmCharts',
      at('helmCharts: [{name: x, repo: "https://x"}]'),
      /^a\/kustomization.yaml: helmCharts runs the helm program/,
    ],
    [
      'a plugin',
      at('generators: [g.yaml]', { 'a/g.yaml': 'apiVersion: x/v1\nkind: Exec\nmetadata: {name: g}\n' }),
      /the plugin Exec runs a program/,
    ],
    [
      'a file above it',
      at('resources: [../x.yaml]', { 'x.yaml': map('x') }),
      /x.yaml lies outside of the kustomization in a\. A kust/,
    ],
    [
      'itself',
      at('resources: [../b]', { 'b/kustomization.yaml': 'resources: [../a]' }),
      /the kustomization in a takes in itself/,
    ],
    ['a file that is missing', at('resources: [x.yaml]'), /^a\/kustomization.yaml: a\/x.yaml is not there/],
    [
      'a manifest that is no YAML',
      at('resources: [x.yaml]', { 'a/x.yaml': `${map('x')}data: [\n` }),
      /^a\/x.yaml:\d: invalid YAML/,
    ],
    [
      'a kustomization that is none',
      at('resources: {x: 1}'),
      /^a\/kustomization.yaml: Kustomize refuses it: .*resources/,
    ],
    ['an unknown field', at('resource: [x.yaml]'), /^a\/kustomization.yaml: Kustomize refuses it: .*resource/],
    ['two kustomizations', at('resources: []', { 'a/kustomization.yml': 'resources: []' }), /a second kustomization/],
    ['nothing', at('namePrefix: x-'), /a\/kustomization.yaml|renders to no/],
  ])('is refused for %s, with the place and the reason', async (_, files, message) => {
    await expect(read(files, { subpath: 'a' })).rejects.toThrow(message)
  })
})

describe('a Helm chart', () => {
  const CHART = 'apiVersion: v2\nname: feed\nversion: 0.1.0\n'
  const files = {
    'Chart.yaml': CHART,
    'values.yaml': '# how many\nreplicas: 1\n',
    'more.yaml': 'replicas: 5\n',
    'templates/all.yaml': `{{- /* a comment */}}\n${map('{{ .Release.Name }}', 'data: {count: "{{ .Values.replicas }}"}\n')}---\n${map('other')}`,
    'templates/test.yaml': map('t', '').replace('{name: t}', '{name: t, annotations: {"helm.sh/hook": test}}'),
    'templates/hook.yaml': map('h', '').replace('{name: h}', '{name: h, annotations: {"helm.sh/hook": pre-install}}'),
    'crds/x.yaml': 'apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {name: x}\n',
  }

  it('is rendered under its own name, and each object leads to its template', async () => {
    const project = await read(files)
    expect(project).toMatchObject({ form: 'helm', application: 'feed' })
    expect(places(project)).toEqual(['ConfigMap/feed templates/all.yaml:3', 'ConfigMap/other templates/all.yaml:8'])
    expect(project.objects[0]?.object.data).toEqual({ count: '1' })
    expect(project.objects[0]?.origin).toEqual({
      kind: 'helm',
      release: { chart: '.', name: 'feed', namespace: 'default', values: [], set: {} },
    })
  })

  it('names what it has beside its objects', async () => {
    expect((await read(files)).notes).toEqual([
      'ConfigMap/h (templates/hook.yaml) is a hook of the chart: it is not run, and not part of what is tested',
      'ConfigMap/t (templates/test.yaml) is a test of the chart: it is not part of what is tested',
      'crds/x.yaml defines custom resources: the cluster must have them; it is not installed',
    ])
  })

  it('takes values files, also those that lie beside it', async () => {
    expect((await read(files, { values: ['./more.yaml'] })).objects[0]?.object.data).toEqual({ count: '5' })
    const below = Object.fromEntries(Object.entries(files).map(([path, text]) => [`chart/${path}`, text]))
    const beside = { ...below, 'prod.yaml': 'replicas: 7\n' }
    const project = await read(beside, { subpath: 'chart', values: ['prod.yaml'] })
    expect(project.objects[0]?.object.data).toEqual({ count: '7' })
    expect(project.objects[0]?.source.file).toBe('chart/templates/all.yaml')
  })

  it('may bring a kustomization along that is laid over it', async () => {
    const patch =
      'resources: [rendered.yaml]\npatches:\n  - target: {name: other}\n    patch: |-\n      - {op: add, path: /data, value: {a: b}}\n'
    const project = await read({ ...files, 'post-render/kustomization.yaml': patch })
    expect(project.objects.map((o) => o.object.data)).toEqual([{ count: '1' }, { a: 'b' }])
    expect(places(project)[1]).toBe('ConfigMap/other templates/all.yaml:8')
  })

  const one = (template: string, more: Record<string, string> = {}): Record<string, string> => ({
    'Chart.yaml': CHART,
    'templates/a.yaml': template,
    ...more,
  })
  it.each<[string, Record<string, string>, RegExp]>([
    [
      'lookup',
      one('\n\na: {{ lookup "v1" "Secret" "a" "b" }}'),
      /^templates\/a.yaml:3: `lookup` asks a running cluster.*helm template/,
    ],
    ['a template that is none', one('a:\n{{ if }}'), /^templates\/a.yaml:2: missing value for if/],
    ['required', one('\n{{ required "give a name" .Values.x }}'), /^templates\/a.yaml:2: give a name$/],
    [
      'fail in a template that it includes',
      one('{{ include "x" . }}', { 'templates/_x.tpl': '{{ define "x" }}{{ fail "no" }}{{ end }}' }),
      /^templates\/_?[ax].(yaml|tpl):1: no$/,
    ],
    ['output that is no YAML', one('a: b: c'), /^templates\/a.yaml: what it renders to is no YAML: .*mapping values/],
    ['output that is no object', one('a: b'), /^templates\/a.yaml: not a Kubernetes manifest/],
    ['output that is a text', one('just words'), /^templates\/a.yaml/],
    [
      'a sub-chart that is not there',
      one('', { 'Chart.yaml': `${CHART}dependencies: [{name: db, version: 1.0.0}]\n` }),
      /^Chart.yaml: sub-charts .* db; they are not fetched. Run `helm dependency build`/,
    ],
    ['apiVersion v3', one('', { 'Chart.yaml': CHART.replace('v2', 'v3') }), /^Chart.yaml: charts of apiVersion v3/],
    [
      'a library',
      one('', { 'Chart.yaml': `${CHART}type: library\n` }),
      /^Chart.yaml: a chart of type library cannot be installed/,
    ],
    [
      'values that break the schema',
      one('', { 'values.schema.json': '{"required": ["x"]}' }),
      /^Chart.yaml: values don't meet/,
    ],
    ['values that are no YAML', one('', { 'values.yaml': 'a: 1\nb: [\n' }), /^values.yaml:\d: invalid YAML/],
    [
      'a Kubernetes version that does not fit',
      one('', { 'Chart.yaml': `${CHART}kubeVersion: "<1.20.0"\n` }),
      /^Chart.yaml: the chart requires kubeVersion/,
    ],
    ['no name', { 'Chart.yaml': 'apiVersion: v2\n' }, /^Chart.yaml: the chart has no name/],
    ['no object', one(''), /it renders to no Kubernetes object/],
  ])('is refused for %s, with the place and the reason', async (_, files, message) => {
    await expect(read(files)).rejects.toThrow(message)
  })

  it('is refused for a values file that is not there', async () => {
    await expect(read(files, { values: ['nope.yaml'] })).rejects.toThrow(/nope.yaml: the values file is not there/)
  })
})

describe('a Skaffold project', () => {
  const chart = (folder: string): Record<string, string> => ({
    [`${folder}/Chart.yaml`]: 'apiVersion: v2\nname: c\nversion: 0.1.0\n',
    [`${folder}/values.yaml`]: 'a: chart\nb: chart\n',
    [`${folder}/templates/a.yaml`]: map(
      '{{ .Release.Name }}',
      'data: {ns: {{ .Release.Namespace }}, v: {{ .Values | toJson | quote }}}\n',
    ),
  })
  const valuesOf = (project: Project): unknown => JSON.parse((project.objects[0]?.object.data as { v: string }).v)

  it('may mix manifests, Kustomize folders and Helm charts of several modules', async () => {
    const project = await read({
      'skaffold.yaml': skaffold(
        'requires: [{path: mod}]\nmanifests:\n  rawYaml: [raw.yaml]\n  kustomize: {paths: [k]}\n',
      ),
      'raw.yaml': map('raw'),
      'k/kustomization.yaml': 'resources: [x.yaml]\nnamePrefix: k-\n',
      'k/x.yaml': map('x'),
      'mod/skaffold.yaml': skaffold('deploy:\n  helm:\n    releases: [{name: rel, chartPath: chart}]\n'),
      ...chart('mod/chart'),
    })
    expect(project).toMatchObject({ form: 'skaffold', application: 'shop' })
    expect(project.objects.map((o) => [idOf(o.object), o.origin?.kind ?? 'document'])).toEqual([
      ['ConfigMap/rel', 'helm'],
      ['ConfigMap/raw', 'document'],
      ['ConfigMap/k-x', 'kustomize'],
    ])
  })

  it('hands values over to Helm in the order of Skaffold', async () => {
    const release = `
      - name: "{{.WHO}}-rel"
        chartPath: ./chart
        namespace: '{{default "spare" .NAMESPACE}}'
        valuesFiles: [one.yaml]
        overrides: {b: overrides, d: overrides}
        setValues: {c: set, nested: {x: 1, list: [p, q]}}
        setFiles: {file: note.txt}
        setValueTemplates: {image: "{{.IMAGE_FULLY_QUALIFIED}}", second: "{{.IMAGE_NAME2}}", tag: "{{.IMAGE_TAG_example_org_web}}"}
`
    const project = await read({
      'skaffold.yaml': skaffold(
        `build: {artifacts: [{image: example.org/web}, {image: worker}]}\ndeploy:\n  helm:\n    releases:${release}`,
      ),
      'skaffold.env': '# who\nWHO=we\n',
      'one.yaml': 'b: one\nc: one\n',
      'note.txt': 'a=b,c',
      ...chart('chart'),
    })
    expect(ids(project)).toEqual(['ConfigMap/we-rel'])
    expect(project.objects[0]?.object.data).toMatchObject({ ns: 'spare' })
    expect(valuesOf(project)).toEqual({
      ...{ a: 'chart', b: 'one', c: 'set', d: 'overrides', file: 'a=b,c' },
      nested: { x: 1, list: ['p', 'q'] },
      ...{ image: 'example.org/web:latest', second: 'worker', tag: 'latest' },
    })
    const origin = project.objects[0]?.origin
    expect(origin?.kind === 'helm' && origin.release).toMatchObject({
      chart: 'chart',
      name: 'we-rel',
      values: ['one.yaml'],
    })
    expect(project.notes).toEqual([
      'images are not built (skaffold.yaml:4): example.org/web, worker must be there under these names',
    ])
  })

  it('hands images over in the older way, too', async () => {
    const release =
      'releases: [{name: r, chartPath: chart, artifactOverrides: {image: web}, imageStrategy: {helm: {}}}]'
    const old = `apiVersion: skaffold/v2beta12\nkind: Config\nbuild: {artifacts: [{image: web}]}\ndeploy:\n  helm:\n    ${release}\n`
    expect(valuesOf(await read({ 'skaffold.yaml': old, ...chart('chart') }))).toMatchObject({
      image: { repository: 'web', tag: 'latest' },
    })
  })

  it('of version 2 has Kustomize folders under deploy, the one that it lies in by default', async () => {
    const files = { 'kustomization.yaml': 'resources: [x.yaml]', 'x.yaml': map('x') }
    const old = (kustomize: string): string =>
      `apiVersion: skaffold/v2beta29\nkind: Config\ndeploy:\n  kustomize: ${kustomize}\n`
    expect(ids(await read({ ...files, 'skaffold.yaml': old('{}') }))).toEqual(['ConfigMap/x'])
    expect(ids(await read({ ...files, 'skaffold.yaml': old('{paths: ["."]}') }))).toEqual(['ConfigMap/x'])
  })

  it.each<[string, string, RegExp]>([
    [
      'hooks',
      'deploy:\n  kubectl: {hooks: {before: [{host: {command: [sh]}}]}}',
      /^skaffold.yaml:5: hooks run programs/,
    ],
    [
      'hooks of a release',
      'deploy:\n  helm:\n    releases:\n      - {name: r, chartPath: chart, hooks: {before: []}}',
      /^skaffold.yaml:7: hooks run programs/,
    ],
    [
      'hooks of rendering',
      'manifests: {hooks: {after: [{host: {command: [sh]}}]}}',
      /^skaffold.yaml:4: hooks run programs/,
    ],
    ['kpt', 'manifests: {kpt: [x]}', /^skaffold.yaml:4: kpt packages/],
    ['Cloud Run', 'deploy: {cloudrun: {}}', /Cloud Run, not to Kubernetes/],
    [
      'a remote chart',
      'deploy: {helm: {releases: [{name: r, remoteChart: oci://x}]}}',
      /^skaffold.yaml:4: a remote chart is not fetched/,
    ],
    [
      'a chart that is not there',
      'deploy: {helm: {releases: [{name: r, chartPath: nope}]}}',
      /^skaffold.yaml:4: there is no chart in 'nope'/,
    ],
    [
      'a remote kustomization',
      'manifests: {kustomize: {paths: ["https://x/y.git"]}}',
      /^skaffold.yaml:4: 'https.*' is remote/,
    ],
    [
      'a kustomization that is not there',
      'manifests: {kustomize: {paths: [nope]}}',
      /there is no kustomization in 'nope'/,
    ],
    ['build arguments', 'manifests: {kustomize: {paths: [.], buildArgs: [--enable-helm]}}', /buildArgs/],
    [
      'a variable that nothing gives',
      'manifests: {rawYaml: ["{{.STAGE}}/x.yaml"]}',
      /^skaffold.yaml:4: nothing gives the variable STAGE.*skaffold.env/,
    ],
    [
      'a template of another shape',
      'manifests: {rawYaml: ["{{ upper .STAGE }}.yaml"]}',
      /^skaffold.yaml:4: the template .* is not understood/,
    ],
  ])('is refused for %s, with the place and the reason', async (_, body, message) => {
    await expect(read({ 'skaffold.yaml': skaffold(body), ...chart('chart') })).rejects.toThrow(message)
  })
})
