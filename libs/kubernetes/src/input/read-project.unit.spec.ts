import { type Bundle, InputError } from '@ordeal/shared'
import { idOf } from './kubernetes-object.js'
import { type Project } from './project.js'
import { readPlainProject } from './read-project.js'

const bundle = (files: Record<string, string>): Bundle => ({
  files: Object.entries(files).map(([path, content]) => ({ path, content })),
})
const read = (files: Record<string, string>, options: { subpath?: string; profile?: string } = {}): Project =>
  readPlainProject(bundle(files), { subpath: options.subpath ?? null, profile: options.profile ?? null, values: [] })
const ids = (project: Project): string[] => project.objects.map((o) => idOf(o.object))
const configMap = (name: string): string => `apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: ${name}\n`

describe('raw manifests', () => {
  it('are read from every file of every folder, document by document, with their places', () => {
    const project = read({
      'a.yaml': `# head\n${configMap('one')}---\n${configMap('two')}---\n`,
      'deep/er/b.yml': configMap('three'),
      'c.json': '{\n\t"apiVersion": "v1", "kind": "ConfigMap",\n\t"metadata": {"name": "four"}\n}\n',
      'README.md': '# not a manifest',
      'ordeal.yaml': 'tolerances: {}',
      'docker-compose.yml': 'services: {}',
      'package.json': '{"name": "x"}',
      '.github/workflow.yaml': 'on: push',
    })
    expect(ids(project)).toEqual(['ConfigMap/one', 'ConfigMap/two', 'ConfigMap/three', 'ConfigMap/four'])
    expect(project.objects.map((o) => o.source)).toEqual([
      { file: 'a.yaml', line: 2, docIndex: 0, itemIndex: null },
      { file: 'a.yaml', line: 7, docIndex: 1, itemIndex: null },
      { file: 'deep/er/b.yml', line: 1, docIndex: 0, itemIndex: null },
      { file: 'c.json', line: 1, docIndex: 0, itemIndex: null },
    ])
  })

  it('may be items of a List', () => {
    const items = ['one', 'two'].map((n) => `- apiVersion: v1\n  kind: ConfigMap\n  metadata: {name: ${n}}\n`).join('')
    const project = read({ 'all.yaml': `apiVersion: v1\nkind: List\nitems:\n${items}` })
    expect(project.objects.map((o) => [idOf(o.object), o.source.line, o.source.itemIndex])).toEqual([
      ['ConfigMap/one', 4, 0],
      ['ConfigMap/two', 7, 1],
    ])
  })

  it.each([
    ['several in a row', `---\n---\n${configMap('a')}---\n---\n${configMap('b')}---\n`, [3, 9]],
    ['a comment behind it', `${configMap('a')}--- # next\n${configMap('b')}`, [1, 6]],
    ['blanks behind it', `${configMap('a')}---  \t\n${configMap('b')}`, [1, 6]],
    ['an object on its line', `${configMap('a')}--- {apiVersion: v1, kind: ConfigMap, metadata: {name: b}}\n`, [1, 5]],
    ['an end before it', `${configMap('a')}...\n---\n${configMap('b')}...\n# end\n`, [1, 7]],
    ['an end in its place', `${configMap('a')}...\n${configMap('b')}`, [1, 6]],
    ['a directive before it', `%YAML 1.2\n---\n${configMap('a')}---\n${configMap('b')}`, [3, 8]],
    ['a comment instead of an object', `# head\n---\n${configMap('a')}---\n# none\n---\n${configMap('b')}`, [3, 10]],
  ])('take --- for the end of a document with %s', (_, content, lines) => {
    const { objects } = read({ 'm.yaml': content })
    expect(objects.map((o) => [idOf(o.object), o.source.line])).toEqual([
      ['ConfigMap/a', lines[0]],
      ['ConfigMap/b', lines[1]],
    ])
  })

  it('keep a --- that stands in a text', () => {
    const block = `${configMap('a')}data:\n  x: |\n    ---\n    kind: y\n    ---\n  q: "1\n\n    ---\n\n    2"\n`
    const { objects } = read({ 'm.yaml': block })
    expect(objects.map((o) => o.object.data)).toEqual([{ x: '---\nkind: y\n---\n', q: '1\n---\n2' }])
  })

  it('may be ten thousand in a file', () => {
    const content = Array.from({ length: 10_000 }, (_, i) => configMap(`m${i}`)).join('---\n')
    const { objects } = read({ 'm.yaml': content })
    expect(objects).toHaveLength(10_000)
    expect(objects.at(-1)?.source).toMatchObject({ line: 5 * 9999 + 1, docIndex: 9999 })
  })

  it('may be an empty List', () => {
    const empty = 'apiVersion: v1\nkind: List\nitems:\n'
    expect(ids(read({ 'a.yaml': empty, 'b.yaml': configMap('b') }))).toEqual(['ConfigMap/b'])
  })

  it('mean what kubectl reads in them', () => {
    const data = 'x: 0644\nday: 2024-01-01\nz: 12:30\non: yes\nbase: &b {k: 1, l: 2}\nmore: {<<: *b, l: 3}\n'
    const project = read({ 'a.yaml': `\uFEFF${configMap('one')}${data}`.replaceAll('\n', '\r\n') })
    expect(project.objects[0]?.object).toEqual({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'one' },
      ...{ x: 420, day: '2024-01-01', z: '12:30', true: true, base: { k: 1, l: 2 }, more: { k: 1, l: 3 } },
    })
  })

  it.each([
    ['invalid YAML', `${configMap('a')}x: [1, 2\n`, /^m.yaml:[56]: invalid YAML: /],
    ['a tab as indentation', 'kind: X\nmetadata:\n\tname: a\n', /^m.yaml:3: invalid YAML: /],
    ['a template', `${configMap('a')}x: {{ .Values.x }}\n`, /^m.yaml:5: .*template/],
    ['no kind', 'apiVersion: v1\nmetadata:\n  name: a\n', /^m.yaml:1: an object without a kind/],
    ['no apiVersion', `${configMap('b')}---\nkind: Pod\n`, /^m.yaml:6: a Pod without an apiVersion/],
    ['no name', 'apiVersion: v1\nkind: Pod\nmetadata: {}\n', /^m.yaml:1: a Pod without a name/],
    ['no manifest', 'hello: world\n', /^m.yaml:1: not a Kubernetes manifest/],
    ['a text', 'just words\n', /^m.yaml:1: not a Kubernetes object but a string/],
    ['a key twice', `${configMap('a')}data:\n  x: 1\n  x: 2\n`, /^m.yaml:7: the key 'x' stands here a second time/],
    ['an object twice', `${configMap('a')}---\n${configMap('a')}`, /^m.yaml:6: a second ConfigMap\/a.*m.yaml:1/],
    [
      'a name in two namespaces',
      `${configMap('a')}---\n${configMap('a').replace('name: a', 'name: a\n  namespace: b')}`,
      /^m.yaml:6: ConfigMap\/a stands in the namespaces default \(m.yaml:1\) and b; .* cannot hold both/,
    ],
    ['an alias loop', `${configMap('a')}data: &d\n  x: *d\n`, /^m.yaml:6: an alias stands inside its own anchor/],
    ['an unknown alias', `${configMap('a')}data: *d\n`, /^m.yaml:5: .*\*d/],
    ['the key __proto__', `${configMap('a')}__proto__: {}\n`, /^m.yaml:5: the key '__proto__'/],
    ['four dashes', `${configMap('a')}----\n${configMap('b')}`, /^m.yaml:5: invalid YAML/],
    ['a number that JSON lacks', `${configMap('a')}x: .inf\n`, /^m.yaml:5: .inf is not a number/],
    ['nothing', '# only a comment\n---\n', /no Kubernetes object/],
  ])('are refused with file and line for %s', (_, content, message) => {
    expect(() => read({ 'm.yaml': content })).toThrow(InputError)
    expect(() => read({ 'm.yaml': content })).toThrow(message)
  })

  it.each(['off', 'y', 'No', '12', '0x1f', '1e3'])('are refused for a bare name %s that is no text', (name) => {
    const content = `kind: Pod\napiVersion: v1\nmetadata: {name: ${name}}\n`
    expect(() => read({ 'm.yaml': content })).toThrow(/^m.yaml:1: the name of a Pod reads as the .*quotes/)
  })

  it.each(['a: 1\n} hunter2', 'a: |hunter2\n  x', 'a: "x" hunter2', 'a: !<hunter2', "a: 'hunter2"])(
    'do not get into the message that refuses %j',
    (content) => {
      expect(() => read({ 'm.yaml': content })).toThrow(InputError)
      expect(() => read({ 'm.yaml': content })).not.toThrow(/hunter2/)
    },
  )

  it('are refused when aliases make them grow without end', () => {
    const level = (n: number): string =>
      `a${n}: &a${n} [${Array(10)
        .fill(`*a${n - 1}`)
        .join(', ')}]\n`
    const bomb = `${configMap('a')}a0: &a0 x\n${[1, 2, 3, 4, 5, 6, 7, 8].map(level).join('')}`
    expect(() => read({ 'm.yaml': bomb })).toThrow(/^m.yaml:\d+: the document grows too large/)
  })

  it('are refused when they nest too deep', () => {
    const deep = `${configMap('a')}x: ${'['.repeat(5000)}${']'.repeat(5000)}\n`
    expect(() => read({ 'm.yaml': deep })).toThrow(/nested/)
  })

  it('take time in proportion to their length', () => {
    const wide = Array.from({ length: 20_000 }, (_, i) => `  k${i}: v\n`).join('')
    expect(
      Object.keys(read({ 'm.yaml': `${configMap('a')}data:\n${wide}` }).objects[0]?.object.data ?? {}),
    ).toHaveLength(20_000)
  })
})

describe('a folder', () => {
  it('is narrowed by subpath', () => {
    const files = { 'a/one.yaml': configMap('one'), 'b/two.yaml': configMap('two') }
    expect(read(files, { subpath: './b/' })).toMatchObject({ application: 'b', form: 'raw' })
    expect(ids(read(files, { subpath: 'b' }))).toEqual(['ConfigMap/two'])
    expect(() => read(files, { subpath: 'c' })).toThrow(/no folder 'c'/)
    expect(() => read(files, { subpath: '../x' })).toThrow(/leads out/)
  })

  it.each(['Chart.yaml', 'kustomization.yaml', 'skaffold.yaml'])('with a %s further down is refused', (name) => {
    expect(() => read({ 'a.yaml': configMap('a'), [`sub/${name}`]: 'x: 1' })).toThrow(/--subpath sub/)
  })

  it('without manifests is refused', () => {
    expect(() => read({ 'README.md': 'x' })).toThrow(/no manifest/)
  })

  it('knows no profile without Skaffold and no values without Helm', () => {
    const files = { files: [{ path: 'a.yaml', content: configMap('a') }] }
    expect(() => readPlainProject(files, { subpath: null, profile: null, values: ['v.yaml'] })).toThrow(
      /values file 'v.yaml'/,
    )
    expect(() => read({ 'a.yaml': configMap('a') }, { profile: 'x' })).toThrow(/no profile 'x'/)
  })
})

describe('a Skaffold project', () => {
  const config = (body: string): string => `apiVersion: skaffold/v4beta11\nkind: Config\n${body}`

  it('takes what rawYaml lists, by name, folder or pattern', () => {
    const project = read({
      'skaffold.yaml': config('metadata: {name: shop}\nmanifests:\n  rawYaml: [./one.yaml, k8s/*.yaml, folder]\n'),
      'one.yaml': configMap('one'),
      'other.yaml': configMap('other'),
      'k8s/two.yaml': configMap('two'),
      'k8s/deeper/three.yaml': configMap('three'),
      'folder/x/four.yml': configMap('four'),
    })
    expect(project).toMatchObject({ application: 'shop', form: 'skaffold' })
    expect(ids(project)).toEqual(['ConfigMap/one', 'ConfigMap/two', 'ConfigMap/four'])
  })

  it('of version 2 lists them under deploy.kubectl, and one without a list means k8s/*.yaml', () => {
    const old = 'apiVersion: skaffold/v2beta29\nkind: Config\ndeploy:\n  kubectl:\n    manifests: [a.yaml]\n'
    expect(ids(read({ 'skaffold.yaml': old, 'a.yaml': configMap('a') }))).toEqual(['ConfigMap/a'])
    expect(ids(read({ 'skaffold.yaml': config(''), 'k8s/a.yaml': configMap('a') }))).toEqual(['ConfigMap/a'])
  })

  const modules = {
    'skaffold.yaml': config('metadata: {name: all}\nrequires:\n  - path: ./left\n  - path: right/skaffold.yaml\n'),
    'left/skaffold.yaml': config(
      `metadata: {name: left}\nmanifests: {rawYaml: ["big/*.yaml"]}\nprofiles:\n  - name: tiny\n    patches:\n` +
        `      - {op: replace, path: /manifests/rawYaml, value: ["tiny/*.yaml"]}\n  - name: own\n    manifests: {rawYaml: [own.yaml]}\n`,
    ),
    'left/big/a.yaml': configMap('big'),
    'left/tiny/a.yaml': configMap('tiny'),
    'left/own.yaml': configMap('own'),
    'right/skaffold.yaml': config('manifests: {rawYaml: [r.yml]}\nrequires: [{path: ../left}]\n'),
    'right/r.yml': configMap('right'),
  }

  it('brings in the modules that it requires, once', () => {
    expect(ids(read(modules))).toEqual(['ConfigMap/big', 'ConfigMap/right'])
  })

  it.each([
    ['tiny', 'ConfigMap/tiny', ['profiles', '0', 'patches', '0', 'value']],
    ['own', 'ConfigMap/own', ['profiles', '1', 'manifests', 'rawYaml']],
  ])('with profile %s takes what that one lists', (profile, id, path) => {
    const project = read(modules, { profile })
    expect(ids(project)).toEqual([id, 'ConfigMap/right'])
    expect(project.lists[0]).toMatchObject({ file: 'left/skaffold.yaml', path })
  })

  it.each<[string, Record<string, string>, { profile?: string }, RegExp]>([
    ['a profile that nothing has', modules, { profile: 'huge' }, /no profile 'huge'.*tiny, own/],
    [
      'a manifest that is missing',
      { 'skaffold.yaml': config('manifests: {rawYaml: [x.yaml]}') },
      {},
      /'x.yaml' is not there/,
    ],
    [
      'a remote manifest',
      { 'skaffold.yaml': config('manifests: {rawYaml: ["https://e.org/x.yaml"]}') },
      {},
      /not fetched/,
    ],
    ['a missing module', { 'skaffold.yaml': config('requires:\n  - path: ./x') }, {}, /^skaffold.yaml:4: .*'.\/x'/],
    ['another kind', { 'skaffold.yaml': 'kind: Pod\n' }, {}, /^skaffold.yaml:1: not a Skaffold/],
  ])('is refused for %s', (_, files, options, message) => {
    expect(() => read(files, options)).toThrow(message)
  })
})

describe('custom resources', () => {
  it('are kept as they are, and named', () => {
    const mesh = 'apiVersion: networking.istio.io/v1\nkind: VirtualService\nmetadata: {name: web}\nspec: {x: [1]}\n'
    const project = read({ 'a.yaml': configMap('a'), 'm.yaml': mesh })
    expect(project.objects.map((o) => o.object)).toContainEqual(expect.objectContaining({ spec: { x: [1] } }))
    expect(project.notes).toEqual([expect.stringMatching(/^VirtualService\/web \(m.yaml:1\) is a custom resource/)])
  })
})
