import fc from 'fast-check'
import { createEngine, type Engine } from '../engine.js'
import { findUnforkable } from '../kernel/unforkable.spec.js'
import { definitionOf, type ResourceKey } from '../schema/resources.js'
import { ApiError } from '../store/api-error.js'
import { bootstrap } from './bootstrap.js'
import { deleteObject } from './delete-object.js'
import { hostileObject, OBJECTS } from './hostile-fixture.spec.js'
import { collectionPath, parseResourcePath } from '../schema/resource-path.js'
import { createObject, updateObject } from './write-object.js'

/** A storm of events that never ends is a wedge; what these objects set off is far below. */
const MAX_EVENTS = 500_000
const WRITE = { dryRun: false }

function newEngine(): Engine {
  const engine = createEngine({ seed: 1, startMs: 0 })
  bootstrap(engine.store)
  return engine
}

const pathOf = (key: ResourceKey, name: string) => ({
  definition: definitionOf(key),
  namespace: definitionOf(key).namespaced ? 'default' : null,
  name,
  subresource: null,
})

/** Answers of the API are fine; anything else is a crash. Returns the answer's code. */
function tolerant(write: () => void): number {
  try {
    write()
    return 200
  } catch (error) {
    if (error instanceof ApiError) return error.code
    throw error
  }
}

function create(engine: Engine, key: ResourceKey, object: unknown): number {
  const path = parseResourcePath(collectionPath(key, 'default'))
  if (!path) throw new Error(`no path for ${key}`)
  return tolerant(() => createObject(engine, path, object, WRITE))
}

function live(engine: Engine, forMs: number): void {
  expect(engine.kernel.runUntil(engine.kernel.now + forMs, { maxEvents: MAX_EVENTS })).toBe('reached')
}

describe('any object', () => {
  it('is taken or refused when it is created, and the cluster lives on with it', () => {
    fc.assert(
      fc.property(fc.array(hostileObject, { minLength: 1, maxLength: 6 }), (objects) => {
        const engine = newEngine()
        for (const [key, object] of objects) create(engine, key, object)
        live(engine, 120_000)
      }),
      { numRuns: 150 },
    )
  }, 120_000)

  it('is taken or refused in place of one that works, and everything can be deleted afterwards', () => {
    fc.assert(
      fc.property(fc.array(hostileObject, { minLength: 1, maxLength: 4 }), (objects) => {
        const engine = newEngine()
        for (const [key, object] of OBJECTS) expect([key, create(engine, key, object)]).toEqual([key, 200])
        live(engine, 10_000)
        for (const [key, object] of objects) {
          tolerant(() => updateObject(engine, pathOf(key, 'x'), { ...object }, WRITE))
        }
        live(engine, 60_000)
        for (const [key] of OBJECTS) tolerant(() => deleteObject(engine.store, pathOf(key, 'x'), {}))
        live(engine, 60_000)
      }),
      { numRuns: 60 },
    )
  }, 240_000)

  it('leaves the cluster forkable', () => {
    const engine = newEngine()
    for (const [key, object] of OBJECTS) create(engine, key, object)
    live(engine, 20_000)
    expect(findUnforkable(engine)).toEqual([])
  })
})

describe('owners', () => {
  const reference = fc.record({ owner: fc.nat(7), dependent: fc.nat(7), controller: fc.boolean() })
  const step = fc.record({ at: fc.nat(7), policy: fc.constantFrom('Background', 'Foreground', 'Orphan') })

  it('may own each other in any way, also in circles, and can all be deleted', () => {
    fc.assert(
      fc.property(fc.array(reference, { maxLength: 24 }), fc.array(step, { maxLength: 12 }), (references, steps) => {
        const engine = newEngine()
        const names = Array.from({ length: 8 }, (_, i) => `c${i}`)
        for (const name of names) create(engine, 'configmaps', { metadata: { name } })
        const uidOf = (i: number) => engine.store.get('configmaps', 'default', `c${i}`)?.metadata.uid
        for (const [i, name] of names.entries()) {
          const ownerReferences = references
            .filter(({ dependent }) => dependent === i)
            .map(({ owner, controller }) => ({
              apiVersion: 'v1',
              kind: 'ConfigMap',
              name: `c${owner}`,
              uid: uidOf(owner),
              controller,
              blockOwnerDeletion: true,
            }))
          tolerant(() =>
            updateObject(engine, pathOf('configmaps', name), { metadata: { name, ownerReferences } }, WRITE),
          )
        }
        live(engine, 5_000)
        for (const { at, policy } of steps) {
          tolerant(() => deleteObject(engine.store, pathOf('configmaps', `c${at}`), { propagationPolicy: policy }))
          live(engine, 1_000)
        }
        for (const name of names) {
          tolerant(() => deleteObject(engine.store, pathOf('configmaps', name), { propagationPolicy: 'Background' }))
        }
        live(engine, 60_000)
      }),
      { numRuns: 150 },
    )
  }, 120_000)
})

describe('sizes', () => {
  const nested = (depth: number): unknown => JSON.parse(`${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`)

  it('refuses what is nested too deeply, wherever it is', () => {
    const engine = newEngine()
    for (const deep of [nested(501), nested(200_000)]) {
      expect(create(engine, 'configmaps', { metadata: { name: 'x' }, data: deep })).toBe(400)
      expect(create(engine, 'pods', { metadata: { name: 'x', annotations: { a: deep } } })).toBe(400)
      expect(create(engine, 'podchaos.chaos-mesh.org', { metadata: { name: 'x' }, spec: deep })).toBe(400)
    }
  })

  it('refuses annotations beyond 256 KiB, and takes large data', () => {
    const engine = newEngine()
    const name = 'x'
    expect(create(engine, 'configmaps', { metadata: { name, annotations: { a: 'x'.repeat(1_000_000) } } })).toBe(422)
    expect(create(engine, 'configmaps', { metadata: { name }, data: { a: 'x'.repeat(900_000) } })).toBe(200)
  })
})
