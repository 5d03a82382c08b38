/**
 * What the five services share and nothing else. The words are those of the glossary (docs/glossary.md); one meaning
 * each, in code, API, UI and docs.
 */
export * from './ids.js'
export * from './errors.js'
export * from './duration.js'
export * from './artefacts/agent-call.js'
export * from './artefacts/cycle.js'
export * from './artefacts/graph.js'
export * from './artefacts/hypothesis.js'
export * from './artefacts/results.js'
export * from './artefacts/revision.js'
export * from './artefacts/run.js'
export * from './events/catalogue.js'
export * from './events/envelope.js'
export * from './logging/logger.js'
export * from './service/definition.js'
export * from './store/canonical-json.js'
export { type Tx } from './store/tx.js'
