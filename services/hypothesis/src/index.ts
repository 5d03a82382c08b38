export { draftHypothesis, type HypothesisDraft } from './draft/draft-hypothesis.js'
export { hypothesisService } from './hypothesis.service.js'
export { refuseUnsupported } from './preprocess/preprocess.phase.js'
export { requireTarget } from './draft/scenario.js'
