import { applyToObjects, type KubernetesObject, readProject, redact, restore } from '@ordeal/kubernetes'
import { cycleOptionsSchema, type Bundle, type Change } from '@ordeal/shared'
import { writeChanges } from './write-changes.js'

const MANIFEST = `apiVersion: v1
kind: Pod
metadata: {name: shop, labels: {app: shop}}
spec:
  containers:
    - {name: shop, image: "shop:1", env: [{name: API_TOKEN, value: opensesame-42}]}
`
const bundle: Bundle = { files: [{ path: 'shop.yaml', content: MANIFEST }] }
const options = cycleOptionsSchema.parse({})
const read = await readProject(bundle, options)
const { objects, secrets } = redact(read.objects.map((o) => o.object))
const shown = objects[0] as KubernetesObject
const change = (part: Partial<Change>): Change => ({
  ...{ kind: 'edit', object: 'Pod/shop', path: '', file: null, reason: 'because', fixes: [] },
  ...part,
})

describe('writeChanges', () => {
  it('tells where a change lands, with references in place of credentials', async () => {
    const spec = { selector: { matchLabels: { app: 'shop' } }, template: { spec: shown.spec ?? {} } }
    const deployment = { apiVersion: 'apps/v1', kind: 'Deployment', metadata: shown.metadata, spec }
    const wanted = [
      change({ kind: 'replace', after: deployment }),
      change({ object: 'Deployment/shop', path: '/spec/replicas', after: 2 }),
    ]
    const written = await writeChanges({ bundle, options, secrets }, wanted)
    expect(written).toEqual({ changes: wanted.map((c) => ({ ...c, file: 'shop.yaml' })) })
    expect(JSON.stringify(written)).not.toContain('opensesame')
    expect(JSON.stringify(restore(applyToObjects(objects, wanted), secrets))).toContain('opensesame-42')
  })

  it('refuses what the files cannot take, with the reason', async () => {
    const nowhere = await writeChanges({ bundle, options, secrets }, [
      change({ path: '/spec/containers/7', after: {} }),
    ])
    expect(nowhere).toEqual({ refused: expect.stringMatching(/'7' is no place in a list of 1/) as string })
    const ghost = await writeChanges({ bundle, options, secrets }, [
      change({ object: 'Pod/ghost', path: '/spec', after: {} }),
    ])
    expect(ghost).toEqual({ refused: expect.stringMatching(/there is no Pod\/ghost to edit/) as string })
  })
})
