import { readFile } from 'node:fs/promises'
import { connectCluster } from '@ordeal/kubernetes'
import { DEFINITIONS, trimDefinitions } from '../../scripts/chaos-schemas.mjs'

const KEPT = new URL('../../libs/kubernetes/src/cluster/generated/chaos-schemas.json', import.meta.url)

describe('the definitions of Chaos Mesh on a real cluster', () => {
  it('are those by which faults are checked', async () => {
    const context = process.env.ORDEAL_TEST_CONTEXT
    if (!context) throw new Error('ORDEAL_TEST_CONTEXT is not set: these specs run as level `cluster`')
    const { objects } = await connectCluster({ kind: 'kubernetes', context })
    const ref = { apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition' }
    const crds = await Promise.all(DEFINITIONS.map((name) => objects.get({ ...ref, metadata: { name } })))
    const { source: _, ...kept } = JSON.parse(await readFile(KEPT, 'utf8')) as Record<string, unknown>
    expect(trimDefinitions(crds)).toEqual(kept)
  })
})
