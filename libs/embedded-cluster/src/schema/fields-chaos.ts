import { inert, modelled, only, refused, within, type FieldRule, type FieldTable } from './fields.js'
import { typeWithStatus } from './fields-common.js'
import type { ResourceKey } from './resources.js'

const COPIES = 'TCP throws a copy away: nothing that a request shows changes'
const ANSWERED = 'programs answer alike whatever headers, queries and bodies they are sent, and nobody reads theirs'
const NO_HEADERS = 'requests and answers of the model carry no headers that could be told apart'

const selector = within({
  namespaces: modelled,
  labelSelectors: modelled,
  expressionSelectors: modelled,
  podPhaseSelectors: modelled,
  pods: modelled,
  annotationSelectors: modelled,
  fieldSelectors: modelled,
  nodes: modelled,
  nodeSelectors: modelled,
})

const target: FieldTable = { mode: modelled, value: modelled, selector }
/** What every fault has. */
const common: FieldTable = { ...target, duration: modelled, remoteCluster: refused('there is one cluster') }
const device: FieldRule = only(['eth0'], 'a pod has one network interface, eth0')

/** What becomes of the fields of Chaos Mesh's kinds. */
export const CHAOS_TABLES: Readonly<Partial<Record<ResourceKey, FieldTable>>> = {
  'podchaos.chaos-mesh.org': {
    ...typeWithStatus,
    spec: within({ ...common, action: modelled, gracePeriod: modelled, containerNames: modelled }),
  },
  'networkchaos.chaos-mesh.org': {
    ...typeWithStatus,
    spec: within({
      ...common,
      action: modelled,
      direction: modelled,
      target: within(target),
      externalTargets: modelled,
      device,
      targetDevice: device,
      partitionBehavior: modelled,
      delay: within({
        latency: modelled,
        jitter: modelled,
        correlation: modelled,
        reorder: within({ reorder: modelled, correlation: modelled, gap: modelled }),
      }),
      loss: modelled,
      corrupt: modelled,
      duplicate: inert(COPIES),
      rate: modelled,
      bandwidth: within({
        rate: modelled,
        limit: modelled,
        buffer: modelled,
        peakrate: refused('a second bucket behind the first is not modelled'),
        minburst: refused('a second bucket behind the first is not modelled'),
      }),
    }),
  },
  'stresschaos.chaos-mesh.org': {
    ...typeWithStatus,
    spec: within({
      ...common,
      containerNames: modelled,
      stressors: within({
        cpu: within({ workers: modelled, load: modelled, options: refused('options of stress-ng are not modelled') }),
        memory: within({
          workers: modelled,
          size: modelled,
          oomScoreAdj: inert('all processes of a container are killed together'),
          options: refused('options of stress-ng are not modelled'),
        }),
      }),
      stressngStressors: refused('options of stress-ng are not modelled'),
    }),
  },
  'dnschaos.chaos-mesh.org': {
    ...typeWithStatus,
    spec: within({ ...common, action: modelled, containerNames: modelled, patterns: modelled }),
  },
  'httpchaos.chaos-mesh.org': {
    ...typeWithStatus,
    spec: within({
      ...common,
      target: modelled,
      port: modelled,
      path: modelled,
      method: modelled,
      code: modelled,
      abort: modelled,
      delay: modelled,
      request_headers: refused(NO_HEADERS),
      response_headers: refused(NO_HEADERS),
      replace: within({
        path: modelled,
        code: modelled,
        method: inert(ANSWERED),
        body: inert(ANSWERED),
        headers: inert(ANSWERED),
        queries: inert(ANSWERED),
      }),
      patch: inert(ANSWERED),
      tls: refused('only plain HTTP is modelled'),
    }),
  },
}
