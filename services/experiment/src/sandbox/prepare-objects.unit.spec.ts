import { type ClusterObject, type Objects } from '@ordeal/kubernetes'
import { createMemoryContext } from '@ordeal/shared/testing'
import { prepareObjects } from './prepare-objects.js'
import { type Sandbox } from './open-sandbox.js'

const object = (apiVersion: string, kind: string): ClusterObject => ({ apiVersion, kind, metadata: { name: 'web' } })

/** A sandbox on a cluster that knows these kinds. */
async function sandboxOf(kinds: readonly string[]): Promise<{ sandbox: Sandbox; assumed: string[] }> {
  const context = createMemoryContext()
  await context.vault.put('secrets', {})
  const assumed: string[] = []
  const objects: Partial<Objects> = {
    knows: ({ kind }) => Promise.resolve(kinds.includes(kind)),
    namespaced: () => Promise.resolve(true),
  }
  const sandbox = {
    ...{ context, cluster: { objects }, namespace: 'sandbox', labels: {}, widening: 'refused', place: { mode: 'own' } },
    assume: (all: readonly string[]) => assumed.push(...all),
  }
  return { sandbox: sandbox as unknown as Sandbox, assumed }
}

describe('objects for a sandbox', () => {
  const mesh = object('networking.istio.io/v1', 'VirtualService')
  const route = object('gateway.networking.k8s.io/v1', 'HTTPRoute')
  const service = object('v1', 'Service')
  const manifests = { objects: [mesh, route, service] } as never

  it('leave custom resources out that the cluster does not know, and say so', async () => {
    const { sandbox, assumed } = await sandboxOf(['Service'])
    expect((await prepareObjects(sandbox, manifests)).map((o) => o.kind)).toEqual(['Service'])
    expect(assumed).toEqual([
      expect.stringMatching(/^VirtualService\/web of networking.istio.io\/v1 has no effect: .* it is not applied/),
      expect.stringMatching(/^HTTPRoute\/web of gateway.networking.k8s.io\/v1 has no effect/),
    ])
  })

  it('hold those that it knows, and whatever else it may refuse', async () => {
    const { sandbox, assumed } = await sandboxOf(['VirtualService', 'HTTPRoute'])
    const prepared = await prepareObjects(sandbox, manifests)
    expect(prepared.map((o) => o.kind).sort()).toEqual(['HTTPRoute', 'Service', 'VirtualService'])
    expect(assumed).toEqual([])
  })
})
