import { RandomStream } from '../kernel/random.js'
import { ObjectStore } from '../store/store.js'
import { parseResourcePath } from '../schema/resource-path.js'
import { watchObjects } from './watch-objects.js'

const path = parseResourcePath('/api/v1/namespaces/x/configmaps')!
const watch = (store: ObjectStore, query: string) => watchObjects(store, path, new URLSearchParams(query))

describe('watchObjects', () => {
  const store = new ObjectStore({ clock: { now: 0 }, random: new RandomStream(1, 'names'), history: 2 })
  let object = store.create('configmaps', {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'a', namespace: 'x' },
  })
  const first = object.metadata.resourceVersion
  for (let i = 0; i < 9; i++) object = store.update('configmaps', { ...object, data: { i } })

  it('refuses a version whose changes are no longer kept', () => {
    expect(() => watch(store, `resourceVersion=${first}`)).toThrow('too old resource version')
  })

  it('goes on from one that is', () => {
    const before = Number(object.metadata.resourceVersion) - 1
    expect(watch(store, `resourceVersion=${before}`).initial).toEqual([{ type: 'MODIFIED', object }])
  })

  it.each(['', 'resourceVersion=0'])('starts with what is there: %j', (query) => {
    expect(watch(store, query).initial).toEqual([{ type: 'ADDED', object }])
  })

  it('refuses what is no version', () => {
    expect(() => watch(store, 'resourceVersion=now')).toThrow('invalid resource version')
  })
})
