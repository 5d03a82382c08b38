import { DeadlineError, type SteadyStateDraft } from '@ordeal/shared'
import { RefusedError } from '@ordeal/kubernetes'
import { type Sandbox } from '../sandbox/open-sandbox.js'
import { aroundClosed, closedDoors, entranceOf } from './doors.js'
import { probesOf } from './probes.js'

type Address = { ip?: string; hostname?: string }

/** A sandbox whose Ingresses are served at these addresses from the second look on. */
function sandboxWith(addresses: Record<string, Address>, mode = 'own'): Sandbox {
  const looks = new Map<string, number>()
  const get = ({ metadata }: { metadata: { name: string } }) => {
    const count = (looks.get(metadata.name) ?? 0) + 1
    looks.set(metadata.name, count)
    const address = count > 1 ? addresses[metadata.name] : undefined
    if (metadata.name === 'secret') return Promise.reject(new RefusedError(403, 'Forbidden', 'not allowed'))
    return Promise.resolve({ status: { loadBalancer: address ? { ingress: [address] } : {} } })
  }
  const waitFor = async ({ what, check }: { what: string; check: () => Promise<true | undefined> }) => {
    if (!(await check())) throw new DeadlineError(what, 0)
  }
  return {
    namespace: 'box',
    place: { mode },
    context: { progress: () => undefined, signal: new AbortController().signal },
    cluster: { objects: { get, path: () => Promise.resolve('/path') }, clock: { waitFor } },
  } as unknown as Sandbox
}

const state = (id: string, ingress: string | null): Pick<SteadyStateDraft, 'id' | 'probe'> => ({
  id,
  probe: {
    kind: 'http',
    service: 'web',
    port: 80,
    path: '/shop',
    ...(ingress && { through: { ingress: `Ingress/${ingress}`, host: 'a.test' } }),
    ratePerSecond: 10,
    timeoutMs: 2000,
  },
})

describe('the way through an Ingress', () => {
  it('is open once a controller has given it an address that others reach', async () => {
    const sandbox = sandboxWith({ door: { ip: '10.0.0.9' }, kind: { hostname: 'localhost' } })
    const states = [state('a', 'door'), state('b', 'kind'), state('c', 'unserved'), state('d', null)]
    expect(await closedDoors(sandbox, states)).toEqual({
      b: 'no controller gave it an address in 65 s',
      c: 'no controller gave it an address in 65 s',
    })
  })

  it('is closed where it cannot be read', async () => {
    expect(await closedDoors(sandboxWith({}), [state('a', 'secret')])).toEqual({
      a: 'it cannot be read (not allowed)',
    })
  })

  it('leads to the address, with the host that the sandbox gives it', async () => {
    const sandbox = sandboxWith({ door: { ip: '10.0.0.9' }, six: { ip: 'fd00::1' } })
    await closedDoors(sandbox, [state('a', 'door'), state('b', 'six')])
    expect(await probesOf(sandbox, [state('a', 'door'), state('b', 'six')])).toMatchObject([
      { url: 'http://10.0.0.9/shop', headers: { host: 'a.test.box.invalid' } },
      { url: 'http://[fd00::1]/shop' },
    ])
  })

  it('leads to the host itself in place', async () => {
    const sandbox = sandboxWith({ door: { ip: '10.0.0.9' } }, 'in-place')
    await closedDoors(sandbox, [state('a', 'door')])
    expect((await entranceOf(sandbox, { ingress: 'Ingress/door', host: 'a.test' }))?.host).toBe('a.test')
    expect((await entranceOf(sandbox, { ingress: 'Ingress/door', host: null }))?.host).toBe('10.0.0.9')
  })

  it('is not taken for granted: a probe that is to go there fails without it', async () => {
    await expect(probesOf(sandboxWith({}), [state('a', 'door')])).rejects.toThrow(/no ingress controller serves/)
  })

  it('is gone around where it is closed', async () => {
    const sandbox = sandboxWith({})
    const states = [state('a', 'door'), state('b', null)]
    const around = aroundClosed(states, await closedDoors(sandbox, states))
    expect((await probesOf(sandbox, around)).map((p) => (p.kind === 'http' ? p.url : null))).toEqual(
      Array(2).fill('http://web.box.svc.cluster.local:80/shop'),
    )
  })
})
