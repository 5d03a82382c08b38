import fc from 'fast-check'
import { definitionOf } from '../../schema/resources.js'
import { patched } from './apply-patch.js'
import { mergePatch } from './merge-patch.js'

const deployments = definitionOf('deployments.apps')
const STRATEGIC = 'application/strategic-merge-patch+json'
const JSON_PATCH = 'application/json-patch+json'

const current = {
  metadata: { name: 'web', labels: { app: 'web', tier: 'front' }, finalizers: ['a', 'b'] },
  spec: {
    replicas: 2,
    strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: 1 } },
    template: {
      spec: {
        containers: [
          {
            name: 'web',
            image: 'nginx:1',
            env: [
              { name: 'A', value: '1' },
              { name: 'B', value: '2' },
            ],
          },
          { name: 'side', image: 'side:1', args: ['x', 'y'] },
        ],
      },
    },
  },
}
const strategic = (body: unknown): typeof current =>
  patched(deployments, current, { mediaType: STRATEGIC, body }) as typeof current
const containers = (patch: unknown[], more: object = {}): { template: unknown } => ({
  template: { spec: { containers: patch, ...more } },
})

describe('a strategic merge patch', () => {
  it('merges lists by the key of Kubernetes own schema', () => {
    const next = strategic({ spec: containers([{ name: 'web', image: 'nginx:2', env: [{ name: 'B', value: '3' }] }]) })
    expect(next.spec.template.spec.containers).toEqual([
      {
        name: 'web',
        image: 'nginx:2',
        env: [
          { name: 'A', value: '1' },
          { name: 'B', value: '3' },
        ],
      },
      { name: 'side', image: 'side:1', args: ['x', 'y'] },
    ])
  })

  it('replaces lists without a merge key', () => {
    const next = strategic({ spec: containers([{ name: 'side', args: ['z'] }]) })
    expect(next.spec.template.spec.containers[1]?.args).toEqual(['z'])
  })

  it('deletes fields by null and items by directive', () => {
    const next = strategic({
      metadata: { labels: { tier: null } },
      spec: containers([{ name: 'side', $patch: 'delete' }]),
    })
    expect(next.metadata.labels).toEqual({ app: 'web' })
    expect(next.spec.template.spec.containers.map(({ name }) => name)).toEqual(['web'])
  })

  it('orders items as told', () => {
    const order = [{ name: 'side' }, { name: 'web' }]
    const next = strategic({ spec: containers([{ name: 'side' }], { '$setElementOrder/containers': order }) })
    expect(next.spec.template.spec.containers.map(({ name }) => name)).toEqual(['side', 'web'])
  })

  it('replaces whole lists and objects when told', () => {
    const next = strategic({ spec: containers([{ $patch: 'replace' }, { name: 'only', image: 'x' }]) })
    expect(next.spec.template.spec.containers).toEqual([{ name: 'only', image: 'x' }])
  })

  it('keeps only the keys that a union retains', () => {
    const next = strategic({ spec: { strategy: { $retainKeys: ['type'], type: 'Recreate' } } })
    expect(next.spec.strategy).toEqual({ type: 'Recreate' })
  })

  it('takes values out of lists of plain values', () => {
    const next = strategic({ metadata: { '$deleteFromPrimitiveList/finalizers': ['a'], finalizers: ['c'] } })
    expect(next.metadata.finalizers).toEqual(['b', 'c'])
  })

  it('refuses an item without its key', () => {
    expect(() => strategic({ spec: containers([{ image: 'x' }]) })).toThrow('has no name, by which the list is merged')
  })

  it('is not offered for custom resources', () => {
    const chaos = definitionOf('podchaos.chaos-mesh.org')
    expect(() => patched(chaos, {}, { mediaType: STRATEGIC, body: {} })).toThrow('accepted media types include')
  })
})

describe('a merge patch', () => {
  it('replaces lists, deletes by null, and merges objects', () => {
    const next = mergePatch({ a: { b: 1, c: 2 }, list: [1, 2] }, { a: { b: null, d: 3 }, list: [3] })
    expect(next).toEqual({ a: { c: 2, d: 3 }, list: [3] })
  })

  it('makes an object what the patch says, whatever it was', () => {
    const value = fc.object({ maxDepth: 2, values: [fc.integer(), fc.string()] })
    fc.assert(
      fc.property(value, value, (target, patch) => {
        expect(mergePatch(target, patch)).toMatchObject(patch)
      }),
    )
  })

  it('does not touch the prototype', () => {
    mergePatch({}, JSON.parse('{"__proto__": {"polluted": true}}'))
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined()
  })
})

describe('a JSON patch', () => {
  it('applies its operations in order and leaves the current object alone', () => {
    const body = [
      { op: 'test', path: '/spec/replicas', value: 2 },
      { op: 'replace', path: '/spec/replicas', value: 5 },
      { op: 'add', path: '/metadata/labels/new~1label', value: 'x' },
    ]
    const next = patched(deployments, current, { mediaType: JSON_PATCH, body }) as typeof current
    expect(next.spec.replicas).toBe(5)
    expect(next.metadata.labels).toMatchObject({ 'new/label': 'x' })
    expect(current.spec.replicas).toBe(2)
  })

  it.each([
    [[{ op: 'test', path: '/spec/replicas', value: 9 }], 'due to an error in our request'],
    [[{ op: 'remove', path: '/spec/none' }], 'due to an error in our request'],
    [[{ op: 'replace', path: '/__proto__/x', value: 1 }], 'a JSON patch is a list'],
    [[{ op: 'jump', path: '/spec' }], 'a JSON patch is a list'],
    [{ op: 'add' }, 'a JSON patch is a list'],
  ])('refuses %j', (body, message) => {
    expect(() => patched(deployments, current, { mediaType: JSON_PATCH, body })).toThrow(message)
  })
})

it('says which patch types there are', () => {
  expect(() => patched(deployments, current, { mediaType: 'application/apply-patch+yaml', body: {} })).toThrow(
    'server-side apply is not modelled',
  )
})
