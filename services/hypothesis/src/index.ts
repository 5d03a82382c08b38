export { draftHypothesis, type HypothesisDraft } from './draft/draft-hypothesis.js'
export { hypothesisService } from './hypothesis.service.js'
