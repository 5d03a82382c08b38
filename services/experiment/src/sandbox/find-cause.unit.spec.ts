import { RefusedError, type ClusterObject, type Objects } from '@ordeal/kubernetes'
import { findCause } from './find-cause.js'
import { type Sandbox } from './open-sandbox.js'

const nothing = { cause: 'something else', objects: ['Service/front'] }
const owned = { ownerReferences: [{ kind: 'Deployment', name: 'front', uid: 'u', controller: true }] }

/** A sandbox that holds these objects and this log; or the logs of the attempt before and of the one under way. */
function sandboxWith(objects: object[], log: string | ((previous: boolean) => Promise<string>) = ''): Sandbox {
  const given = objects as ClusterObject[]
  const api: Partial<Objects> = {
    list: <T extends ClusterObject>({ kind }: { kind: string }) =>
      Promise.resolve(given.filter((o) => o.kind === kind) as T[]),
    log: (_, { previous = false } = {}) => (typeof log === 'string' ? Promise.resolve(log) : log(previous)),
  }
  return { cluster: { objects: api }, namespace: 'sandbox' } as unknown as Sandbox
}

const pod = (status: object, ports = [{ containerPort: 8080 }]) => ({
  kind: 'Pod',
  metadata: { name: 'front-1', labels: { app: 'front' }, ...owned },
  spec: { containers: [{ name: 'web', image: 'web:1', ports }] },
  status,
})
const container = (state: object, more: object = {}) => ({
  containerStatuses: [{ name: 'web', image: 'web:1', ready: false, restartCount: 0, state, ...more }],
})
const healthy = { conditions: [{ type: 'Ready', status: 'True' }], ...container({ running: {} }, { ready: true }) }
const about = (reason: string, message: string) => ({
  ...{ kind: 'Event', reason, message },
  involvedObject: { kind: 'Pod', name: 'front-1' },
})
const service = (spec: object) => ({ kind: 'Service', metadata: { name: 'front' }, spec })

describe('findCause', () => {
  it.each<[string, object[], RegExp, string[]]>([
    [
      'an image that cannot be pulled',
      [pod(container({ waiting: { reason: 'ImagePullBackOff', message: 'Back-off pulling web:1' } }))],
      /image web:1 .*Back-off pulling/,
      ['Deployment/front'],
    ],
    [
      'a container that cannot be created',
      [pod(container({ waiting: { reason: 'CreateContainerConfigError', message: 'secret "x" not found' } }))],
      /cannot be created .*secret "x" not found/,
      ['Deployment/front'],
    ],
    [
      'a pod that no node takes',
      [pod({ conditions: [{ type: 'PodScheduled', status: 'False', message: '0/3 nodes: Insufficient cpu' }] })],
      /no node takes pod front-1: 0\/3 nodes: Insufficient cpu/,
      ['Deployment/front'],
    ],
    [
      'a crash loop',
      [
        pod(
          container(
            { waiting: { reason: 'CrashLoopBackOff' } },
            { restartCount: 4, lastState: { terminated: { reason: 'Error', exitCode: 2 } } },
          ),
        ),
      ],
      /crashes .*exit code 2, 4 restarts.*last words: starting \| cannot open \/data/,
      ['Deployment/front'],
    ],
    ...['liveness', 'startup'].map((probe): [string, object[], RegExp, string[]] => [
      `a ${probe} probe that does not wait for the start`,
      [
        pod(
          container(
            { waiting: { reason: 'CrashLoopBackOff' } },
            { restartCount: 4, lastState: { terminated: { reason: 'Completed', exitCode: 0 } } },
          ),
        ),
        about('Unhealthy', `${probe[0]?.toUpperCase()}${probe.slice(1)} probe failed: connection refused`),
        about('Unhealthy', 'Readiness probe failed: HTTP 503'),
        about('Killing', `Container web failed ${probe} probe, will be restarted`),
      ],
      new RegExp(`web is ended again and again by its ${probe} probe .*4 restarts.*${probe} probe failed: conn`, 'i'),
      ['Deployment/front'],
    ]),
    [
      'a crash loop of a container beside one that a probe ended',
      [
        pod(container({ waiting: { reason: 'CrashLoopBackOff' } }, { restartCount: 4 })),
        about('Killing', 'Container side failed liveness probe, will be restarted'),
      ],
      /^container web crashes/,
      ['Deployment/front'],
    ],
    [
      'a probe that fails',
      [
        pod(container({ running: {} })),
        { kind: 'Event', reason: 'Unhealthy', message: 'HTTP 500', involvedObject: { kind: 'Pod', name: 'front-1' } },
      ],
      /not ready: HTTP 500/,
      ['Deployment/front'],
    ],
    [
      'pods that are refused',
      [
        {
          kind: 'Event',
          reason: 'FailedCreate',
          message: 'exceeded quota',
          involvedObject: { kind: 'ReplicaSet', name: 'front-abc' },
        },
      ],
      /exceeded quota/,
      ['ReplicaSet/front-abc'],
    ],
    [
      'a service that selects nothing',
      [pod(healthy), service({ selector: { app: 'fornt' }, ports: [{ port: 80 }] })],
      /Service\/front selects no pod: none has the labels app=fornt/,
      ['Service/front'],
    ],
    [
      'a service that points at the wrong port',
      [pod(healthy), service({ selector: { app: 'front' }, ports: [{ port: 80, targetPort: 9090 }] })],
      /Service\/front sends port 80 to 9090, but the containers behind it listen on 8080/,
      ['Service/front', 'Deployment/front'],
    ],
    [
      'a headless service whose port is that of no container',
      [
        pod(healthy),
        service({ clusterIP: 'None', selector: { app: 'front' }, ports: [{ port: 80, targetPort: 8080 }] }),
      ],
      /Service\/front is headless, so its callers reach pods on port 80 itself, but the containers .* listen on 8080/,
      ['Service/front', 'Deployment/front'],
    ],
  ])('finds %s', async (_, objects, cause, where) => {
    const found = await findCause(sandboxWith(objects, 'starting\ncannot open /data\n'), nothing)
    expect(found.cause).toMatch(cause)
    expect(found.objects).toEqual(where)
  })

  it('accepts ports by name, and ports that the pods do not declare at all', async () => {
    const named = pod(healthy, [{ containerPort: 8080, name: 'http' } as { containerPort: number }])
    const byName = service({ selector: { app: 'front' }, ports: [{ port: 80, targetPort: 'http' }] })
    expect(await findCause(sandboxWith([named, byName]), nothing)).toBe(nothing)
    const undeclared = service({ selector: { app: 'front' }, ports: [{ port: 80, targetPort: 9090 }] })
    expect(await findCause(sandboxWith([pod(healthy, []), undeclared]), nothing)).toBe(nothing)
  })

  const crashing = pod(
    container(
      { waiting: { reason: 'CrashLoopBackOff' } },
      { restartCount: 3, lastState: { terminated: { reason: 'Error', exitCode: 3 } } },
    ),
  )
  const gone = (): Promise<string> => Promise.reject(new RefusedError(404, 'NotFound', 'no log'))

  it.each<[string, (previous: boolean) => Promise<string>, RegExp]>([
    ['is gone', (previous) => (previous ? gone() : Promise.resolve('no database\n')), /its last words: no database$/],
    ['and the next are gone', gone, /its log is gone$/],
    ['is empty', () => Promise.resolve(''), /it wrote nothing$/],
  ])('tells the last words that are to be had when the last log %s', async (_, log, cause) => {
    expect((await findCause(sandboxWith([crashing], log), nothing)).cause).toMatch(cause)
  })

  it('says what was seen when nothing known shows', async () => {
    expect(await findCause(sandboxWith([pod(healthy)]), nothing)).toBe(nothing)
  })
})
