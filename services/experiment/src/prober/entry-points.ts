import { type Graph, type SteadyStateDraft } from '@ordeal/shared'

/** The steady states that users meet first: requests to an entry point of the application. */
export const atEntryPoints = <S extends Pick<SteadyStateDraft, 'probe'>>(states: readonly S[], graph: Graph): S[] =>
  states.filter(({ probe }) => probe.kind === 'http' && graph.entryPoints.includes(`Service/${probe.service}`))
