import { objectIdOf, type ClusterObject } from '@ordeal/kubernetes'
import { type ProberConfig } from '@ordeal/prober'
import { DeadlineError, type SteadyStateDraft } from '@ordeal/shared'
import { closedDoors } from '../prober/doors.js'
import { startProber, type RunningProber } from '../prober/prober-pod.js'
import { awaitReady } from './await-ready.js'
import { findCause, type Cause } from './find-cause.js'
import { type Sandbox } from './open-sandbox.js'
import { awaitAnswers } from './await-answers.js'

type Probed = Pick<SteadyStateDraft, 'id' | 'probe'>

/** What is brought up, and by what its prober tells that it works. */
export interface BringUp {
  readonly objects: readonly ClusterObject[]
  readonly proberName: string
  /** Asked for when the application is ready: its pods are known by then. */
  readonly proberConfig: () => Promise<ProberConfig>
  /** What must answer several times running. */
  readonly entryPoints: readonly Probed[]
}

export type Settled = { readonly settled: true; readonly prober: RunningProber } | ({ readonly settled: false } & Cause)

/** Waits until the application is ready and its entry points answer; else finds out why they do not. */
export async function settle(sandbox: Sandbox, { objects, ...how }: BringUp): Promise<Settled> {
  try {
    await awaitReady(sandbox, objects)
  } catch (error) {
    if (!(error instanceof DeadlineError)) throw error
    const sawInstead = { cause: error.message, objects: objects.map(objectIdOf) }
    return { settled: false, ...(await findCause(sandbox, sawInstead)) }
  }
  const [shut] = Object.entries(await closedDoors(sandbox, how.entryPoints))
  if (shut) return { settled: false, cause: `${shut[0]} cannot be asked through its Ingress: ${shut[1]}`, objects: [] }
  const prober = await startProber(sandbox, how.proberName, await how.proberConfig())
  const silence = await awaitAnswers(sandbox, prober, how.entryPoints)
  if (!silence) return { settled: true, prober }
  await prober.stop()
  return { settled: false, ...(await findCause(sandbox, silence)) }
}
