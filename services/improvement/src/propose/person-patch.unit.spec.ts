import { type KubernetesObject } from '@ordeal/kubernetes'
import { type Change, type Diagnosis } from '@ordeal/shared'
import { sampleWorkload } from '@ordeal/shared/testing'
import { z } from 'zod'
import { type Improving } from './improvement.agent.js'
import { patchForm, readPatch } from './person-patch.js'

const container = { name: 'web', image: 'shop:1' }
const diagnosis: Diagnosis = { revision: 0, cause: 'single pod', component: 'Deployment/shop', path: [], evidence: [] }
const template = { metadata: { labels: { app: 'shop' } }, spec: { containers: [container] } }
const deployment = (replicas: number): KubernetesObject => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'shop' },
  spec: { replicas, selector: { matchLabels: { app: 'shop' } }, template },
})
const pod: KubernetesObject = {
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'shop' },
  spec: { containers: [container] },
}
const byDeployment: Change = {
  ...{ kind: 'replace', object: 'Pod/shop', path: '', before: pod, after: deployment(2) },
  ...{ file: null, reason: 'a Deployment', fixes: ['shop-answers'] },
}
const asked = (object: KubernetesObject, catalogue: Change[][]): Improving => {
  const workload = sampleWorkload('shop', { id: `${object.kind}/shop` })
  const graph = { application: 'shop', workloads: [workload], services: [], edges: [], entryPoints: [] }
  return { graph, diagnosis, workload, object, failed: ['shop-answers'], catalogue, rejected: [] }
}
const ofDeployment = asked(deployment(1), [])
const ofPod = asked(pod, [[byDeployment]])

const edit = (path: string, after: unknown, object = 'Deployment/shop') => ({
  kind: 'edit',
  object,
  path,
  after,
  reason: 'mine',
})
const replace = (after: unknown) => ({ kind: 'replace', object: 'Pod/shop', path: '', after, reason: 'mine' })
const problemsOf = (changes: unknown[], question: Improving): string =>
  ((readPatch({ changes }, question) as { problems?: string[] }).problems ?? []).join('\n')

describe('a patch as people write it', () => {
  it('edits allowed fields, with what stood there before', () => {
    const document = { changes: [edit('/spec/replicas', 3)] }
    expect(z.fromJSONSchema(patchForm(ofDeployment)).safeParse(document).success).toBe(true)
    expect(readPatch(document, ofDeployment)).toEqual({
      changes: [{ ...edit('/spec/replicas', 3), before: 1, file: null, fixes: ['shop-answers'] }],
    })
  })

  it('makes of a Pod what the rules would, and differs where it may be edited', () => {
    const read = readPatch({ changes: [replace(deployment(3))] }, ofPod)
    expect(read).toEqual({ changes: [{ ...byDeployment, after: deployment(3), reason: 'mine' }] })
  })

  it.each([
    ['a field that may not be edited', [edit('/spec/template/spec/containers/0/image', 'evil')], /\/changes\/0\/path/],
    ['another object', [edit('/spec/replicas', 3, 'Deployment/other')], /\/changes\/0\/object/],
    ['too many pods', [edit('/spec/replicas', 50)], /from 1 to 5/],
    ['nothing', [], /\/changes/],
    ['a replacement that the rules do not know', [replace(deployment(3))], /\/changes\/0\/kind/],
  ])('is refused with %s', (_, changes, problem) => {
    expect(problemsOf(changes, ofDeployment)).toMatch(problem)
  })

  it.each([
    [
      'another image',
      [
        replace({
          ...deployment(2),
          spec: {
            ...(deployment(2).spec as object),
            template: { ...template, spec: { containers: [{ ...container, image: 'evil' }] } },
          },
        }),
      ],
      /containers\/0\/image may not be edited/,
    ],
    ['another name', [replace({ ...deployment(2), metadata: { name: 'else' } })], /\/metadata\/name may not be edited/],
    ['too many pods', [replace(deployment(50))], /from 1 to 5/],
    ['no object', [replace(null)], /may not be edited/],
    ['an edit besides', [replace(deployment(2)), edit('/spec/replicas', 3, 'Pod/shop')], /not edited besides/],
  ])('is refused as a replacement with %s', (_, changes, problem) => {
    expect(problemsOf(changes, ofPod)).toMatch(problem)
  })
})
