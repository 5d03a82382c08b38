import { clusterSchema } from '@ordeal/shared'
import { barePodApp, deploymentApp } from '../testing/applications.js'
import { type Application } from '../testing/cycle.js'
import { startEmbeddedCycle, type EmbeddedCycle } from '../testing/embedded-cycle.js'

describe('measure on the embedded cluster', () => {
  let cycle: EmbeddedCycle | undefined
  const start = async (app: Application) => (cycle = await startEmbeddedCycle(app))
  afterEach(() => cycle?.close())

  it.each([
    ['a Deployment', deploymentApp('front', 1), 'Deployment/front scaled to 0'],
    ['a bare Pod', barePodApp('front'), 'Pod/front deleted'],
  ])('settles %s, takes its baseline, and shows that each check can fail', async (_, app, how) => {
    const measurement = await (await start(app)).measure()
    expect(measurement).toMatchObject({
      settled: true,
      steadyStates: [
        { id: 'front-answers', baseline: { samples: 50, failed: 0 }, negativeControl: { failed: true, how } },
        {
          id: 'front-ready',
          baseline: { samples: 5, failed: 0, latencyMs: null },
          negativeControl: { failed: true, how },
        },
      ],
    })
  })

  it('breaks the selector of a service behind which it knows no workload', async () => {
    const app = deploymentApp('front', 1)
    const [service] = app.graph.services
    const graph = { ...app.graph, services: service ? [{ ...service, workloads: [] }] : [] }
    const measurement = await (await start({ ...app, graph, steadyStates: app.steadyStates.slice(0, 1) })).measure()
    expect(measurement).toMatchObject({
      steadyStates: [{ negativeControl: { failed: true, how: 'selector of Service/front made to match nothing' } }],
    })
    const services = await (await cycle?.look())?.objects.list({ apiVersion: 'v1', kind: 'Service' })
    expect(services?.find((s) => s.metadata.name === 'front')?.spec).toMatchObject({ selector: { app: 'front' } })
  })

  it('points the prober at a stub where the target cannot be broken', async () => {
    const app = deploymentApp('front', 1)
    const workloads = app.graph.workloads.map((w) => ({ ...w, id: 'CronTab/front' }))
    const services = app.graph.services.map((s) => ({ ...s, id: 'Service/unknown', workloads: ['CronTab/front'] }))
    const steadyStates = app.steadyStates.map((s) => ({ ...s, target: 'CronTab/front' }))
    const measurement = await (
      await start({ ...app, graph: { ...app.graph, workloads, services }, steadyStates })
    ).measure()
    expect(measurement).toMatchObject({
      steadyStates: [
        { id: 'front-answers', negativeControl: { failed: true, method: 'stub' } },
        { id: 'front-ready', negativeControl: { failed: true, method: 'stub' } },
      ],
    })
  })

  it('waits for the pods that an autoscaler asks for', async () => {
    const scaler = {
      apiVersion: 'autoscaling/v2',
      kind: 'HorizontalPodAutoscaler',
      metadata: { name: 'front' },
      spec: {
        scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'front' },
        minReplicas: 3,
        maxReplicas: 5,
        metrics: [
          { type: 'Resource', resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 70 } } },
        ],
      },
    }
    const app = deploymentApp('front', 1)
    const measurement = await (await start({ ...app, objects: [...app.objects, scaler] })).measure()
    // It looks every 15 s; by itself the application works after 17.
    expect(measurement).toMatchObject({ settled: true })
    expect(measurement.settled && measurement.settledAfterMs).toBeGreaterThan(30_000)
  })

  it('says where the mistake is when the application never works', async () => {
    const app = deploymentApp('front', 2, { ports: [{ port: 80, targetPort: 9090 }] })
    expect(await (await start(app)).measure()).toEqual({
      settled: false,
      cause: 'Service/front sends port 80 to 9090, but the containers behind it listen on 8080',
      objects: ['Service/front', 'Deployment/front'],
    })
  })

  it('takes the refusal of the cluster for the cause', async () => {
    const app = deploymentApp('front', 1, { selecter: { app: 'front' } })
    expect(await (await start(app)).measure()).toMatchObject({
      settled: false,
      cause: expect.stringMatching(/refuses Service\/front: .*selecter/),
      objects: ['Service/front'],
    })
  })

  it('names an object of a kind that the cluster does not have', async () => {
    const app = deploymentApp('front', 1)
    const alien = { apiVersion: 'apps/v1', kind: 'Alien', metadata: { name: 'x' } }
    expect(await (await start({ ...app, objects: [...app.objects, alien] })).measure()).toEqual({
      settled: false,
      cause: 'the cluster refuses Alien/x: the cluster does not know Alien of apps/v1',
      objects: ['Alien/x'],
    })
  })

  it('leaves out custom resources, and says so', async () => {
    const app = deploymentApp('front', 1)
    const monitor = { apiVersion: 'monitoring.coreos.com/v1', kind: 'ServiceMonitor', metadata: { name: 'x' } }
    const cycle = await start({ ...app, objects: [...app.objects, monitor] })
    const context = cycle.context(0, 'measure')
    expect(await cycle.measure(context)).toMatchObject({ settled: true })
    const facts = await context.artefacts.latest('cluster', clusterSchema)
    expect(facts?.assumptions).toContainEqual(expect.stringMatching(/^ServiceMonitor\/x .* has no effect: /))
  })

  it('puts objects of several namespaces into one sandbox, marked as the cycle has made them', async () => {
    const app = deploymentApp('front', 1)
    const settings = {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 's', namespace: 'data' },
      data: { url: 'http://front.shop.svc' },
    }
    const inShop = app.objects.map((o) => ({ ...o, metadata: { ...(o.metadata as object), namespace: 'shop' } }))
    const cycle = await start({ ...app, objects: [...inShop, settings] })
    expect(await cycle.measure()).toMatchObject({ settled: true })
    const { objects } = await cycle.look()
    const metadata = { name: 's', namespace: cycle.namespace }
    expect(await objects.get({ apiVersion: 'v1', kind: 'ConfigMap', metadata })).toMatchObject({
      metadata: {
        labels: { 'ordeal.dev/cycle': cycle.id },
        annotations: { 'ordeal.dev/owner': `cycle ${cycle.id} of tenant local` },
      },
      data: { url: `http://front.${cycle.namespace}.svc` },
    })
  })

  it('refuses objects of the whole cluster', async () => {
    const app = deploymentApp('front', 1)
    const node = { apiVersion: 'v1', kind: 'Node', metadata: { name: 'mine' } }
    expect(await (await start({ ...app, objects: [...app.objects, node] })).measure()).toMatchObject({
      settled: false,
      cause: expect.stringContaining('Node/mine'),
    })
  })
})
