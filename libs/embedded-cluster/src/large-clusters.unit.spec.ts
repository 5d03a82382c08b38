import { createEngine, type Engine } from './engine.js'
import { deployment, service } from './engine-fixture.spec.js'
import { type EndpointSlice, type Pod } from './controllers/objects.js'
import { withDefaults } from './schema/defaults.js'
import { type K8sObject } from './store/object.js'

/** Many times what it takes, so that only a cost that grows too fast with the number of pods exceeds it. */
const DEADLINE_MS = 60_000

function started(replicas: number, nodes: number): Engine {
  const engine = createEngine({ seed: 1, startMs: 0, nodes })
  const inDefault = (object: K8sObject): K8sObject =>
    withDefaults({ ...object, metadata: { ...object.metadata, namespace: 'default' } })
  engine.store.create('deployments.apps', inDefault(deployment('web', { replicas })))
  engine.store.create('services', inDefault(service('web', { clusterIP: '10.96.0.9' })))
  return engine
}

const running = ({ store }: Engine) => store.list<Pod>('pods').filter(({ status }) => status?.phase === 'Running')

describe('thousands of pods of a namespace', () => {
  it(
    'all start, and are behind their service',
    () => {
      const engine = started(3000, 30)
      engine.kernel.runUntil(60_000)
      expect(running(engine)).toHaveLength(3000)
      const slices = engine.store.list<EndpointSlice>('endpointslices.discovery.k8s.io')
      const ready = slices.flatMap(({ endpoints }) => endpoints).filter(({ conditions }) => conditions.ready)
      expect(ready).toHaveLength(3000)
    },
    DEADLINE_MS,
  )

  it(
    'wait where there is no room while the others run, and go with their Deployment',
    () => {
      const engine = started(10_000, 3)
      engine.kernel.runUntil(60_000)
      expect(running(engine)).toHaveLength(330)
      expect(engine.store.count('pods')).toBe(10_000)
      engine.store.remove('deployments.apps', 'default', 'web')
      engine.kernel.runUntil(180_000)
      expect(engine.store.count('pods')).toBe(0)
    },
    DEADLINE_MS,
  )
})
