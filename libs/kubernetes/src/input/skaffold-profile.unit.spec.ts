import { idOf } from './kubernetes-object.js'
import { readPlainProject } from './read-project.js'

const map = (name: string): string => `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: ${name}}\n`
const NAMES = ['a', 'b', 'c', 'd', 'e']

/** The names of what a project deploys whose files are a.yaml, b.yaml, …; `{}` is the profiles' part of its config. */
function deployed(profiles: string, options: { profile?: string; cluster?: string; env?: string } = {}): string[] {
  const files = {
    'skaffold.yaml': `apiVersion: skaffold/v4beta11\nkind: Config\nmanifests:\n  rawYaml: [a.yaml, b.yaml]\nprofiles:\n${profiles}`,
    'skaffold.env': options.env ?? '',
    ...Object.fromEntries(NAMES.map((name) => [`${name}.yaml`, map(name)])),
  }
  const bundle = { files: Object.entries(files).map(([path, content]) => ({ path, content })) }
  const { profile = null, cluster = 'embedded' } = options
  const { objects } = readPlainProject(bundle, { subpath: null, profile, values: [], cluster })
  return objects.map((o) => idOf(o.object).slice('ConfigMap/'.length))
}
const patched = (...patches: string[]): string[] =>
  deployed(`  - name: p\n    patches:\n${patches.map((patch) => `      - ${patch}\n`).join('')}`, { profile: 'p' })

describe('the patches of a profile', () => {
  it.each([
    ['replace', ['{op: replace, path: /manifests/rawYaml/0, value: c.yaml}'], 'c b'],
    ['replace, when they name no operation', ['{path: /manifests/rawYaml/1, value: d.yaml}'], 'a d'],
    ['add before an item', ['{op: add, path: /manifests/rawYaml/1, value: c.yaml}'], 'a c b'],
    ['add behind the last', ['{op: add, path: /manifests/rawYaml/-, value: c.yaml}'], 'a b c'],
    ['add a field', ['{op: add, path: /manifests, value: {rawYaml: [e.yaml]}}'], 'e'],
    ['remove', ['{op: remove, path: /manifests/rawYaml/0}'], 'b'],
    ['move', ['{op: move, from: /manifests/rawYaml/1, path: /manifests/rawYaml/0}'], 'b a'],
    [
      'copy',
      ['{op: add, path: /manifests/x, value: c.yaml}', '{op: copy, from: /manifests/x, path: /manifests/rawYaml/-}'],
      'a b c',
    ],
    [
      'test',
      ['{op: test, path: /manifests/rawYaml/0, value: a.yaml}', '{op: remove, path: /manifests/rawYaml/1}'],
      'a',
    ],
  ])('%s', (_, patches, names) => {
    expect(patched(...patches)).toEqual(names.split(' '))
  })

  it.each([
    [
      'replace nothing',
      '{op: replace, path: /manifests/nope, value: 1}',
      /^skaffold.yaml:8: there is nothing at \/manifests\/nope/,
    ],
    ['remove nothing', '{op: remove, path: /manifests/rawYaml/7}', /there is nothing at/],
    ['move nothing', '{op: move, from: /nope, path: /manifests/rawYaml}', /there is nothing at \/nope/],
    ['expect something else', '{op: test, path: /manifests/rawYaml/0, value: z.yaml}', /expects something else/],
    ['do what is unknown', '{op: merge, path: /manifests, value: 1}', /'merge' is not known/],
    ['begin without a slash', '{op: add, path: manifests, value: 1}', /not a JSON pointer/],
  ])('are refused when they %s', (_, patch, message) => {
    expect(() => patched(patch)).toThrow(message)
  })
})

describe('a profile', () => {
  const one = (name: string, file: string, more = ''): string =>
    `  - name: ${name}\n    manifests: {rawYaml: [${file}.yaml]}\n${more}`

  it('takes the place of what it names; an empty list names nothing', () => {
    expect(deployed(one('p', 'c'), { profile: 'p' })).toEqual(['c'])
    expect(deployed('  - {name: p, manifests: {rawYaml: []}}\n', { profile: 'p' })).toEqual(['a', 'b'])
  })

  it('is laid over those that are named before it', () => {
    const both = one('p', 'c') + one('q', 'd')
    expect(deployed(both, { profile: 'p,q' })).toEqual(['d'])
    expect(deployed(both, { profile: 'q, p' })).toEqual(['c'])
  })

  const when = (condition: string): string => one('p', 'c', `    activation:\n      - ${condition}\n`)
  it.each<[string, Parameters<typeof deployed>[1], boolean]>([
    ['{command: run}', {}, true],
    ['{command: dev}', {}, false],
    ['{command: "!dev"}', {}, true],
    ['{command: "dev|run"}', {}, true],
    ['{kubeContext: staging}', { cluster: 'staging-eu' }, true],
    ['{kubeContext: staging}', {}, false],
    ['{kubeContext: "!prod.*"}', { cluster: 'prod-1' }, false],
    ['{env: STAGE=small}', { env: 'STAGE="small"\n' }, true],
    ['{env: STAGE=small}', { env: '# STAGE=small\n' }, false],
    ['{env: "STAGE=!small"}', {}, true],
    ['{env: STAGE=}', {}, true],
    ['{env: STAGE=}', { env: 'export STAGE=x # y' }, false],
    ['{env: STAGE=s.*l, command: run}', { env: "STAGE='small'" }, true],
    ['{env: STAGE=s.*l, command: dev}', { env: 'STAGE=small' }, false],
  ])('activates itself by %s with %j: %s', (condition, options, active) => {
    expect(deployed(when(condition), options)).toEqual(active ? ['c'] : ['a', 'b'])
  })

  it('needs one of its conditions, or all where it says so', () => {
    const two = when('{command: run}\n      - {command: dev}')
    expect(deployed(two)).toEqual(['c'])
    expect(deployed(`${two}    requiresAllActivations: true\n`)).toEqual(['a', 'b'])
  })

  it('that would activate itself is kept from it by its name with a dash, and comes before those that are named', () => {
    expect(deployed(when('{command: run}'), { profile: '-p' })).toEqual(['a', 'b'])
    expect(deployed(when('{command: run}') + one('q', 'd'), { profile: 'q' })).toEqual(['d'])
  })

  it('that nothing has is refused, with those that there are', () => {
    expect(() => deployed(one('p', 'c'), { profile: 'nope' })).toThrow(/no profile 'nope'. Known are: p/)
  })
})
