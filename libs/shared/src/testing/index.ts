/** For unit tests of phase handlers, in this package and others: no servers needed. Nothing here runs in production. */
export * from './memory-context.js'
export * from './memory-cycle.js'
export { stageArtefacts } from '../store/stage-artefacts.js'
export { everyFault } from './faults.js'
export { sampleCall, sampleService, sampleWorkload } from './sample-graph.js'
