import { type ClusterObject, type Objects } from '@ordeal/kubernetes'
import { AbortedError } from '@ordeal/shared'
import { guardWrites } from './guard-writes.js'

const pod: ClusterObject = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'x', namespace: 'y' } }

describe('guardWrites', () => {
  const sent: string[] = []
  const send = (what: string) => () => {
    sent.push(what)
    return Promise.resolve(pod)
  }
  const objects = {
    create: send('create'),
    adopt: send('adopt'),
    patch: send('patch'),
    remove: send('remove'),
    get: send('get'),
  } as unknown as Objects
  beforeEach(() => sent.splice(0))

  it('lets no write pass once the lease is lost, and reads always', async () => {
    const guarded = guardWrites(objects, () => {
      throw new AbortedError('lease-lost')
    })
    const writes = [
      () => guarded.create(pod),
      () => guarded.adopt(pod, () => true),
      () => guarded.patch(pod, {}),
      () => guarded.remove(pod),
    ]
    for (const write of writes) await expect(write()).rejects.toMatchObject({ code: 'aborted-lease-lost' })
    await guarded.get(pod)
    expect(sent).toEqual(['get'])
  })

  it('passes writes on while the lease is held', async () => {
    const guarded = guardWrites(objects, () => undefined)
    await guarded.create(pod)
    await guarded.patch(pod, {})
    expect(sent).toEqual(['create', 'patch'])
  })
})
