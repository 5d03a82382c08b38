import { readdirSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { InputError } from '@ordeal/shared'
import { parseAllDocuments } from 'yaml'
import { type RenderAnswer, type RenderFile, type RenderRequest } from './protocol.js'
import { Renderer } from './renderer.js'

const FIXTURES = new URL('../fixtures/', import.meta.url).pathname
const files = readdirSync(FIXTURES, { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile() && !entry.parentPath.endsWith('expected'))
  .map((entry) => join(entry.parentPath, entry.name))
  .map((path): RenderFile => {
    const bytes = readFileSync(path)
    const name = relative(FIXTURES, path)
    return path.endsWith('.tgz')
      ? { path: name, base64: bytes.toString('base64') }
      : { path: name, text: String(bytes) }
  })
type Case = { folder: string } | Extract<RenderRequest, { helm: unknown }>['helm']
const cases = JSON.parse(readFileSync(join(FIXTURES, 'cases.json'), 'utf8')) as Record<string, Case>

const renderer = new Renderer()
afterAll(() => renderer.close())

const requestOf = (each: Case): RenderRequest =>
  'folder' in each ? { files, kustomize: each } : { files, helm: { ...each, postRender: '' } }

/** As Kubernetes' own tools read a rendering: YAML 1.1 without its times. */
function documents(text: string): unknown[] {
  const options = { version: '1.1', schema: 'yaml-1.1', uniqueKeys: false } as const
  return parseAllDocuments(text, {
    ...options,
    customTags: (tags) => tags.filter((t) => typeof t === 'string' || !t.tag.endsWith('timestamp')),
  })
    .map((document) => document.toJS() as unknown)
    .filter((value) => value !== null)
}

describe('the renderer', () => {
  it.each(Object.entries(cases))('makes of %s what the native program makes of it', async (name, each) => {
    const { error, objects } = await renderer.render(requestOf(each))
    expect(error).toBe('')
    const rendered = objects.map((o) => o.object).filter((o) => o !== null)
    expect(rendered).toEqual(documents(readFileSync(join(FIXTURES, 'expected', `${name}.yaml`), 'utf8')))
  })
})

const CHART: RenderFile = { path: 'Chart.yaml', text: 'apiVersion: v2\nname: x\nversion: 0.1.0\n' }
const render = (request: RenderRequest, by = renderer): Promise<RenderAnswer> => by.render(request)
const chart = (template: string): RenderRequest => ({
  files: [CHART, { path: 'templates/a.yaml', text: template }],
  helm: { chart: '.', name: 'x', namespace: 'default', values: [], set: [], postRender: '' },
})
const kustomize = (more: Record<string, string>): RenderRequest => ({
  files: Object.entries(more).map(([path, text]) => ({ path, text })),
  kustomize: { folder: '.' },
})
const MAP = 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: x}\n'

describe('a request', () => {
  it('says of each object where it is from, and what a chart has beside them', async () => {
    const { objects, skipped } = await render(requestOf(cases.web as Case))
    const of = (kind: string): unknown => objects.find((o) => (o.object as { kind: string }).kind === kind)
    expect(of('ServiceAccount')).toMatchObject({ file: 'charts/web/templates/service.yaml' })
    expect(of('Deployment')).toMatchObject({ file: 'charts/web/templates/deployment.yaml' })
    expect(skipped).toEqual([
      { kind: 'Pod', name: 'shop-web-test', file: 'charts/web/templates/tests/connection.yaml', what: 'test' },
      { kind: 'Job', name: 'shop-web-migrate', file: 'charts/web/templates/migrate.yaml', what: 'hook' },
    ])
  })

  it('says which manifest a kustomization transformed, and what its generators made', async () => {
    const { objects } = await render(requestOf(cases.full as Case))
    const sources = objects.map((o) => [(o.object as { kind: string }).kind, o.file, o.generated])
    expect(sources).toContainEqual(['Deployment', 'overlays/full/base/app.yaml', false])
    expect(sources).toContainEqual(['CronJob', 'overlays/full/base/more/job.yaml', false])
    expect(sources).toContainEqual(['Ingress', 'overlays/full/overlays/prod/ingress.yaml', false])
    expect(sources).toContainEqual(['Secret', 'overlays/full/base/kustomization.yaml', true])
  })

  it('gives the same each time, random values, times and keys too, whatever came before', async () => {
    const random = chart(
      `${MAP}data:\n  a: {{ randAlphaNum 9 }}\n  b: "{{ randInt 0 999999 }}"\n  c: {{ uuidv4 }}\n  d: "{{ now | unixEpoch }}"\n  e: {{ shuffle "abcdefgh" }}\n  f: {{ genPrivateKey "ecdsa" | sha256sum }}\n`,
    )
    const first = await render(random)
    expect(first.error).toBe('')
    await render(requestOf(cases.full as Case))
    await render(chart('{{ genPrivateKey "rsa" }}'))
    expect(await render(random)).toEqual(first)
    const other = new Renderer()
    expect(await render(random, other)).toEqual(first)
    await other.close()
  })

  it('lays the kustomization of a post-render folder over a chart', async () => {
    const request = chart(`${MAP}---\napiVersion: v1\nkind: Service\nmetadata: {name: s}\nspec: {ports: [{port: 1}]}\n`)
    const patch =
      'resources: [rendered.yaml]\npatches:\n  - target: {kind: ConfigMap}\n    patch: |-\n      - {op: add, path: /data, value: {a: b}}\n'
    const { objects, error } = await render({
      ...request,
      files: [...request.files, { path: 'post-render/kustomization.yaml', text: patch }],
      helm: { ...(request as { helm: object }).helm, postRender: 'post-render' } as never,
    })
    expect(error).toBe('')
    expect(objects.map((o) => [o.file, (o.object as { data?: unknown }).data])).toEqual([
      ['templates/a.yaml', { a: 'b' }],
      ['templates/a.yaml', undefined],
    ])
  })

  it.each<[string, RenderRequest, RegExp]>([
    ['lookup', chart('a: {{ (lookup "v1" "Secret" "x" "y").data }}'), /lookup asks a running cluster/],
    [
      'a template that includes itself',
      chart('{{- define "x" }}{{ include "x" . }}{{ end }}{{ include "x" . }}'),
      /nested reference/,
    ],
    [
      'an alias bomb',
      chart(
        `a0: &a0 [x]\n${[1, 2, 3, 4, 5, 6, 7, 8].map((i) => `a${i}: &a${i} [${`*a${i - 1},`.repeat(9)}]`).join('\n')}`,
      ),
      /aliasing/,
    ],
    ['required', chart('{{ required "give a name" .Values.nope }}'), /give a name/],
    ['a template that is none', chart('{{ if }}'), /missing value for if/],
    [
      'a chart of apiVersion v3',
      { ...chart(''), files: [{ path: 'Chart.yaml', text: 'apiVersion: v3\nname: x\nversion: 0.1.0\n' }] },
      /v3/,
    ],
    [
      'a library chart',
      {
        ...chart(''),
        files: [{ path: 'Chart.yaml', text: 'apiVersion: v2\ntype: library\nname: x\nversion: 0.1.0\n' }],
      },
      /type library/,
    ],
    [
      'a sub-chart that is missing',
      {
        ...chart(''),
        files: [
          {
            path: 'Chart.yaml',
            text: 'apiVersion: v2\nname: x\nversion: 0.1.0\ndependencies: [{name: db, version: 1.0.0}]\n',
          },
        ],
      },
      /missing in charts.*: db/,
    ],
    [
      'a schema in a file',
      { ...chart(''), files: [CHART, { path: 'values.schema.json', text: '{"$ref": "file:///etc/passwd"}' }] },
      /schema/i,
    ],
    [
      'a schema in the network',
      { ...chart(''), files: [CHART, { path: 'values.schema.json', text: '{"$ref": "https://example.org/x.json"}' }] },
      /schema/i,
    ],
    [
      'a remote base',
      kustomize({ 'kustomization.yaml': 'resources: ["https://github.com/a/b//c?ref=v1"]' }),
      /git|dial/,
    ],
    [
      'a program as a plugin',
      kustomize({
        'kustomization.yaml': 'generators: [g.yaml]',
        'g.yaml':
          'apiVersion: x/v1\nkind: G\nmetadata:\n  name: g\n  annotations:\n    config.kubernetes.io/function: |\n      exec: {path: ./x}\n',
      }),
      /plugins disabled/,
    ],
    [
      'a chart within a kustomization',
      kustomize({ 'kustomization.yaml': 'helmCharts: [{name: x, repo: "https://x"}]' }),
      /--enable-helm/,
    ],
    [
      'a file above the kustomization',
      { ...kustomize({ 'a/kustomization.yaml': 'resources: [../x.yaml]', 'x.yaml': MAP }), kustomize: { folder: 'a' } },
      /not in or below/,
    ],
  ])('for %s ends in an error', async (_, request, message) => {
    const { error, objects } = await render(request)
    expect(error).toMatch(message)
    expect(objects).toEqual([])
  })

  it.each([
    ['a range without end', 'a: {{ range until 2000000000 }}x{{ end }}'],
    ['a text without end', 'a: {{ repeat 2000000000 "x" }}'],
  ])('that takes too much memory is refused: %s; the next one is served', async (_, template) => {
    await expect(render(chart(template))).rejects.toThrow(/more memory than/)
    expect((await render(chart(MAP))).objects).toHaveLength(1)
  })

  it('that takes too long is refused at its deadline, while others are served', async () => {
    const hasty = new Renderer({ deadlineMs: 3000 })
    const endless = chart('a: {{ range $i := until 30000 }}{{ range until 30000 }}{{ end }}{{ end }}')
    const refused = expect(render(endless, hasty)).rejects.toThrow(InputError)
    await Promise.all([refused, expect(render(chart(MAP), renderer)).resolves.toMatchObject({ error: '' })])
    await expect(render(chart(MAP), hasty)).resolves.toMatchObject({ error: '' })
    await hasty.close()
  }, 90_000)

  it('waits for its turn when all workers are busy', async () => {
    const one = new Renderer({ workers: 1 })
    const answers = await Promise.all([1, 2, 3].map(() => render(chart(MAP), one)))
    expect(answers.map((a) => a.objects.length)).toEqual([1, 1, 1])
    await one.close()
  })
})
