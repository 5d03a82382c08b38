import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ordeal } from './ordeal.js'

const POD = `apiVersion: v1
kind: Pod
metadata: { name: web, labels: { app: web } }
spec: { containers: [{ name: web, image: nginx }] }
`
const CONFIG_MAP = 'apiVersion: v1\nkind: ConfigMap\nmetadata: { name: settings }\n'

describe('bad input', () => {
  let root: string
  beforeEach(async () => {
    root = await mkdtemp(join(tmpdir(), 'ordeal-bad-'))
    await mkdir(join(root, 'app'))
  })
  afterEach(() => rm(root, { recursive: true }))

  const run = (...args: string[]): ReturnType<typeof ordeal> =>
    ordeal(['run', join(root, 'app'), '--out', join(root, 'out'), ...args], join(root, 'state'))

  const files: [string, Record<string, string>, RegExp][] = [
    ['an empty folder', {}, /app: the folder is empty/],
    ['invalid YAML', { 'a.yaml': 'kind: Pod\nmetadata: [\n' }, /a\.yaml:\d+/],
    ['an object without a kind', { 'a.yaml': 'apiVersion: v1\nmetadata: { name: web }\n' }, /a\.yaml:1.*kind/],
    ['no workload', { 'a.yaml': CONFIG_MAP }, /workload/],
    ['two objects of one name', { 'a.yaml': POD, 'b.yaml': POD }, /b\.yaml:1.*Pod\/web|Pod\/web.*b\.yaml/],
    [
      'several objects that the embedded cluster does not model',
      {
        'a.yaml': POD,
        'b.yaml': 'apiVersion: v1\nkind: ReplicationController\nmetadata: { name: w }\n',
        'c.yaml': 'apiVersion: v1\nkind: PodTemplate\nmetadata: { name: g }\n',
      },
      /b\.yaml:1: ReplicationController\/w: .*[\s\S]*c\.yaml:1: PodTemplate\/g: .*--cluster/,
    ],
    [
      'a profile of an image that makes no sense',
      { 'a.yaml': POD, 'ordeal.yaml': 'images: { "nginx*": { startup: soon, worker: 3 } }\n' },
      /ordeal\.yaml: .*\n {2}images\.nginx\*\.startup: is no duration.*\n {2}images\.nginx\*: .*worker.*docs\/expectations/,
    ],
    ['a manifest of 10 MB', { 'a.yaml': `# ${'x'.repeat(10 * 1024 * 1024)}\n${POD}` }, /a\.yaml: 10 MB is too large/],
  ]
  it.each(files)('%s is refused with place and remedy', async (_, given, message) => {
    for (const [name, content] of Object.entries(given)) await writeFile(join(root, 'app', name), content)
    const { code, stdout, stderr } = await run()
    expect(stderr).toMatch(message)
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
    expect(await readdir(root)).toEqual(['app'])
  })

  it('another program in the place of the prober leaves the cycle without a verdict, and blames nobody else', async () => {
    await writeFile(join(root, 'app/pod.yaml'), POD)
    const { code } = await run('--prober-image', 'nowhere/prober:9')
    const { cycle } = JSON.parse(await readFile(join(root, 'out/results.json'), 'utf8')) as {
      cycle: { outcome: string; reason: string; message: string }
    }
    expect({ code, outcome: cycle.outcome, reason: cycle.reason }).toEqual({
      code: 3,
      outcome: 'inconclusive',
      reason: 'prober-lost',
    })
    expect(cycle.message).toMatch(/nowhere\/prober:9 is the prober's image .*--prober-image/)
  })

  it('what a cycle would refuse a plan refuses, too', async () => {
    await writeFile(join(root, 'app/pod.yaml'), POD)
    await writeFile(join(root, 'app/ordeal.yaml'), 'images: { nginx: { memory: much } }\n')
    const { code, stderr } = await ordeal(['plan', join(root, 'app')], join(root, 'state'))
    expect(stderr).toMatch(/ordeal\.yaml: .*images\.nginx\.memory: is no amount of memory/s)
    expect(code).toBe(1)
  })

  const options: [string, string[], RegExp][] = [
    ['an unknown context', ['--cluster', 'no-such-context'], /no context 'no-such-context'/],
    ['a duration without a unit', ['--deadline', '30'], /'30m'/],
    ['a seed that is no number', ['--seed', 'one'], /whole number/],
    ['no steady state', ['--max-steady-states', '0'], /whole number from 1/],
    ['an unknown option', ['--fast'], /unknown option '--fast'/],
    ['an output inside of the input', ['--out', 'IN/out'], /lies inside the input/],
    ['an output without a parent', ['--out', 'IN/../no/such/out'], /does not exist.*Create it/],
    ['an unknown gate', ['--fail-on', 'monday'], /refuted/],
  ]
  it.each(options)('%s is refused', async (_, args, message) => {
    await writeFile(join(root, 'app/pod.yaml'), POD)
    const { code, stderr } = await run(...args.map((arg) => arg.replace('IN', join(root, 'app'))))
    expect(stderr).toMatch(message)
    expect(code).toBe(1)
  })

  it('a path that does not exist is refused', async () => {
    const { code, stderr } = await ordeal(['run', join(root, 'nowhere')], join(root, 'state'))
    expect(stderr).toMatch(/nowhere: there is no such file or folder/)
    expect(code).toBe(1)
  })
})
