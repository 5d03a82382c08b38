import { createEmbeddedServer } from '../embedded-server.js'
import type { EmbeddedServer } from '../server.js'

let server: EmbeddedServer
const reported: unknown[] = []

beforeAll(async () => {
  server = await createEmbeddedServer({ port: 0, host: '127.0.0.1', report: (error) => reported.push(error) })
})
afterAll(async () => {
  await server.close()
  expect(reported).toEqual([])
})

/** What the answers read here may hold. */
interface Body {
  message: string
  now: number
  woken: boolean
  clusters: unknown[]
  items: { metadata: { name: string }; status: { phase: string } }[]
}

const call = async (method: string, path: string, body?: unknown): Promise<{ code: number; body: Body }> => {
  const text = body === undefined ? null : typeof body === 'string' ? body : JSON.stringify(body)
  const answer = await fetch(server.url + path, { method, body: text })
  const raw = await answer.text()
  return { code: answer.status, body: (raw === '' ? {} : JSON.parse(raw)) as Body }
}
const newCluster = async (id: string, seed = 1) => {
  expect((await call('POST', '/clusters', { id, seed, mode: 'virtual' })).code).toBe(201)
  return `/clusters/${id}`
}
const START = Date.UTC(2026, 0, 1)

const deployment = (name: string, replicas = 2) => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name },
  spec: {
    replicas,
    selector: { matchLabels: { app: name } },
    template: {
      metadata: { labels: { app: name } },
      spec: { containers: [{ name: 'web', image: 'nginx:1.27', ports: [{ containerPort: 80 }] }] },
    },
  },
})

describe('/clusters', () => {
  it('makes a cluster once, adopts it, refuses other settings, and ends it', async () => {
    const settings = { id: 'one', seed: 5, mode: 'virtual' }
    expect(await call('POST', '/clusters', settings)).toMatchObject({
      code: 201,
      body: { id: 'one', url: `${server.url}/clusters/one` },
    })
    expect((await call('POST', '/clusters', settings)).code).toBe(200)
    expect((await call('POST', '/clusters', { ...settings, seed: 6 })).code).toBe(409)
    expect((await call('GET', '/clusters')).body.clusters).toContainEqual({
      ...settings,
      url: `${server.url}/clusters/one`,
    })
    expect((await call('DELETE', '/clusters/one')).code).toBe(204)
    expect((await call('DELETE', '/clusters/one')).code).toBe(404)
    expect((await call('GET', '/clusters/one/version')).code).toBe(404)
  })

  it.each([
    [{ id: '../x', seed: 1, mode: 'virtual' }, 'id:'],
    [{ id: 'x', seed: 1.5, mode: 'virtual' }, 'seed:'],
    [{ id: 'x', seed: 1, mode: 'fast' }, 'mode:'],
    ['{', 'not valid JSON'],
  ])('refuses %j', async (body, message) => {
    const answer = await call('POST', '/clusters', body)
    expect(answer).toMatchObject({ code: 400, body: { kind: 'Status', reason: 'BadRequest' } })
    expect(answer.body.message).toContain(message)
  })
})

describe('the clock', () => {
  it('stands still until it is advanced, and then goes exactly there', async () => {
    const base = await newCluster('clock')
    expect((await call('GET', `${base}/clock`)).body).toEqual({ now: START })
    expect((await call('POST', `${base}/clock`, { until: START + 1_500 })).body).toEqual({
      now: START + 1_500,
      woken: false,
    })
    expect((await call('GET', `${base}/clock`)).body).toEqual({ now: START + 1_500 })
  })

  it('wakes at the first change of a collection, and of no other', async () => {
    const base = await newCluster('wake')
    await call('POST', `${base}/apis/apps/v1/namespaces/default/deployments`, deployment('web'))
    const elsewhere = { until: START + 60_000, wakeOn: ['/api/v1/namespaces/kube-system/pods'] }
    const pods = { until: START + 60_000, wakeOn: ['/api/v1/namespaces/default/pods'] }
    const woken = (await call('POST', `${base}/clock`, pods)).body
    expect(woken.woken).toBe(true)
    expect(woken.now).toBeLessThan(START + 5_000)
    expect((await call('POST', `${base}/clock`, elsewhere)).body).toEqual({ now: START + 60_000, woken: false })
    const listed = (await call('GET', `${base}/api/v1/namespaces/default/pods`)).body
    expect(listed.items.map((pod) => pod.status.phase)).toEqual(['Running', 'Running'])
  })

  it('takes one advance at a time, and ends it when the client goes', async () => {
    const base = await newCluster('busy')
    const probed = { name: 'web', image: 'nginx:1.27', readinessProbe: { httpGet: { port: 80 }, periodSeconds: 1 } }
    const pod = { metadata: { name: 'web' }, spec: { containers: [probed] } }
    expect((await call('POST', `${base}/api/v1/namespaces/default/pods`, pod)).code).toBe(201)
    const gone = new AbortController()
    const body = JSON.stringify({ until: START + 3.2e10 })
    const first = fetch(`${server.url}${base}/clock`, { method: 'POST', body, signal: gone.signal })
    const refused = await untilCode(() => call('POST', `${base}/clock`, { until: START + 1 }), 409)
    expect(refused.body.message).toContain('being advanced already')
    gone.abort()
    await expect(first).rejects.toThrow()
    const { now } = (await call('GET', `${base}/clock`)).body
    await untilCode(() => call('POST', `${base}/clock`, { until: now }), 200)
    expect(now).toBeLessThan(START + 3.2e10)
  })

  it('is not moved by hand at wall speed', async () => {
    const before = Date.now()
    await call('POST', '/clusters', { id: 'wall', seed: 1, mode: 'wall' })
    expect((await call('POST', '/clusters/wall/clock', { until: 1 })).code).toBe(409)
    expect((await call('GET', '/clusters/wall/clock')).body.now).toBeGreaterThanOrEqual(before)
  })

  it.each([[{}], [{ until: 'x' }], [{ until: 1, wakeOn: ['/api/v1/none'] }], [{ until: 1, other: 1 }]])(
    'refuses %j',
    async (body) => {
      const id = `refuse-${Math.random().toString(36).slice(2)}`
      expect((await call('POST', `${await newCluster(id)}/clock`, body)).code).toBe(400)
    },
  )
})

/** Asks again until the answer has this code: for states that another request of ours brings about. */
async function untilCode<T extends { code: number }>(ask: () => Promise<T>, code: number): Promise<T> {
  for (;;) {
    const answer = await ask()
    if (answer.code === code) return answer
  }
}

describe('two clusters of one seed', () => {
  it('have the same history, whatever they and their namespaces are called', async () => {
    const history = async (id: string, seed: number) => {
      const base = await newCluster(id, seed)
      await call('POST', `${base}/api/v1/namespaces`, { metadata: { name: id } })
      await call('POST', `${base}/apis/apps/v1/namespaces/${id}/deployments`, deployment('web', 3))
      await call('POST', `${base}/clock`, { until: START + 30_000 })
      const { items } = (await call('GET', `${base}/api/v1/namespaces/${id}/pods`)).body
      await call('DELETE', `${base}/api/v1/namespaces/${id}/pods/${items[0]?.metadata.name}`)
      await call('POST', `${base}/clock`, { until: START + 90_000 })
      const lists = [
        '/api/v1/pods',
        '/api/v1/events',
        '/apis/apps/v1/replicasets',
        '/apis/discovery.k8s.io/v1/endpointslices',
      ]
      const found = await Promise.all(lists.map(async (path) => (await call('GET', base + path)).body))
      return JSON.stringify(found).replaceAll(id, 'NAMESPACE')
    }
    const first = await history('same-first', 11)
    expect(await history('same-other-name', 11)).toEqual(first)
    expect(await history('same-seed-not', 12)).not.toEqual(first)
  })
})

describe('limits', () => {
  it('refuses a body over 8 MB', async () => {
    const base = await newCluster('big')
    const answer = await call('POST', `${base}/api/v1/namespaces/default/configmaps`, 'x'.repeat(3 * 1024 * 1024 + 1))
    expect(answer).toMatchObject({ code: 413, body: { reason: 'RequestEntityTooLarge' } })
  })

  it('serves so many streams at a time, and forgets those whose client went', async () => {
    const base = await newCluster('streams')
    const open = async () => {
      const gone = new AbortController()
      const response = await fetch(`${server.url}${base}/api/v1/pods?watch=1`, { signal: gone.signal })
      // Held with its body: fetch ends the stream of a response that nobody holds any more.
      return { response, status: response.status, gone }
    }
    const opened = await Promise.all(Array.from({ length: 512 }, open))
    expect(opened.map(({ status }) => status)).toEqual(opened.map(() => 200))
    expect((await open()).status).toBe(429)
    for (const { gone } of opened) gone.abort()
    const again = await untilCode(async () => ({ code: (await open()).status }), 200)
    expect(again.code).toBe(200)
  }, 30_000)

  it('closes with streams and advances open', async () => {
    const other = await createEmbeddedServer({ port: 0, host: '127.0.0.1' })
    const body = JSON.stringify({ id: 'c', seed: 1, mode: 'wall' })
    await fetch(`${other.url}/clusters`, { method: 'POST', body })
    const watch = await fetch(`${other.url}/clusters/c/api/v1/pods?watch=1`)
    await other.close()
    await watch.text().catch(() => undefined)
    await expect(fetch(`${other.url}/livez`)).rejects.toThrow()
  })

  it('ends an advance with its cluster', async () => {
    const base = await newCluster('ended')
    const probed = { name: 'web', image: 'nginx:1.27', readinessProbe: { httpGet: { port: 80 }, periodSeconds: 1 } }
    const pod = { metadata: { name: 'web' }, spec: { containers: [probed] } }
    await call('POST', `${base}/api/v1/namespaces/default/pods`, pod)
    const advance = call('POST', `${base}/clock`, { until: START + 3.2e10 })
    await untilCode(() => call('POST', `${base}/clock`, { until: START + 1 }), 409)
    expect((await call('DELETE', base)).code).toBe(204)
    expect((await advance).body.message).toBe('the cluster was ended')
  })

  it('does not let go of the namespaces of the system', async () => {
    const base = await newCluster('kept')
    expect((await call('DELETE', `${base}/api/v1/namespaces/kube-system`)).code).toBe(403)
  })

  it('answers 404 for what it does not have', async () => {
    const base = await newCluster('none')
    expect((await call('GET', `${base}/apis/batch/v2/jobs`)).body.message).toContain('/apis/batch/v2/jobs')
    expect((await call('GET', '/elsewhere')).code).toBe(404)
    expect((await call('GET', `${base}/api/v1/%zz`)).code).toBe(404)
  })
})
