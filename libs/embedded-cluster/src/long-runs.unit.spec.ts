import { type Engine } from './engine.js'
import { deployment, liveness, readiness, service, TestCluster } from './engine-fixture.spec.js'
import { type K8sObject } from './store/object.js'

const HOUR_S = 3600

const cronJob: K8sObject = {
  apiVersion: 'batch/v1',
  kind: 'CronJob',
  metadata: { name: 'tidy' },
  spec: {
    schedule: '* * * * *',
    jobTemplate: {
      spec: {
        template: {
          spec: { restartPolicy: 'Never', containers: [{ name: 'tidy', image: 'busybox', command: ['sleep', '5'] }] },
        },
      },
    },
  },
}

/** How many objects an engine holds, other than the histories of its collections, whose bound is the store's own. */
function sizeOf(engine: Engine): number {
  const seen = new Set<object>()
  const waiting: unknown[] = [engine]
  for (let value = waiting.pop(); value !== undefined; value = waiting.pop()) {
    if (typeof value !== 'object' || value === null || seen.has(value)) continue
    seen.add(value)
    waiting.push(...partsOf(value).map((part) => part ?? null))
  }
  return seen.size
}

function partsOf(value: object): unknown[] {
  if (value instanceof Map) return [...value].flat()
  if (value instanceof Set) return [...value]
  return Object.entries(value).flatMap(([field, part]: [string, unknown]) => (field === 'log' ? [] : [part]))
}

describe('a cluster that runs for hours', () => {
  it('does not grow: events, logs, jobs and pods that are gone leave nothing behind', () => {
    const cluster = new TestCluster()
    cluster.apply(deployment('web', { replicas: 2, container: { ...readiness, ...liveness } }))
    cluster.apply(service('web'))
    cluster.apply(deployment('broken', { env: { WORKERS: 'many' }, container: {} }))
    cluster.apply(cronJob)
    cluster.run(2 * HOUR_S)
    const before = sizeOf(cluster.engine)
    cluster.run(4 * HOUR_S)
    expect(sizeOf(cluster.engine)).toBeLessThan(before * 1.05)
    expect(cluster.store.count('events')).toBeLessThan(1000)
    expect(cluster.store.count('jobs.batch')).toBeLessThanOrEqual(4)
  }, 60_000)
})
