import { type CycleEvent } from '@ordeal/gateway/contract'
import { type GatewayClient } from '../stack/gateway-client.js'
import { type ApprovalDesk } from './answer-approvals.js'
import { describeEvent } from './describe-event.js'
import { Overdue } from './overdue.js'
import { type ProgressView } from './progress-view.js'

/** From the wish to stop until the cycle must be cleaned up. */
const CLEAN_UP_MS = 60_000
/** A cycle ends itself at its deadline; this much later it counts as stuck. */
const OVERDUE_MS = 60_000

/** How the wait for a cycle ended. */
export type Followed = 'finished' | 'overdue' | 'not-cleaned-up'

export interface FollowOptions {
  readonly deadlineMs: number
  /** Aborts when the user wants to stop: the cycle is then cancelled and its clean-up awaited. */
  readonly interrupt: AbortSignal
  /** Where people are asked what the cycle asks. */
  readonly desk: Pick<ApprovalDesk, 'see' | 'close'>
}

/** Shows a cycle's events until it is finished. An interrupt cancels it once; every wait has an end. */
export async function followCycle(
  client: Pick<GatewayClient, 'events' | 'cancel'>,
  id: string,
  view: ProgressView,
  options: FollowOptions,
): Promise<Followed> {
  const giveUp = new AbortController()
  let ended: Followed = 'finished'
  const stopAfter = (ms: number, why: Followed): NodeJS.Timeout =>
    setTimeout(() => {
      ended = why
      giveUp.abort()
    }, ms)
  const overdue = new Overdue(options.deadlineMs, OVERDUE_MS, () => {
    ended = 'overdue'
    giveUp.abort()
  })
  const timers: NodeJS.Timeout[] = []
  const cancel = (): void => {
    void options.desk.close()
    view.show({ mark: 'step', text: 'cancelling; the cluster is being cleaned up (again to stop at once)' })
    timers.push(stopAfter(CLEAN_UP_MS, 'not-cleaned-up'))
    // When the gateway does not hear it, the bounded wait above ends the command all the same.
    client.cancel(id).catch((error: Error) => view.show({ mark: 'bad', text: error.message }))
  }
  if (options.interrupt.aborted) cancel()
  else options.interrupt.addEventListener('abort', cancel, { once: true })
  try {
    for await (const event of client.events(id, giveUp.signal)) {
      overdue.see(event)
      show(event, view)
      options.desk.see(event)
    }
    return ended
  } finally {
    overdue.stop()
    timers.forEach(clearTimeout)
    options.interrupt.removeEventListener('abort', cancel)
    await options.desk.close()
  }
}

function show(event: CycleEvent, view: ProgressView): void {
  const line = describeEvent(event)
  if (line) view.show(line)
}
