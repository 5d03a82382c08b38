import { type Condition } from '../controllers/objects.js'
import { timestamp } from '../store/object.js'

type Status = Condition['status']

/** The conditions of an autoscaler while it is looked at; a time only moves where the status does. */
export class Conditions {
  private conditions: readonly Condition[]

  constructor(
    before: readonly Condition[] | undefined,
    private readonly nowMs: number,
  ) {
    this.conditions = before ?? []
  }

  set(
    type: 'AbleToScale' | 'ScalingActive' | 'ScalingLimited',
    status: Status,
    [reason, message]: [string, string],
  ): void {
    const known = this.conditions.find((condition) => condition.type === type)
    const lastTransitionTime = known?.status === status ? known.lastTransitionTime : timestamp(this.nowMs)
    const next: Condition = { type, status, lastTransitionTime, reason, message }
    this.conditions = known
      ? this.conditions.map((condition) => (condition === known ? next : condition))
      : [...this.conditions, next]
  }

  get list(): readonly Condition[] {
    return this.conditions
  }
}
