import { type ServiceName } from './fleet.js'

const MESSAGE = ['message:before-commit', 'message:committed', 'message:acked']
const RELAY = ['relay:claimed', 'relay:published', 'relay:marked']
const PHASE = ['phase:claimed', 'phase:before-end', 'phase:ended']

const steps = (...names: string[]): string[] =>
  names.flatMap((name) => [`step:before:${name}`, `step:worked:${name}`, `step:recorded:${name}`])

const MEASURE = ['cluster', 'settle', 'baseline', 'control-0']
/** A plan with one fault has two moments: it is injected, it is removed. */
const RUN = ['begin', 'moment-0-due', 'moment-0', 'moment-1-due', 'moment-1', 'run']

/** Every settlement point of every service: where an effect and its record are apart. */
export const points: Readonly<Record<ServiceName, readonly string[]>> = {
  gateway: [...MESSAGE, ...RELAY],
  hypothesis: [...MESSAGE, ...RELAY, ...PHASE, ...steps('read', 'draft', 'fault-scenario', 'hypothesis.proposal-1')],
  experiment: [...MESSAGE, ...RELAY, ...PHASE, ...steps(...MEASURE, ...RUN, 'clean')],
  analysis: [...MESSAGE, ...RELAY, ...PHASE, ...steps('diagnosis')],
  improvement: [...MESSAGE, ...RELAY, ...PHASE, ...steps('patch-1.proposal-1')],
}
