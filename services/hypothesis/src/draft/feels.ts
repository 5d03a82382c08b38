import { type Graph, type SteadyStateDraft } from '@ordeal/shared'
import { reachOf } from './reach.js'

type Looks = Pick<SteadyStateDraft, 'target' | 'weight'>

/** True when requests that the steady state makes as a user get as far as the workload. */
export const reaches = (graph: Graph, state: Looks, workload: string): boolean =>
  state.weight === 3 && reachOf({ ...graph, entryPoints: [state.target] }).has(workload)

/**
 * True when the steady state can notice a loss at the workload: its requests get there, or it looks at the workload
 * itself. A fault that none can feel would hit what nobody looks at, and every hypothesis would hold.
 */
export const feels = (graph: Graph, state: Looks, workload: string): boolean =>
  reaches(graph, state, workload) || state.target === workload
