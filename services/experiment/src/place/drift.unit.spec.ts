import { RefusedError, type ClusterObject, type Objects } from '@ordeal/kubernetes'
import { type Sandbox } from '../sandbox/open-sandbox.js'
import { pathsOf, refuseDrift } from './drift.js'

type Json = Record<string, unknown>
const object = (kind: string, more: Json): ClusterObject => ({
  apiVersion: 'apps/v1',
  kind,
  metadata: { name: 'front', namespace: 'shop' },
  ...more,
})

/** A cluster on which what is asked for would become `after`. */
const wouldBe = (
  after: ClusterObject | RefusedError,
  asked: unknown[] = [],
): Pick<Sandbox, 'cluster' | 'namespace'> => {
  const answer = (_: unknown, patch?: unknown) => {
    asked.push(patch)
    return after instanceof RefusedError ? Promise.reject(after) : Promise.resolve(after)
  }
  const objects = { patch: answer, rehearseApply: answer } as unknown as Objects
  return { cluster: { objects } as Sandbox['cluster'], namespace: 'shop' }
}

describe('an input that is not what stands in its namespace', () => {
  const live = object('Deployment', { spec: { replicas: 3, paused: false }, status: { replicas: 3 } })

  it('is refused with each field that differs, and what to do', async () => {
    const input = object('Deployment', { spec: { replicas: 1 } })
    const after = object('Deployment', { spec: { replicas: 1, paused: false }, status: { replicas: 1 } })
    await expect(refuseDrift(wouldBe(after), [{ input, live }])).rejects.toMatchObject({
      code: 'in-place-refused',
      message: expect.stringMatching(
        /Deployment\/front has 3 at \/spec\/replicas, the input 1\. Nothing was done\. Apply the input first/,
      ),
    })
  })

  it('is held against the whole of what is there: what it leaves out is meant to have its default', async () => {
    const asked: unknown[] = []
    await refuseDrift(wouldBe(live, asked), [{ input: object('Deployment', { spec: { replicas: 3 } }), live }])
    expect(asked).toEqual([{ spec: { paused: null }, metadata: { labels: {}, annotations: {} } }])
  })

  it('is the same where an autoscaler decides on the number', async () => {
    const input = object('Deployment', { spec: { replicas: 1 } })
    const scaler = object('HorizontalPodAutoscaler', {
      spec: { scaleTargetRef: { kind: 'Deployment', name: 'front' } },
    })
    const objects = {
      patch: ({ kind }: ClusterObject) =>
        Promise.resolve(
          kind === 'Deployment' ? object('Deployment', { spec: { replicas: 1, paused: false } }) : scaler,
        ),
    } as unknown as Objects
    const pairs = [
      { input, live },
      { input: scaler, live: scaler },
    ]
    await expect(
      refuseDrift({ cluster: { objects } as Sandbox['cluster'], namespace: 'shop' }, pairs),
    ).resolves.toBeUndefined()
  })

  it('is told in the words of the server where it cannot even become so', async () => {
    const refusal = new RefusedError(422, 'Invalid', 'spec.containers[0].image: Forbidden\n{KEY: sesame}')
    const pod = object('Pod', { spec: {} })
    await expect(refuseDrift(wouldBe(refusal), [{ input: pod, live: pod }])).rejects.toMatchObject({
      message: expect.stringContaining(
        'Pod/front cannot become what the input says (spec.containers[0].image: Forbidden)',
      ),
    })
  })

  it('shows no value of a Secret or of an environment', async () => {
    const secret = (word: string) => object('Secret', { data: { password: word } })
    const deployment = (value: string) => object('Deployment', { spec: { env: [{ name: 'KEY', value }] } })
    for (const [one, other] of [
      [secret('b25l'), secret('b3RoZXI=')],
      [deployment('sesame-1'), deployment('sesame-2')],
    ] as const) {
      const error: unknown = await refuseDrift(wouldBe(other), [{ input: other, live: one }]).catch((e: unknown) => e)
      expect(String(error)).toMatch(/differs at \/(data\/password|spec\/env\/0\/value)/)
      expect(String(error)).not.toMatch(/sesame|b25l|b3RoZXI/)
    }
  })
})

describe('pathsOf', () => {
  it.each([
    [{ a: 1 }, { a: 1 }, []],
    [{ a: { 'b/c': 1 } }, { a: { 'b/c': 2 } }, ['/a/b~1c']],
    [{ a: [1, 2] }, { a: [1] }, ['/a/1']],
    [{ a: [] }, { a: {} }, ['/a']],
    [{}, { a: null }, ['/a']],
  ])('%j against %j', (live, input, paths) => {
    expect(pathsOf(live, input).map(({ path }) => path)).toEqual(paths)
  })
})
