import { connectCluster, type Cluster, type ClusterObject } from '@ordeal/kubernetes'
import { clusterSchema, newCycleId, type Measurement } from '@ordeal/shared'
import { deploymentApp } from '../testing/applications.js'
import { atOnce } from '../testing/at-once.js'
import { type Application, type Cycle } from '../testing/cycle.js'
import { reachRealCluster, startRealCycle } from '../testing/real-cycle.js'

const CYCLE_MS = 600_000
const name = `ordeal-spec-${newCycleId().slice(4, 12)}`
const group = `${name}.example.org`
const RBAC = 'rbac.authorization.k8s.io/v1'
const never = new AbortController().signal

const definition: ClusterObject = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: `widgets.${group}` },
  spec: {
    group,
    scope: 'Namespaced',
    names: { plural: 'widgets', singular: 'widget', kind: 'Widget' },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
      },
    ],
  },
}
const widget = (kind = 'Widget') => ({
  apiVersion: `${group}/v1`,
  kind,
  metadata: { name: 'w', namespace: 'shop' },
  colour: 'blue',
})
const role = {
  apiVersion: RBAC,
  kind: 'ClusterRole',
  metadata: { name },
  rules: [{ apiGroups: [''], resources: ['pods'], verbs: ['list'] }],
}
const binding = {
  apiVersion: RBAC,
  kind: 'ClusterRoleBinding',
  metadata: { name },
  roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name },
  subjects: [{ kind: 'ServiceAccount', name: 'web', namespace: 'shop' }],
}
const priority = { apiVersion: 'scheduling.k8s.io/v1', kind: 'PriorityClass', metadata: { name }, value: 10 }
const inShop = (object: Record<string, unknown>, namespace: string) => ({
  ...object,
  metadata: { ...(object.metadata as object), namespace },
})

/** An application in two namespaces, with `more` beside it. */
function appWith(...more: Record<string, unknown>[]): Application {
  const app = deploymentApp('front', 1)
  const settings = {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 's' },
    data: { db: 'http://front.shop.svc' },
  }
  return { ...app, objects: [...app.objects.map((o) => inShop(o, 'shop')), inShop(settings, 'data'), ...more] }
}
const wide = [role, binding, priority]

describe('what an input brings, on a real cluster', () => {
  const open: Cycle[] = []
  let cluster: Cluster
  const start = async (app: Application, consent: boolean): Promise<Cycle> => {
    const cycle = await startRealCycle(app, { readyMs: 90_000 }, { allowClusterScoped: consent })
    open.push(cycle)
    return cycle
  }
  const measure = async (app: Application, consent = false): Promise<{ cycle: Cycle; measured: Measurement }> => {
    const cycle = await start(app, consent)
    return { cycle, measured: await cycle.measure() }
  }
  const refusedFor = (words: RegExp) => ({ settled: false, cause: expect.stringMatching(words) })
  const live = <T extends object>(object: { apiVersion: string; kind: string; metadata: { name: string } }) =>
    cluster.objects.get<ClusterObject & T>(object)
  const startAll = () =>
    atOnce({
      consented: () => measure(appWith(...wide, widget()), true),
      silent: () => measure(appWith(...wide)),
      unknown: () => measure(appWith(widget('Gadget'))),
      twice: () => measure(appWith(inShop(deploymentApp('front', 1).objects[1] ?? {}, 'data'))),
    })
  let cycles: ReturnType<typeof startAll>

  beforeAll(async () => {
    await reachRealCluster()
    cluster = await connectCluster({ kind: 'kubernetes', context: process.env.ORDEAL_TEST_CONTEXT ?? '' })
    await cluster.objects.create(definition)
    const check = async () => {
      const { status } =
        (await live<{ status?: { conditions?: { type: string; status: string }[] } }>(definition)) ?? {}
      return status?.conditions?.some((c) => c.type === 'Established' && c.status === 'True') || undefined
    }
    await cluster.clock.waitFor({ what: 'the definition', withinMs: 30_000, watch: [], everyMs: 200, check }, never)
    cycles = startAll()
  })
  afterAll(async () => {
    await Promise.all(open.map((cycle) => cycle.cleanUp()))
    await cluster.objects.remove(definition)
  }, CYCLE_MS)

  it(
    'is put into one sandbox, names and all, with what everybody sees marked as its own',
    async () => {
      const { cycle, measured } = await cycles.consented
      expect(measured).toMatchObject({ settled: true })
      const own = { 'ordeal.dev/cycle': cycle.id }
      for (const object of wide) {
        const annotations = { 'ordeal.dev/owner': `cycle ${cycle.id} of tenant local` }
        expect(await live(object)).toMatchObject({ metadata: { labels: own, annotations } })
      }
      expect(await live(binding)).toMatchObject({ subjects: [{ namespace: cycle.namespace }] })
      const settings = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 's', namespace: cycle.namespace } }
      expect(await live(settings)).toMatchObject({ data: { db: `http://front.${cycle.namespace}.svc` } })
      expect(await live(inShop(widget(), cycle.namespace) as ClusterObject)).toMatchObject({ colour: 'blue' })
      const space = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: cycle.namespace } }
      expect(await live(space)).toMatchObject({
        metadata: { labels: own, annotations: { 'ordeal.dev/owner': expect.any(String) } },
      })
    },
    CYCLE_MS,
  )

  it(
    'is never put over what is there, and taken away by whoever made it alone',
    async () => {
      const first = await cycles.consented
      const before = await live(role)
      const second = await measure(appWith(...wide), true)
      expect(second.measured).toMatchObject(refusedFor(/is there already and was not made by this cycle/))
      expect(await second.cycle.cleanUp()).toBeNull()
      expect((await live(role))?.metadata).toMatchObject({ uid: before?.metadata.uid, labels: before?.metadata.labels })
      expect(await first.cycle.cleanUp()).toBeNull()
      expect(await Promise.all(wide.map((object) => live(object)))).toEqual([null, null, null])
    },
    CYCLE_MS,
  )

  it(
    'is refused where everybody would see it and nobody consented',
    async () => {
      expect((await cycles.silent).measured).toMatchObject(
        refusedFor(/ClusterRole.*needs consent \(--allow-cluster-scoped\)/),
      )
    },
    CYCLE_MS,
  )

  it(
    'is left out, and named, where the cluster has no definition of it',
    async () => {
      const { cycle, measured } = await cycles.unknown
      expect(measured).toMatchObject({ settled: true })
      const facts = await cycle.context(0, 'look').artefacts.latest('cluster', clusterSchema)
      expect(facts?.assumptions).toContainEqual(expect.stringMatching(/^Gadget\/w of .* has no effect: /))
    },
    CYCLE_MS,
  )

  it(
    'is refused where two objects would be one',
    async () => {
      expect((await cycles.twice).measured).toMatchObject(
        refusedFor(/Service\/front stands in the namespaces shop, data; one sandbox holds one namespace/),
      )
    },
    CYCLE_MS,
  )
})
