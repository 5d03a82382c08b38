import { DEFAULT_PROFILE, ImageProfiles, type ImageProfilesInput } from './image-profile.js'
import { deploy } from '../simulate/simulate.js'
import { deployment, httpProbe, service } from '../engine-fixture.spec.js'
import { type Manifest } from '../simulate/plan.js'

const inApp = (object: object): Manifest => {
  const manifest = object as Manifest
  return { ...manifest, metadata: { ...manifest.metadata, namespace: 'app' } }
}
const shop = (image: string) => [inApp(deployment('web', { image, container: {} })), inApp(service('web'))]
const timing = { preMs: 0, faultMs: 10_000, postMs: 0 }
const probes = [httpProbe('front', 'http://web.app/', 10)]

function latencies(images: ImageProfilesInput = {}): number[] {
  const trace = deploy(shop('registry.example/shop/web:2'), { seed: 1, probes, images }).whatIf({
    timing,
    probes,
    actions: [],
  })
  if (!trace.settled) throw new Error(trace.waiting.join())
  return trace.samples.map(({ latencyMs }) => latencyMs ?? NaN)
}

describe('profiles of images', () => {
  it('are found by the full name, else by the longest beginning', () => {
    const profiles = new ImageProfiles({ 'shop:1': { workers: 1 }, 'shop:*': { workers: 2 }, '*': { workers: 3 } })
    expect(['shop:1', 'shop:2', 'other'].map((image) => profiles.of(image)?.workers)).toEqual([1, 2, 3])
    expect(new ImageProfiles().of('shop:1')).toBeNull()
  })

  it('read durations and amounts, and keep the default for the rest', () => {
    const profile = new ImageProfiles({
      web: { startup: '1m30s', memory: '64Mi', calls: ['http://a|http://b:81/x'] },
    }).of('web')
    expect(profile).toMatchObject({ ...DEFAULT_PROFILE, startup: 90_000, memory: 67_108_864, calls: [[{}, {}]] })
    expect(profile?.calls[0]?.[1]).toEqual({ host: 'b', port: 81, path: '/x' })
  })

  it.each<[unknown, RegExp]>([
    [{ web: { startup: '90' } }, /is no duration/],
    [{ web: { workers: 0 } }, /workers/],
    [{ web: { memory: 'much' } }, /is no amount of memory/],
    [{ web: { calls: ['ftp://x'] } }, /is no URL/],
    [{ web: { speed: 1 } }, /speed/],
  ])('refuse what they cannot understand: %j', (given, message) => {
    expect(() => new ImageProfiles(given as ImageProfilesInput)).toThrow(message)
  })

  it('make an image as slow as they say', () => {
    expect(Math.max(...latencies())).toBeLessThan(5)
    expect(Math.min(...latencies({ 'registry.example/shop/*': { work: '40ms' } }))).toBeGreaterThan(40)
  })

  it('say which calls an image needs', () => {
    const images = { 'registry.example/shop/*': { calls: ['http://nowhere'] } }
    const trace = deploy(shop('registry.example/shop/web:2'), { seed: 1, probes, images, settleMs: 20_000 }).whatIf({
      timing,
      probes,
      actions: [],
    })
    expect(trace).toMatchObject({ settled: false, waiting: ['probe front: status 502'] })
    expect(trace.assumptions).toContainEqual(
      expect.stringMatching(/shop\/web:2: behaviour by its profile; .* after 1 calls/),
    )
  })
})
