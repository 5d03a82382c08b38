import { objectIdOf, RefusedError, type ClusterObject, type Objects, type WriteOptions } from '@ordeal/kubernetes'
import { type Sandbox } from './open-sandbox.js'
import { rollOut } from './roll-out.js'

const config = (name: string, value: string): ClusterObject => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, namespace: 'sandbox' },
  data: { value },
})

/** A server that holds objects, merges data, and refuses what `refuses` says. */
function fakeSandbox(start: ClusterObject[], refuses: (object: ClusterObject, dryRun: boolean) => boolean) {
  const held = new Map(start.map((o) => [objectIdOf(o), o]))
  const writes: string[] = []
  const write = (what: string, object: ClusterObject, options: WriteOptions = {}) => {
    if (refuses(object, options.dryRun ?? false)) throw new RefusedError(422, 'Invalid', 'no')
    if (options.dryRun) return
    writes.push(`${what} ${object.metadata.name}`)
    held.set(objectIdOf(object), object)
  }
  const objects = {
    get: (ref: ClusterObject) => Promise.resolve(held.get(objectIdOf(ref)) ?? null),
    create: (object: ClusterObject, options?: WriteOptions) => Promise.resolve(write('create', object, options)),
    adopt: (object: ClusterObject) => Promise.resolve(write('create', object)),
    patch: (ref: ClusterObject, patch: { data: object }, options?: WriteOptions) =>
      Promise.resolve().then(() => write('patch', { ...ref, ...patch }, options)),
    remove: (ref: ClusterObject) => {
      writes.push(`remove ${ref.metadata.name}`)
      return Promise.resolve(held.delete(objectIdOf(ref)))
    },
    path: () => Promise.resolve('/x'),
  } as unknown as Objects
  const clock = { waitFor: ({ check }: { check: () => Promise<unknown> }) => check() }
  const sandbox = { cluster: { objects, clock }, context: {}, place: { mode: 'own' } } as unknown as Sandbox
  return { sandbox, writes, data: (name: string) => held.get(`ConfigMap/${name}`)?.data }
}

describe('rollOut', () => {
  it('touches only what differs: removes, patches, creates', async () => {
    const from = [config('same', '1'), config('changed', '1'), config('old', '1')]
    const { sandbox, writes } = fakeSandbox(from, () => false)
    await rollOut(sandbox, from, [config('same', '1'), config('changed', '2'), config('new', '1')])
    expect(writes).toEqual(['remove old', 'patch changed', 'create new'])
  })

  it('brings back what a fault took for good', async () => {
    const { sandbox, writes } = fakeSandbox([], () => false)
    await rollOut(sandbox, [config('a', '1')], [config('a', '1')])
    expect(writes).toEqual(['create a'])
  })

  it('changes nothing when the server refuses one change beforehand', async () => {
    const from = [config('a', '1'), config('b', '1')]
    const { sandbox, writes } = fakeSandbox(from, (o, dryRun) => dryRun && o.metadata.name === 'b')
    const outcome = rollOut(sandbox, from, [config('a', '2'), config('b', '2')])
    await expect(outcome).rejects.toMatchObject({ object: 'ConfigMap/b' })
    expect(writes).toEqual([])
  })

  it('goes back when the server changes its mind in the middle', async () => {
    const from = [config('a', '1'), config('b', '1')]
    const fake = fakeSandbox(
      from,
      (o, dryRun) => !dryRun && o.metadata.name === 'b' && (o.data as { value: string }).value === '2',
    )
    const outcome = rollOut(fake.sandbox, from, [config('a', '2'), config('b', '2')])
    await expect(outcome).rejects.toMatchObject({ object: 'ConfigMap/b' })
    expect([fake.data('a'), fake.data('b')]).toEqual([{ value: '1' }, { value: '1' }])
  })
})

describe('rollOut in place', () => {
  const inPlace = (start: ClusterObject[]) => {
    const fake = fakeSandbox(start, () => false)
    const place = { mode: 'in-place', notebook: config('journal', '') }
    return {
      ...fake,
      sandbox: { ...fake.sandbox, place, labels: { 'ordeal.dev/cycle': 'mine' } } as unknown as Sandbox,
    }
  }
  it('changes what is of the input, and nothing that is there besides', async () => {
    const { sandbox, writes } = inPlace([config('a', '1'), config('theirs', '1')])
    await rollOut(sandbox, [config('a', '1')], [config('a', '2')])
    expect(writes).toEqual(['patch a'])
    const outcome = rollOut(sandbox, [config('a', '2')], [config('a', '2'), config('theirs', '2')])
    await expect(outcome).rejects.toMatchObject({
      object: 'ConfigMap/theirs',
      message: expect.stringMatching(/not made by this/),
    })
    expect(writes).toEqual(['patch a'])
  })
  it('removes no claim, whose data could not be put back', async () => {
    const claim = { ...config('data', '1'), kind: 'PersistentVolumeClaim' }
    const { sandbox, writes } = inPlace([claim])
    await expect(rollOut(sandbox, [claim], [])).rejects.toMatchObject({
      message: expect.stringMatching(/could not be put back/),
    })
    expect(writes).toEqual([])
  })
})
