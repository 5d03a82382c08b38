import { createEmbeddedServer, type EmbeddedServer } from '@ordeal/embedded-cluster'
import { AbortedError } from '@ordeal/shared'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { connectCluster, createCluster, deleteCluster, type Cluster, type ClusterTarget } from './connect.js'
import { IN_CLUSTER } from './kubeconfig.js'
import { isReadyPod, type ClusterObject, type Pod } from './object.js'

const signal = new AbortController().signal
const namespace = 'app'
const space: ClusterObject = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } }
const pod: ClusterObject = {
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'web', namespace, labels: { app: 'web' } },
  spec: { containers: [{ name: 'web', image: 'ordeal/testapp:1' }] },
}

/** Reaches the same server as a real cluster would be: by a kubeconfig, with time that passes by itself. */
async function writeKubeconfig(folder: string, server: string): Promise<string> {
  const file = join(folder, 'config')
  const config = {
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'c', cluster: { server, 'insecure-skip-tls-verify': true } }],
    users: [{ name: 'u', user: {} }],
    contexts: [{ name: 'wall', context: { cluster: 'c', user: 'u' } }],
  }
  await writeFile(file, JSON.stringify(config))
  return file
}

describe('connectCluster', () => {
  let server: EmbeddedServer
  let folder: string
  let wall: ClusterTarget
  let virtual: ClusterTarget

  beforeAll(async () => {
    server = await createEmbeddedServer({ host: '127.0.0.1', port: 0 })
    folder = await mkdtemp(join(tmpdir(), 'ordeal-'))
    const body = JSON.stringify({ id: 'wall', seed: 1, mode: 'wall' })
    await fetch(`${server.url}/clusters`, { method: 'POST', body })
    const kubeconfig = await writeKubeconfig(folder, `${server.url}/clusters/wall`)
    wall = { kind: 'kubernetes', context: 'wall', kubeconfig }
    virtual = { kind: 'embedded', serverUrl: server.url, id: 'virtual', seed: 1 }
  })
  afterAll(async () => {
    await server.close()
    await rm(folder, { recursive: true })
  })

  const awaitReadyPod = async ({ clock, objects }: Cluster) => {
    const path = await objects.path({ apiVersion: 'v1', kind: 'Pod', namespace, labels: { app: 'web' } })
    const check = async () => {
      const found = await objects.get<Pod>(pod)
      return found && isReadyPod(found) ? found : undefined
    }
    return clock.waitFor({ what: 'a ready pod', withinMs: 30_000, everyMs: 30_000, watch: [path], check }, signal)
  }

  it('gives the embedded cluster what ordeal.yaml says of images, and names what cannot be understood', async () => {
    const images = { 'shop/*': { work: '40ms', workers: 2 } }
    const place = { kind: 'embedded', serverUrl: server.url, seed: 1 } as const
    await createCluster({ ...place, id: 'profiled', images })
    await createCluster({ ...place, id: 'profiled', images })
    const wrong = createCluster({ ...place, id: 'wrong', images: { 'shop/*': { work: 'slowly' } } })
    await expect(wrong).rejects.toThrow(/ordeal.yaml .*images\.shop\/\*\.work: is no duration/)
  })

  it.each(['embedded', 'kubernetes'] as const)('does the same on %s', async (kind) => {
    const target = kind === 'embedded' ? virtual : wall
    await createCluster(target)
    const cluster = await connectCluster(target)
    const { objects } = cluster
    expect(cluster.version).toMatch(/^v1\./)
    await objects.adopt(space, () => true)
    expect(await objects.get(pod)).toBeNull()
    const dry = await objects.create(pod, { dryRun: true })
    expect([dry.metadata.name, await objects.get(pod)]).toEqual(['web', null])
    await objects.create(pod)
    const adopted = await objects.adopt(pod, (found) => found.metadata.labels?.app === 'web')
    expect((await awaitReadyPod(cluster)).metadata.uid).toBe(adopted.metadata.uid)
    const patched = await objects.patch(pod, { metadata: { labels: { tier: 'front' } } })
    expect(patched.metadata.labels).toEqual({ app: 'web', tier: 'front' })
    expect((await objects.list<Pod>({ apiVersion: 'v1', kind: 'Pod', namespace })).map((p) => p.kind)).toEqual(['Pod'])
    expect([await objects.remove(pod, { graceSeconds: 0 }), await objects.remove(space)]).toEqual([true, true])
  })

  it('leaves alone what somebody else made, and names it', async () => {
    const { objects } = await connectCluster(wall)
    const config: ClusterObject = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'c', namespace: 'default' } }
    await objects.create(config)
    await expect(objects.adopt(config, () => false)).rejects.toMatchObject({
      status: 409,
      message: expect.stringContaining('ConfigMap/c'),
    })
  })

  it('passes on the words of the server, unknown kinds and fields included', async () => {
    const { objects } = await connectCluster(wall)
    const wrong = { ...pod, metadata: { ...pod.metadata, namespace: 'default' }, spec: { containers: [], wings: 2 } }
    await expect(objects.create(wrong)).rejects.toMatchObject({
      code: 'refused-by-cluster',
      message: expect.stringContaining('wings'),
    })
    const alien = { apiVersion: 'example.org/v1', kind: 'Alien', metadata: { name: 'x' } }
    await expect(objects.create(alien)).rejects.toMatchObject({ reason: 'UnknownKind' })
  })

  it('lets go of an advance at once when it is aborted', async () => {
    await createCluster(virtual)
    const { clock } = await connectCluster(virtual)
    const controller = new AbortController()
    const check = () => {
      setImmediate(() => controller.abort(new AbortedError('cancelled')))
      return Promise.resolve(undefined)
    }
    const wait = { what: 'nothing', withinMs: 1e12, watch: [], check }
    await expect(clock.waitFor(wait, controller.signal)).rejects.toMatchObject({ code: 'aborted-cancelled' })
    const now = await clock.now()
    await clock.waitUntil(now + 1000, signal)
    expect(await clock.now()).toBe(now + 1000)
  })

  it('finds the cluster of an earlier attempt, and no other under its name', async () => {
    await createCluster(virtual)
    await createCluster(virtual)
    await expect(createCluster({ ...virtual, seed: 2 } as ClusterTarget)).rejects.toMatchObject({ status: 409 })
  })

  it('may be made later where the server does not answer yet', async () => {
    const nowhere = { ...virtual, serverUrl: 'http://127.0.0.1:1' } as ClusterTarget
    await expect(createCluster(nowhere)).rejects.toMatchObject({ code: 'cluster-unavailable', retryAfterMs: 1000 })
  })

  it('says that a cluster is gone, and ends one that is gone already', async () => {
    await createCluster(virtual)
    const { clock } = await connectCluster(virtual)
    await deleteCluster(virtual)
    await deleteCluster(virtual)
    await expect(clock.now()).rejects.toMatchObject({ code: 'cluster-lost' })
    await expect(connectCluster(virtual)).rejects.toMatchObject({ code: 'cluster-lost' })
  })

  it('is in no cluster when it runs in no pod', async () => {
    await expect(connectCluster({ kind: 'kubernetes', context: IN_CLUSTER })).rejects.toMatchObject({
      code: 'not-in-cluster',
      message: expect.stringContaining('this process is no pod'),
    })
  })

  it('names the contexts that there are', async () => {
    await expect(connectCluster({ ...wall, context: 'prod' } as ClusterTarget)).rejects.toMatchObject({
      code: 'unknown-context',
      message: expect.stringContaining('wall'),
    })
  })
})
