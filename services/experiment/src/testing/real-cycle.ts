import { newCycleId } from '@ordeal/shared'
import { startCycle, type Application, type Cycle } from './cycle.js'

/** A cycle on the real cluster of the test run (see tests/setup/real-cluster.ts). */
export function startRealCycle(app: Application): Promise<Cycle> {
  const context = process.env.ORDEAL_TEST_CONTEXT
  if (!context) throw new Error('ORDEAL_TEST_CONTEXT is not set: these specs run as level `cluster`')
  return startCycle(app, {
    settings: { embeddedUrl: null, kubeconfig: null },
    target: { kind: 'kubernetes', context },
    cycleId: newCycleId(),
    seed: 1,
  })
}
