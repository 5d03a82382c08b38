import {
  cycleOptionsSchema,
  Suspended,
  type Bundle,
  type Change,
  type CycleOptions,
  type Diagnosis,
} from '@ordeal/shared'
import { createMemoryContext, createMemoryCycle, sampleWorkload } from '@ordeal/shared/testing'
import { readProject, redact, type KubernetesObject } from '@ordeal/kubernetes'
import { chooseApproved, type Chosen } from './choose-approved.js'
import { type Proposed } from './patch.subject.js'

const MANIFEST = `apiVersion: apps/v1
kind: Deployment
metadata: {name: shop}
spec:
  replicas: 1 # one is enough
  selector: {matchLabels: {app: shop}}
  template:
    metadata: {labels: {app: shop}}
    spec:
      containers:
        - {name: shop, image: "shop:1", env: [{name: API_TOKEN, value: opensesame-42}]}
`
const bundle: Bundle = { files: [{ path: 'shop.yaml', content: MANIFEST }] }
const read = await readProject(bundle, cycleOptionsSchema.parse({}))
const { objects, secrets } = redact(read.objects.map((o) => o.object))
const object = objects[0] as KubernetesObject
const workload = sampleWorkload('shop')
const diagnosis: Diagnosis = { revision: 0, cause: 'single pod', component: workload.id, path: [], evidence: [] }
const replicas = (after: number): Change => ({
  ...{ kind: 'edit', object: workload.id, path: '/spec/replicas', before: 1, after, file: null },
  ...{ reason: `${after} pods`, fixes: [] },
})
const ideas: Proposed[] = [2, 3, 4].map((n) => ({ changes: [replicas(n)], by: 'rules' }))

/** Attempts of the phase on one cycle, where people may be asked about patches. */
async function patches(more: Partial<CycleOptions> = {}) {
  const cycle = createMemoryCycle()
  const options = cycleOptionsSchema.parse({ approve: ['improvement'], ...more })
  await cycle.artefacts.put('options', options)
  await cycle.vault.put('secrets', secrets)
  const attempt = (revision = 0): Promise<Chosen> =>
    chooseApproved(
      {
        place: {
          context: createMemoryContext({ cycle, revision, phase: 'propose' }),
          models: { forCycle: () => Promise.resolve(null) },
        },
        source: { bundle, options, secrets },
        question: {
          ...{ graph: { application: 'shop', workloads: [workload], services: [], edges: [], entryPoints: [] } },
          ...{ diagnosis, workload, object, failed: [], catalogue: ideas.map(({ changes }) => changes), rejected: [] },
        },
        ...{ base: [], attempts: [], number: revision + 1 },
      },
      ideas,
      [],
    )
  const suspended = async (revision?: number): Promise<void> => {
    await expect(attempt(revision)).rejects.toBeInstanceOf(Suspended)
  }
  return { people: cycle.people, attempt, suspended }
}

describe('choosing a patch that people approve', () => {
  it('takes the first where nobody wants to be asked', async () => {
    const { attempt, people } = await patches({ approve: [] })
    expect((await attempt()).proposed?.changes[0]?.after).toBe(2)
    expect(people.asked).toEqual([])
  })

  it("shows a diff of the user's own file, without its credentials", async () => {
    const { suspended, people } = await patches()
    await suspended()
    const { text, title } = people.asked[0]?.proposal ?? { text: '', title: '' }
    expect(title).toBe('Patch of r1')
    expect(text).toMatch(
      /^# 2 pods\ndiff --git a\/shop.yaml[^]*-  replicas: 1 # one is enough\n\+  replicas: 2 # one is enough/,
    )
    expect(JSON.stringify(people.asked)).not.toContain('opensesame')
  })

  it('goes on to the next idea after a no, and does not ask about the same again in a later phase', async () => {
    const { attempt, suspended, people } = await patches()
    await suspended()
    people.say('reject', { message: 'too costly' })
    await suspended()
    people.say('approve')
    expect(await attempt()).toMatchObject({
      proposed: { changes: [{ after: 3 }], by: 'rules' },
      rejected: [{ idea: `edit ${workload.id} /spec/replicas`, why: expect.stringContaining('too costly') as string }],
    })
    await suspended(1)
    expect(people.asked.map(({ proposal }) => [proposal.revision, proposal.text.match(/\d pods/)?.[0]])).toEqual([
      [1, '2 pods'],
      [1, '3 pods'],
      [2, '3 pods'],
    ])
  })

  it('asks no more once nobody answered', async () => {
    const { attempt, suspended, people } = await patches()
    await suspended()
    people.say('reject', { by: null })
    expect(await attempt()).toMatchObject({
      proposed: null,
      silence: expect.stringContaining('Nobody answered within 30 min') as string,
      rejected: [{ why: expect.stringContaining('Nobody answered') as string }],
    })
    expect(people.asked).toHaveLength(1)
  })

  it('tests what a person wrote once it was seen, and says that rules follow no words', async () => {
    const { attempt, suspended, people } = await patches()
    await suspended()
    people.say('revise', { message: 'five, please' })
    await suspended()
    expect(people.asked[1]?.proposal.problems.join()).toContain('cannot follow words')
    const { before: _, file: __, fixes: ___, ...five } = replicas(5)
    people.say('replace', { document: { changes: [five as never] } })
    await suspended()
    people.say('approve')
    expect(await attempt()).toMatchObject({ proposed: { changes: [{ after: 5, file: 'shop.yaml' }], by: 'person' } })
  })
})
