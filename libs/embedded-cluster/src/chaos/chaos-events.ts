import { type EventRecorder, type EventText } from '../controllers/events.js'
import { type Chaos } from './status.js'

/** Chaos Mesh's controllers, each a source of events. */
export type ChaosSource = 'initFinalizers' | 'desiredphase' | 'records'

type PlainEvent = 'finalizer-inited' | 'finalizer-removed' | 'started' | 'time-up' | 'paused' | 'deleted'

/** What Chaos Mesh says, in its words. The fields also go into the event's annotations. */
export type ChaosEvent =
  | { type: PlainEvent }
  | { type: 'applied' | 'recovered'; id: string }
  | { type: 'updated'; field: string }
  | { type: 'failed'; activity: string; err: string }

export function tell(events: EventRecorder, chaos: Chaos, source: ChaosSource, event: ChaosEvent): void {
  const { type, ...fields } = event
  const annotations = Object.fromEntries(Object.entries(fields).map(([name, value]) => [PREFIX + name, String(value)]))
  events.recordOnce(
    chaos,
    { component: source },
    { ...wording(event), annotations: { ...annotations, [`${PREFIX}type`]: type } },
  )
}

const PREFIX = 'chaos-mesh.org/'

const PLAIN: Record<PlainEvent, [reason: string, message: string]> = {
  'finalizer-inited': ['FinalizerInited', 'Finalizer has been inited'],
  // The real one gives both the same reason.
  'finalizer-removed': ['FinalizerInited', 'Finalizer has been removed'],
  started: ['Started', 'Experiment has started'],
  'time-up': ['TimeUp', 'Time up according to the duration'],
  paused: ['Paused', 'Experiment has been paused'],
  deleted: ['Deleted', 'Experiment has been deleted'],
}

function wording(event: ChaosEvent): EventText {
  const normal = (reason: string, message: string): EventText => ({ type: 'Normal', reason, message })
  switch (event.type) {
    case 'applied':
      return normal('Applied', `Successfully apply chaos for ${event.id}`)
    case 'recovered':
      return normal('Recovered', `Successfully recover chaos for ${event.id}`)
    case 'updated':
      return normal('Updated', `Successfully update ${event.field} of resource`)
    case 'failed':
      return { type: 'Warning', reason: 'Failed', message: `Failed to ${event.activity}: ${event.err}` }
    default:
      return normal(...PLAIN[event.type])
  }
}
