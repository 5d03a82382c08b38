export { draftHypothesis, type HypothesisDraft } from './draft/draft-hypothesis.js'
export { expectByRules } from './expect/expect.js'
export { PHRASES } from './expect/phrases.js'
export { hypothesisService } from './hypothesis.service.js'
