import * as fc from 'fast-check'
import { RandomStream } from '../kernel/random.js'
import { type LabelSelector, matchesSelector } from '../schema/selectors.js'
import { type StoredObject } from './object.js'
import { ObjectStore } from './store.js'

const labels = fc.dictionary(fc.constantFrom('app', 'tier'), fc.constantFrom('a', 'b'), { maxKeys: 2 })
const owner = fc.option(fc.constantFrom('u1', 'u2'), { nil: null })
const step = fc.record({
  namespace: fc.constantFrom('x', 'y'),
  name: fc.constantFrom('p1', 'p2', 'p3', 'p4', 'p5'),
  labels: fc.option(labels, { nil: null }),
  owner,
  remove: fc.boolean(),
})
const selector: fc.Arbitrary<LabelSelector> = fc.record(
  {
    matchLabels: labels,
    matchExpressions: fc.array(fc.record({ key: fc.constantFrom('app', 'tier'), operator: fc.constant('Exists') }), {
      maxLength: 1,
    }),
  },
  { requiredKeys: [] },
)

type Step = typeof step extends fc.Arbitrary<infer T> ? T : never

function take(store: ObjectStore, { namespace, name, labels: own, owner: uid, remove }: Step): void {
  const known = store.get('pods', namespace, name)
  if (known && remove) return void store.remove('pods', namespace, name)
  const ownerReferences = uid === null ? [] : [{ apiVersion: 'v1', kind: 'X', name: uid, uid, controller: true }]
  const metadata = { name, namespace, ownerReferences, ...(own ? { labels: own } : {}) }
  const pod = { apiVersion: 'v1', kind: 'Pod', metadata, spec: {} }
  if (known) store.update('pods', pod)
  else store.create('pods', pod)
}

const names = (objects: readonly StoredObject[]) => objects.map(({ metadata }) => metadata.name)

describe('the index of a collection', () => {
  it('finds by owner and by selector what a look at all objects finds, in the order of creation', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), selector, owner, (steps, wanted, uid) => {
        const store = new ObjectStore({ clock: { now: 0 }, random: new RandomStream(1, 'names') })
        for (const each of steps) take(store, each)
        const all = store.list('pods', 'x')
        const matching = all.filter(({ metadata }) => matchesSelector(wanted, metadata.labels))
        const owned = all.filter(({ metadata }) => (metadata.ownerReferences?.[0]?.uid ?? null) === uid)
        expect(names(store.listMatching('pods', 'x', wanted))).toEqual(names(matching))
        expect(names(store.listOwned('pods', 'x', uid))).toEqual(names(owned))
      }),
      { numRuns: 300 },
    )
  })

  it('finds nothing without a selector', () => {
    const store = new ObjectStore({ clock: { now: 0 }, random: new RandomStream(1, 'names') })
    take(store, { namespace: 'x', name: 'p1', labels: null, owner: null, remove: false })
    expect(store.listMatching('pods', 'x', undefined)).toEqual([])
    expect(store.listMatching('pods', 'x', {})).toHaveLength(1)
  })
})
