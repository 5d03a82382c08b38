import { timestamp } from '../store/object.js'
import { type ChaosAction, InjectionError } from './action.js'
import { type ChaosEvent } from './chaos-events.js'
import { type Chaos, type ChaosRecord, type DesiredPhase, type Phase, type RecordEvent } from './status.js'

/** Chaos Mesh keeps so many events per record. */
const MAX_EVENTS = 20

type Operation = 'Apply' | 'Recover'

export interface RecordStep {
  readonly record: ChaosRecord
  /** What is told besides. */
  readonly event: ChaosEvent | null
  /** Failed: to be tried again. */
  readonly retry: boolean
}

/**
 * Moves one record on towards the desired phase. Phases form a circle that is never cut short:
 * Not Injected → Not Injected/Wait → Injected → Injected/Wait → Not Injected.
 */
export function stepRecord(action: ChaosAction, chaos: Chaos, record: ChaosRecord, nowMs: number): RecordStep {
  const operation = operationFor(record.phase, chaos.status?.experiment?.desiredPhase)
  if (operation === null) return { record, event: null, retry: false }
  const entry = (type: RecordEvent['type'], message?: string): RecordEvent => ({
    type,
    operation,
    ...(message ? { message } : {}),
    timestamp: timestamp(nowMs),
  })
  try {
    const phase = operation === 'Apply' ? action.apply(chaos, record) : action.recover(chaos, record)
    return succeeded({ ...record, phase }, operation, entry('Succeeded'))
  } catch (error) {
    if (!(error instanceof InjectionError)) throw error
    const event: ChaosEvent = { type: 'failed', activity: `${operation.toLowerCase()} chaos`, err: error.message }
    return { record: withEvent(record, entry('Failed', error.message)), event, retry: true }
  }
}

function succeeded(record: ChaosRecord, operation: Operation, entry: RecordEvent): RecordStep {
  const { id, injectedCount, recoveredCount } = record
  if (operation === 'Apply' && record.phase === 'Injected') {
    const counted = { ...record, injectedCount: injectedCount + 1 }
    return { record: withEvent(counted, entry), event: { type: 'applied', id }, retry: false }
  }
  if (operation === 'Recover' && record.phase === 'Not Injected') {
    const counted = { ...record, recoveredCount: recoveredCount + 1 }
    return { record: withEvent(counted, entry), event: { type: 'recovered', id }, retry: false }
  }
  return { record, event: null, retry: false }
}

function operationFor(phase: Phase, desired: DesiredPhase | undefined): Operation | null {
  const goal: Phase = desired === 'Run' ? 'Injected' : 'Not Injected'
  if (phase === goal) return null
  return phase.startsWith('Not Injected') ? 'Apply' : 'Recover'
}

const withEvent = (record: ChaosRecord, event: RecordEvent): ChaosRecord => ({
  ...record,
  events: [...(record.events ?? []), event].slice(-MAX_EVENTS),
})
