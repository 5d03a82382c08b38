import { CoreV1Api, KubeConfig, PolicyV1Api, ApiException } from '@kubernetes/client-node'
import { createEmbeddedServer } from '../embedded-server.js'
import type { EmbeddedServer } from '../server.js'
import type { Status } from '../store/api-error.js'

const START = Date.UTC(2026, 0, 1)
const namespace = 'default'
let server: EmbeddedServer
let config: KubeConfig

beforeAll(async () => {
  server = await createEmbeddedServer({ port: 0, host: '127.0.0.1' })
  await fetch(`${server.url}/clusters`, {
    method: 'POST',
    body: JSON.stringify({ id: 'e', seed: 1, mode: 'virtual' }),
  })
  config = new KubeConfig()
  config.loadFromClusterAndUser(
    { name: 'e', server: `${server.url}/clusters/e`, skipTLSVerify: true },
    { name: 'anyone' },
  )
})
afterAll(() => server.close())

const runUntil = (seconds: number): Promise<Response> =>
  fetch(`${server.url}/clusters/e/clock`, {
    method: 'POST',
    body: JSON.stringify({ until: START + seconds * 1000 }),
  })

describe('evictions', () => {
  it('are refused for a while where a disruption budget is against them', async () => {
    const core = config.makeApiClient(CoreV1Api)
    const labels = { app: 'a' }
    for (const name of ['a', 'b']) {
      const spec = { containers: [{ name: 'web', image: 'nginx:1.27', ports: [{ containerPort: 80 }] }] }
      await core.createNamespacedPod({ namespace, body: { metadata: { name, labels }, spec } })
    }
    const spec = { minAvailable: 1, selector: { matchLabels: labels } }
    const policy = config.makeApiClient(PolicyV1Api)
    await policy.createNamespacedPodDisruptionBudget({ namespace, body: { metadata: { name: 'keep' }, spec } })
    await runUntil(10)
    const evict = (name: string) =>
      core.createNamespacedPodEviction({ namespace, name, body: { metadata: { name, namespace } } })
    await evict('a')
    const refused = await evict('b').catch((error: unknown) => error)
    expect(refused).toBeInstanceOf(ApiException)
    const { code, body } = refused as ApiException<string>
    const status = JSON.parse(body) as Status
    expect([code, status.reason, status.message]).toEqual([
      429,
      'TooManyRequests',
      "Cannot evict pod as it would violate the pod's disruption budget.",
    ])
    const gone = await core.readNamespacedPod({ namespace, name: 'a' })
    expect(gone.metadata?.deletionTimestamp).toBeDefined()
    expect(gone.status?.conditions?.find(({ type }) => type === 'DisruptionTarget')?.reason).toBe(
      'EvictionByEvictionAPI',
    )
  })
})
