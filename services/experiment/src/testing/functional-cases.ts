import { type FaultOf } from '@ordeal/shared'

type Functional = FaultOf<'Functional'>

export interface FunctionalCase {
  readonly action: Functional['action']
  readonly parameters: object
  readonly record: RegExp
  readonly effect: RegExp
  /** Whether visitors of two replicas behind a service notice it. */
  readonly breaks: boolean
}

/** What each functional fault does to a Deployment of two replicas, on any cluster. */
export const FUNCTIONAL_CASES: readonly FunctionalCase[] = [
  { action: 'wrong-port', parameters: {}, record: /port 1$/, effect: /no endpoint/, breaks: true },
  { action: 'wrong-selector', parameters: {}, record: /selects nothing/, effect: /no endpoint/, breaks: true },
  { action: 'scale-to-zero', parameters: {}, record: /scaled to 0/, effect: /gone|being ended/, breaks: true },
  // A roll-out that does not come up leaves the pods of before alone.
  {
    action: 'bad-image',
    parameters: {},
    record: /nobody can pull/,
    effect: /ErrImagePull|ImagePullBackOff/,
    breaks: false,
  },
  {
    action: 'missing-config',
    parameters: {},
    record: /ConfigMap/,
    effect: /CreateContainerConfigError/,
    breaks: false,
  },
  { action: 'rolling-restart', parameters: {}, record: /restarted/, effect: /gone|being ended/, breaks: false },
  {
    action: 'config-change',
    parameters: { variable: 'MODE', value: 'b' },
    record: /another value/,
    effect: /gone|being ended/,
    breaks: false,
  },
  { action: 'quota-exhausted', parameters: {}, record: /no more than/, effect: /may be no other/, breaks: false },
]
