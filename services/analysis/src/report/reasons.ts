import { reasonSchema, type Reason } from '@ordeal/shared'

/** Why there is no verdict, and what a user can do about it. */
export interface ReasonWords {
  why: string
  next: readonly string[]
}

const REASONS: Readonly<Record<Reason, ReasonWords>> = {
  refused: {
    why: 'A fault of the scenario must not be injected here, so nothing was tested.',
    next: [
      'The message names what stands against it; give the application what tells its pods apart: labels of its own.',
    ],
  },
  'other-hypothesis': {
    why: 'The run did not test the hypothesis that was frozen.',
    next: ['This is a fault of Ordeal; please report it with the artefacts of the cycle.'],
  },
  'baseline-broken': {
    why: 'The application did not work before any fault was injected, so a fault could prove nothing.',
    next: [
      'Deploy the manifests as they are and make them answer: image, port, missing configuration are the usual causes.',
    ],
  },
  'not-settled': {
    why: 'The application did not become ready and answer in time, so nothing was injected.',
    next: ['Look at the events of the run for the object that held it up.'],
  },
  'not-injected': {
    why: 'The fault did not reach its targets, so the application was never tested.',
    next: ['Check that the fault injector (Chaos Mesh) runs and may act on this namespace.'],
  },
  'silent-injection': {
    why: 'The injector reported the fault, but nothing changed at its target; such a run proves nothing.',
    next: [
      'Check that the fault can act in this cluster: network plug-in, container runtime, kernel.',
      'Ask for a stronger fault in the instructions.',
    ],
  },
  'not-recovered': {
    why: 'What was broken did not come back, and no check can say whether that is a weakness.',
    next: [
      'Look at what the message names: a Chaos Mesh object that is left in the namespace, or a component that stays away.',
      'Where a component stays away, give it a check in the instructions: it then counts.',
    ],
  },
  'prober-lost': {
    why: 'The measuring pod did not start or was lost, so nothing can be said of the application.',
    next: [
      'The message has the words of the scheduler or the kubelet: give its pod room, its image, and a node that the scenario does not touch.',
    ],
  },
  'no-targets': {
    why: 'The fault found no pod to act on.',
    next: ['Compare the labels of the target rule with those of the pods.', 'Check that the workload has replicas.'],
  },
  'no-checks': {
    why: 'No steady state was left that can fail, so nothing could be tested.',
    next: ['Name in the instructions what normal means for this application.'],
  },
  'rejected-by-cluster': {
    why: 'The cluster refused what the cycle needed.',
    next: ['Correct what the message names (a quota, a webhook, a right, a field), or allow it in the cluster.'],
  },
  guard: {
    why: 'A guard stopped the run before its time, and nothing had failed by then that proves a weakness.',
    next: ['Let the guard (--abort-when) wait longer, or ask for a milder fault.'],
  },
  'cluster-lost': { why: 'The connection to the cluster was lost.', next: ['Check that the cluster runs.'] },
  'not-approved': {
    why: 'People were asked before anything was broken, and nobody approved the hypothesis.',
    next: [
      'Say in the instructions what to test instead, or revise or replace the hypothesis when it is shown.',
      'Give people more time to answer with --approve-timeout.',
    ],
  },
  deadline: {
    why: 'The time for the cycle ran out before a verdict.',
    next: ['Give it more time with --deadline.', 'Ask for fewer steady states with --max-steady-states.'],
  },
}

/** Words for a reason code. A code that is not in the table keeps its own name. */
export function reasonWords(code: string | null): ReasonWords {
  const known = reasonSchema.safeParse(code)
  if (known.success) return REASONS[known.data]
  return { why: code ? `The cycle stopped: ${code}.` : 'The cycle stopped before a verdict.', next: [] }
}
