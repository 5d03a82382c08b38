import { deployment, TestCluster } from '../engine-fixture.spec.js'
import { pullDelayMs, pullProblem } from './pull-image.js'

describe('an image', () => {
  it('is on every node, but for those that cannot be anywhere', () => {
    for (const image of [
      'nginx',
      'nginx:1.27',
      'ghcr.io/a/b-c_d:v1',
      'localhost:5000/x',
      `a/b@sha256:${'0'.repeat(64)}`,
    ]) {
      expect(pullProblem(image)).toBeNull()
    }
    expect(pullProblem('registry.invalid/a/b:1')).toMatchObject({ reason: 'ErrImagePull' })
    expect(pullProblem('registry.invalid:5000/a')).toMatchObject({ reason: 'ErrImagePull' })
    expect(pullProblem('Not A Name')).toMatchObject({ reason: 'InvalidImageName' })
  })

  it('is asked for ever more rarely', () => {
    expect([1, 2, 3, 10].map(pullDelayMs)).toEqual([10_000, 20_000, 40_000, 300_000])
  })

  it('that nobody can pull keeps its pod waiting, and the pods of before in place', () => {
    const cluster = new TestCluster()
    cluster.apply(deployment('web', { replicas: 2 }))
    cluster.run(20)
    const stored = cluster.store.get('deployments.apps', 'app', 'web')
    if (!stored) throw new Error('no deployment')
    const bad = deployment('web', { replicas: 2, image: 'registry.invalid/no/such:1' })
    cluster.store.update('deployments.apps', {
      ...stored,
      spec: { ...(stored.spec as object), ...(bad.spec as object) },
    })
    cluster.run(40)
    expect(cluster.readyPods('web')).toHaveLength(2)
    const waiting = cluster.pods('web').flatMap(({ metadata, status }) => {
      const reason = status?.containerStatuses?.[0]?.state.waiting?.reason
      return reason === undefined ? [] : [{ name: metadata.name, reason }]
    })
    expect(waiting).toMatchObject([{ reason: expect.stringMatching(/^(ImagePullBackOff|ErrImagePull)$/) as string }])
    const said = cluster.events(waiting[0]?.name ?? '').join('\n')
    expect(said).toContain('Failed: Error: ErrImagePull')
    expect(said).toContain('BackOff: Back-off pulling image "registry.invalid/no/such:1"')
  })
})
