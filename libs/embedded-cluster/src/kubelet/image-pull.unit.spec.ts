import { ImagePull } from './image-pull.js'

const look = (pull: ImagePull, image: string, seconds: number) => pull.look({ name: 'web', image }, seconds * 1000)
const reasons = (found: ReturnType<typeof look>) => found?.events.map(({ reason }) => reason)

describe('an image', () => {
  it.each(['nginx', 'nginx:1.27', 'registry.example.com:5000/team/web_app:v1.2-rc', `web@sha256:${'a'.repeat(64)}`])(
    '%s is on the node',
    (image) => expect(look(new ImagePull(), image, 0)).toBeNull(),
  )

  it.each([
    ['Web:1', /repository name \(library\/Web\) must be lowercase/],
    ['team/Web', /repository name \(team\/Web\) must be lowercase/],
    ['web:', /couldn't parse image name "web:": invalid reference format$/],
    ['we b', /invalid reference format$/],
    ['', /invalid reference format$/],
  ])('is none that is called %p', (image, message) => {
    const found = look(new ImagePull(), image, 0)
    expect(found?.found).toEqual({ reason: 'InvalidImageName', message: expect.stringMatching(message) as string })
    expect(reasons(found)).toEqual(['InspectFailed', 'Failed'])
  })

  it('of a host that nobody reaches is pulled again after 10 s, then after twice as long each time', () => {
    const pull = new ImagePull()
    const image = 'registry.invalid/web:2'
    const pulls = Array.from({ length: 100 }, (_, second) => second).filter((second) =>
      reasons(look(pull, image, second))?.includes('Pulling'),
    )
    expect(pulls).toEqual([0, 10, 30, 70])
  })

  it('is waited for no longer than five minutes', () => {
    const pull = new ImagePull()
    const pulls = Array.from({ length: 2000 }, (_, second) => second).filter((second) =>
      reasons(look(pull, 'registry.invalid/web', second))?.includes('Pulling'),
    )
    const gaps = pulls.slice(1).map((at, index) => at - (pulls[index] ?? 0))
    expect(gaps.slice(0, 6)).toEqual([10, 20, 40, 80, 160, 300])
    expect(new Set(gaps.slice(5))).toEqual(new Set([300]))
  })

  it('that cannot be pulled says so in the words of containerd, and why it waits', () => {
    const pull = new ImagePull()
    const image = 'registry.invalid:5000/team/web:2'
    const [first, second] = [look(pull, image, 0), look(pull, image, 5)]
    expect(first?.found.reason).toBe('ErrImagePull')
    expect(first?.found.message).toContain('Head "https://registry.invalid:5000/v2/team/web/manifests/2"')
    expect(first?.found.message).toContain('lookup registry.invalid on')
    expect(first?.events.map(({ type, reason }) => `${type} ${reason}`)).toEqual([
      ...['Normal Pulling', 'Warning Failed', 'Warning Failed'],
    ])
    expect(second?.found).toEqual({
      reason: 'ImagePullBackOff',
      message: `Back-off pulling image "${image}": ErrImagePull: ${first?.found.message ?? ''}`,
    })
  })

  it('is looked for anew under another name', () => {
    const pull = new ImagePull()
    look(pull, 'registry.invalid/web', 0)
    expect(look(pull, 'nginx', 1)).toBeNull()
  })
})
