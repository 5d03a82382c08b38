import { KubeConfig, CoreV1Api } from '@kubernetes/client-node'
import { connectCluster, isRefused, type Cluster, type ClusterObject, type ObjectRef } from '@ordeal/kubernetes'
import { newCycleId, type Measurement, type Run } from '@ordeal/shared'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { hypothesisFor } from '../testing/applications.js'
import { startCycle, type Application, type Cycle } from '../testing/cycle.js'
import { crashingRevision, everyKindApp, HOLD, laterRevision } from '../testing/every-kind.js'
import { reachRealCluster } from '../testing/real-cycle.js'
import { startRecordingProxy, type ApiCall, type RecordingProxy } from '../testing/recording-proxy.js'
import { listPool, type PoolLease } from './pool.js'
import { poolOf, poolRoles } from './pool-manifests.js'

const CYCLE_MS = 600_000
const READY_MS = 60_000
const never = new AbortController().signal
const context = process.env.ORDEAL_TEST_CONTEXT ?? ''
const tenant = `spec-${newCycleId().slice(4, 10)}`
const home = `ordeal-home-${tenant}`
const spaces = [1, 2].map((n) => `ordeal-pool-${tenant}-${n}`)

/** Kinds whose removal is held up until it was watched for: what goes at once needs no watch. */
const isHeld = ({ metadata }: ClusterObject): boolean =>
  metadata.deletionTimestamp !== undefined && (metadata.finalizers ?? []).includes(HOLD)

describe('a pool of namespaces on a real cluster, with the rights of a tenant', () => {
  let admin: Cluster
  let folder: string
  let proxy: RecordingProxy
  let token: string
  let api: { readonly server: string; readonly certificateAuthority: string }
  const roles = /ordeal-pool-(home|sandbox|prober|chaos-version|cluster-reader)\b/g
  const printed = [...poolRoles(), ...poolOf({ tenant, namespaces: 2, custom: [], chaosNamespace: 'chaos-mesh' })]
  /** With roles of its own: others may be at the same on this cluster, and nothing is to be left. */
  const manifests = JSON.parse(JSON.stringify(printed).replaceAll(roles, `$&-${tenant}`)) as ClusterObject[]

  /** A kubeconfig of the tenant's account, with its home. */
  const kubeconfigFor = async (server: string): Promise<string> => {
    const file = join(folder, `config-${new URL(server).port}`)
    const config = {
      apiVersion: 'v1',
      kind: 'Config',
      clusters: [{ name: 'c', cluster: { server, 'insecure-skip-tls-verify': true } }],
      users: [{ name: 'u', user: { token } }],
      contexts: [{ name: 'tenant', context: { cluster: 'c', user: 'u', namespace: home } }],
    }
    await writeFile(file, JSON.stringify(config))
    return file
  }
  const start = async (app: Application): Promise<Cycle> => {
    const kubeconfig = await kubeconfigFor(proxy.url)
    return startCycle(app, {
      settings: { embeddedUrl: null, kubeconfig, readyMs: READY_MS },
      target: { kind: 'kubernetes', context: 'tenant', kubeconfig },
      cycleId: newCycleId(),
      seed: 1,
    })
  }
  const asTenant = async (): Promise<Cluster> =>
    connectCluster({ kind: 'kubernetes', context: 'tenant', kubeconfig: await kubeconfigFor(proxy.url) })
  const leases = (): Promise<PoolLease[]> =>
    admin.objects.list({ apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', namespace: home })

  /** Takes the hold off whatever is to go and is watched, until `over` aborts. */
  const letGo = async (over: AbortSignal, namespace: string, kinds: readonly ClusterObject[]): Promise<void> => {
    const watched = (kind: string) =>
      proxy.calls.some((c) => c.verb === 'watch' && c.namespace === namespace && c.resource === kind)
    const check = async () => {
      for (const { apiVersion, kind } of kinds) {
        const path = await admin.objects.path({ apiVersion, kind, namespace })
        if (!watched(path.split('/').at(-1) ?? '')) continue
        for (const object of (await admin.objects.list({ apiVersion, kind, namespace })).filter(isHeld)) {
          await admin.objects.patch(object, { metadata: { finalizers: null } }).catch(() => undefined)
        }
      }
      return over.aborted || undefined
    }
    const wait = { what: 'the end of the cycle', withinMs: CYCLE_MS, watch: [], everyMs: 300, check }
    await admin.clock.waitFor(wait, never)
  }

  beforeAll(async () => {
    await reachRealCluster()
    admin = await connectCluster({ kind: 'kubernetes', context })
    folder = await mkdtemp(join(tmpdir(), 'ordeal-pool-'))
    for (const object of manifests) await admin.objects.create(object)
    const config = new KubeConfig()
    config.loadFromDefault()
    config.setCurrentContext(context)
    const { server = '', caData = '' } = config.getCurrentCluster() ?? {}
    api = { server, certificateAuthority: caData }
    const request = { name: 'ordeal', namespace: home, body: { spec: { audiences: [], expirationSeconds: 3600 } } }
    const issued = await config.makeApiClient(CoreV1Api).createNamespacedServiceAccountToken(request)
    token = issued.status?.token ?? ''
    proxy = await startRecordingProxy(server, Buffer.from(caData, 'base64'))
  }, CYCLE_MS)
  afterAll(async () => {
    const inside = new Set([home, ...spaces, ...spaces.map((space) => `${space}-prober`)])
    const outside = manifests.filter(({ metadata }) => !inside.has(metadata.namespace ?? ''))
    for (const object of outside) await admin.objects.remove(object)
    await proxy.close()
    await rm(folder, { recursive: true })
  }, CYCLE_MS)

  describe('walked by a whole experiment', () => {
    let measured: Measurement
    let runs: Run[]
    let left: string | null
    let during: PoolLease[]
    let namespace: string
    beforeAll(async () => {
      const app = everyKindApp()
      const cycle = await start(app)
      measured = await cycle.measure()
      during = await leases()
      namespace = during.find((lease) => lease.spec?.holderIdentity === cycle.id)?.metadata.name ?? ''
      const over = new AbortController()
      const kinds = [...new Map(app.objects.map((o) => [o.kind, o as unknown as ClusterObject])).values()]
      const lettingGo = letGo(over.signal, namespace, kinds)
      await cycle.putRevision(1, laterRevision())
      await cycle.putRevision(2, crashingRevision())
      const delay = {
        kind: 'NetworkChaos',
        action: 'delay',
        parameters: { latencyMs: 100 },
        durationMs: 15_000,
      } as const
      const front = { ...app, steadyStates: app.steadyStates.slice(0, 2) }
      runs = [
        await cycle.run(hypothesisFor(app, { durationMs: 15_000 })),
        await cycle.run(hypothesisFor(front, delay), 1),
        await cycle.run(hypothesisFor(front), 2),
      ]
      over.abort()
      await lettingGo
      left = await cycle.cleanUp()
    }, 2 * CYCLE_MS)

    it('succeeds', () => {
      expect(measured).toMatchObject({ settled: true })
      const controls = measured.settled ? measured.steadyStates.map((s) => s.negativeControl) : []
      expect(controls.map(({ failed, method }) => [failed, method])).toEqual([
        [true, 'target-broken'],
        [true, 'target-broken'],
        [true, 'stub'],
        [true, 'stub'],
      ])
      // Which rights were used does not hang on whether a busy machine measured well.
      const [first, ...others] = runs.map((run) => run.problem?.reason ?? null)
      expect([null, 'prober-lost']).toContain(first)
      expect(others).toEqual(['not-injected', 'not-settled'])
      expect(runs[2]?.problem?.message).toMatch(/crashes again and again.*no database/)
    })

    it('takes one namespace, and gives it back empty', async () => {
      expect(during.filter((lease) => lease.spec?.holderIdentity)).toHaveLength(1)
      expect(left).toBeNull()
      expect((await leases()).map((lease) => lease.spec?.holderIdentity ?? null)).toEqual([null, null])
      for (const kind of ['ConfigMap', 'Secret', 'Pod', 'PersistentVolumeClaim', 'ServiceAccount']) {
        const found = await admin.objects.list({ apiVersion: 'v1', kind, namespace })
        const names = found.map(({ metadata }) => metadata.name)
        expect(names.filter((name) => !['kube-root-ca.crt', 'default'].includes(name))).toEqual([])
      }
    })

    it('uses every right that the roles give, and asks for no other', () => {
      const granted = manifests.flatMap((o) => (o.kind === 'ClusterRole' ? rightsOf(o) : []))
      const used = new Set(proxy.calls.filter(isAllowed).map(nameOf))
      // Any fault is handled alike; which of them this machine can inject says nothing of rights.
      const isFault = (name: string) => name.includes('.chaos-mesh.org') && !name.startsWith('list ')
      expect(granted.filter((name) => !used.has(name) && !isFault(name))).toEqual([])
      for (const verb of ['create', 'get', 'watch', 'patch', 'delete']) {
        expect([...used].some((name) => name.startsWith(`${verb} `) && isFault(name))).toBe(true)
      }
      expect([...used].filter((name) => !granted.includes(name))).toEqual([])
      const denied = proxy.calls
        .filter((call) => call.status === 403)
        .map((c) => `${c.verb} ${c.resource} ${c.namespace}`)
      // Both are looked at by whoever may, and done without by whoever may not.
      expect([...new Set(denied)].toSorted()).toEqual(['get namespaces undefined', 'list deployments undefined'])
    })

    /** By which role of the pool a call is allowed. */
    const roleOf = (of: ApiCall): string => {
      if (of.namespace === home) return 'home'
      if (of.namespace === namespace) return 'sandbox'
      if (of.namespace === `${namespace}-prober`) return 'prober'
      return of.namespace === 'chaos-mesh' ? 'chaos-version' : 'cluster-reader'
    }
    const nameOf = (call: ApiCall): string => {
      const resource = [call.resource, call.group].filter(Boolean).join('.')
      return `${call.verb} ${resource} by ordeal-pool-${roleOf(call)}-${tenant}`
    }
    const isAllowed = ({ status, resource }: ApiCall): boolean =>
      status !== 403 && resource !== 'selfsubjectaccessreviews'
    const rightsOf = (role: ClusterObject): string[] =>
      (role.rules as { apiGroups: string[]; resources: string[]; verbs: string[] }[]).flatMap((rule) =>
        rule.resources.flatMap((resource) =>
          rule.verbs.map((verb) => {
            const name = [resource, rule.apiGroups[0]].filter(Boolean).join('.')
            return `${verb} ${name} by ${role.metadata.name}`
          }),
        ),
      )
  })

  it('is reached by a registered credential as well as by a kubeconfig', async () => {
    const { server, certificateAuthority } = api
    const credential = { server, certificateAuthority, token, namespace: home }
    const registered = await connectCluster({ kind: 'kubernetes', name: 'staging', credential })
    const pool = await listPool(registered)
    expect(pool.map((lease) => lease.metadata.name).toSorted()).toEqual(spaces)
    const unknown = { ...credential, certificateAuthority: undefined }
    const nobody = connectCluster({ kind: 'kubernetes', name: 'staging', credential: unknown })
    await expect(nobody).rejects.toMatchObject({ code: 'cluster-lost', message: expect.stringMatching(/certificate/) })
  })

  it('lets the account do nothing outside of its pool, nor raise itself', async () => {
    const { objects } = await asTenant()
    const [space = ''] = spaces
    const config = (namespace: string): ClusterObject => ({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'x', namespace },
    })
    const binding = (kind: string, namespace?: string): ClusterObject => ({
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind,
      metadata: { name: 'x', namespace },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'cluster-admin' },
      subjects: [{ kind: 'ServiceAccount', name: 'ordeal', namespace: home }],
    })
    const privileged = {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'x', namespace: space },
      spec: {
        hostNetwork: true,
        containers: [{ name: 'x', image: 'busybox:1.36', securityContext: { privileged: true } }],
      },
    }
    const self: ObjectRef = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: space } }
    const attempts = {
      'a write in another namespace': () => objects.create(config('default')),
      'a write where Chaos Mesh lives': () => objects.create(config('chaos-mesh')),
      'a write in its own home': () => objects.create(config(home)),
      'a new namespace': () =>
        objects.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: `${space}-x` } }),
      'the labels of its own namespace': () =>
        objects.patch(self, { metadata: { labels: { 'pod-security.kubernetes.io/enforce': null } } }),
      'the end of its own namespace': () => objects.remove(self),
      'the end of a node': () => objects.remove({ apiVersion: 'v1', kind: 'Node', metadata: { name: 'any' } }),
      'Secrets of others': () => objects.list({ apiVersion: 'v1', kind: 'Secret', namespace: 'kube-system' }),
      'Secrets of all': () => objects.list({ apiVersion: 'v1', kind: 'Secret' }),
      'pods of all': () => objects.list({ apiVersion: 'v1', kind: 'Pod' }),
      'the rights of an administrator': () => objects.create(binding('ClusterRoleBinding')),
      'the same in its namespace': () => objects.create(binding('RoleBinding', space)),
      'a privileged pod': () => objects.create(privileged),
      'one more lease': () =>
        objects.create({
          apiVersion: 'coordination.k8s.io/v1',
          kind: 'Lease',
          metadata: { name: 'x', namespace: home },
        }),
    }
    for (const [what, attempt] of Object.entries(attempts)) {
      const status = await attempt().then(
        () => 200,
        (error: unknown) => (isRefused(error, 403) ? 403 : String(error)),
      )
      expect([what, status]).toEqual([what, 403])
    }
  })
})
