import { connectCluster, type ClusterTarget } from '@ordeal/kubernetes'
import { newCycleId, type CycleOptions } from '@ordeal/shared'
import { type ExperimentSettings } from '../settings.js'
import { startCycle, type Application, type Cycle } from './cycle.js'

/** The real cluster of the test run (see tests/setup/real-cluster.ts). */
function realCluster(): ClusterTarget {
  const context = process.env.ORDEAL_TEST_CONTEXT
  if (!context) throw new Error('ORDEAL_TEST_CONTEXT is not set: these specs run as level `cluster`')
  return { kind: 'kubernetes', context }
}

/** Throws unless the cluster answers. Jest lets nothing be loaded between two tests, and this loads what is loaded late. */
export async function reachRealCluster(): Promise<void> {
  await connectCluster(realCluster())
}

/** A cycle of its own, in its own namespaces. */
export const startRealCycle = (
  app: Application,
  more: Partial<ExperimentSettings> = {},
  options: Partial<CycleOptions> = {},
): Promise<Cycle> =>
  startCycle(app, {
    settings: { embeddedUrl: null, kubeconfig: null, ...more },
    target: realCluster(),
    cycleId: newCycleId(),
    seed: 1,
    options,
  })
