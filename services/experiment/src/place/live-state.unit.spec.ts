import { type ClusterObject } from '@ordeal/kubernetes'
import { mergePatch } from '../sandbox/merge-patch.js'
import { asNew, stateOf } from './live-state.js'

const live = (kind: string, spec: object, more: object = {}): ClusterObject => ({
  apiVersion: 'v1',
  kind,
  metadata: {
    name: 'x',
    namespace: 'shop',
    uid: 'u',
    resourceVersion: '7',
    generation: 3,
    creationTimestamp: '2026-01-01T00:00:00Z',
    managedFields: [],
    labels: { app: 'x' },
    ...more,
  },
  spec,
  status: { phase: 'Running' },
})

describe('the state of an object', () => {
  it('is what somebody wanted: no status, nothing that the server notes', () => {
    const annotations = { 'deployment.kubernetes.io/revision': '4', mine: 'yes' }
    expect(stateOf(live('Deployment', { replicas: 1 }, { annotations }))).toEqual({
      apiVersion: 'v1',
      kind: 'Deployment',
      metadata: { name: 'x', namespace: 'shop', labels: { app: 'x' }, annotations: { mine: 'yes' } },
      spec: { replicas: 1 },
    })
    expect(
      stateOf(live('Deployment', {}, { annotations: { 'deployment.kubernetes.io/revision': '4' } })).metadata,
    ).toEqual({
      name: 'x',
      namespace: 'shop',
      labels: { app: 'x' },
    })
  })
  it('is the same of a pod on another node', () => {
    const [here, there] = ['a', 'b'].map((nodeName) => stateOf(live('Pod', { nodeName, containers: [] })))
    expect(mergePatch(here ?? {}, there ?? {})).toBeNull()
  })
  it('of a Job can be created again, without what the server gave to the first', () => {
    const labels = { app: 'x', 'controller-uid': 'u', 'batch.kubernetes.io/job-name': 'x' }
    const job = stateOf(live('Job', { selector: {}, template: { metadata: { labels }, spec: {} } }, { labels }))
    expect(asNew(job)).toMatchObject({
      metadata: { labels: { app: 'x' } },
      spec: { template: { metadata: { labels: { app: 'x' } } } },
    })
    expect(asNew(job).spec).not.toHaveProperty('selector')
  })
})
