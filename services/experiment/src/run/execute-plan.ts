import { type Windows } from '@ordeal/shared'
import { type Plan, type PlannedAction } from '../plan/plan.js'
import { type Sandbox } from '../sandbox/open-sandbox.js'
import { type RunFault } from './fault.js'
import { inject, lookForEffects } from './inject.js'
import { type Problem } from './refuse.js'
import { removeFaults, takeBackFaults } from './remove-faults.js'
import { tellFault } from './tell.js'

/** What really happened. */
export interface Executed {
  readonly windows: Windows
  readonly faults: readonly RunFault[]
  readonly problem: Problem | null
}

/** Everything that the plan does at one instant in one way. */
interface Moment {
  readonly at: number
  readonly do: PlannedAction['do']
  readonly faults: readonly string[]
}

/**
 * Executes a plan, moment by moment, on the cluster's clock. A fault that cannot be injected or undone ends the run:
 * what is in force is removed, and the windows end where they were. However the run ends, no fault is left behind on
 * purpose.
 */
export async function executePlan(sandbox: Sandbox, plan: Plan, planned: readonly RunFault[]): Promise<Executed> {
  try {
    return await new Execution(sandbox, plan, planned).run()
  } catch (error) {
    if (holdsCluster(sandbox)) await takeBackFaults(sandbox).catch(() => undefined)
    throw error
  }
}

/** False when another runner has taken over: it removes what it finds, and two must not. */
const holdsCluster = ({ context: { signal } }: Sandbox): boolean =>
  !(signal.aborted && (signal.reason as { code?: string }).code === 'aborted-lease-lost')

class Execution {
  private readonly faults: Map<string, RunFault>
  private readonly inForce = new Set<string>()
  /** When the first fault was injected: what follows is timed from there. */
  private faultFrom: number | null = null
  private lastRemoval = 0

  constructor(
    private readonly sandbox: Sandbox,
    private readonly plan: Plan,
    planned: readonly RunFault[],
  ) {
    this.faults = new Map(planned.map((f) => [f.injection.fault, f]))
  }

  async run(): Promise<Executed> {
    const { clock } = this.sandbox.cluster
    const { signal } = this.sandbox.context
    const start = await clock.now()
    for (const moment of momentsOf(this.plan.actions)) {
      await clock.waitUntil(this.when(start, moment.at), signal)
      const problem = await this.perform(moment)
      if (problem) return this.cutShort(start, problem)
    }
    const from = this.when(start, this.plan.windows.fault.from)
    const to = Math.max(this.when(start, this.plan.windows.fault.to), this.lastRemoval)
    const end = to + this.plan.windows.post.to - this.plan.windows.post.from
    await clock.waitUntil(end, signal)
    return this.executed({ pre: { from: start, to: from }, fault: { from, to }, post: { from: to, to: end } }, null)
  }

  private when(start: number, offset: number): number {
    return this.faultFrom === null ? start + offset : this.faultFrom + offset - this.plan.windows.fault.from
  }

  private async perform(moment: Moment): Promise<Problem | null> {
    return moment.do === 'inject' ? this.inject(moment.faults) : this.remove(moment.faults)
  }

  private async inject(ids: readonly string[]): Promise<Problem | null> {
    this.faultFrom ??= await this.sandbox.cluster.clock.now()
    ids.forEach((id) => this.inForce.add(id))
    const { faults, problem } = await inject(this.sandbox, this.select(ids))
    this.keep(faults)
    faults.forEach((fault) => tellFault(this.sandbox.context, fault, 'injected'))
    return problem
  }

  private async remove(ids: readonly string[]): Promise<Problem | null> {
    const seen = await lookForEffects(this.sandbox, this.select(ids))
    const { faults, problem } = await removeFaults(this.sandbox, seen)
    this.keep(faults)
    ids.forEach((id) => this.inForce.delete(id))
    this.lastRemoval = await this.sandbox.cluster.clock.now()
    faults.forEach((fault) => tellFault(this.sandbox.context, fault, 'removed'))
    return problem
  }

  private async cutShort(start: number, problem: Problem): Promise<Executed> {
    const hanging = this.inForce.size > 0 ? await this.remove([...this.inForce]) : null
    const now = await this.sandbox.cluster.clock.now()
    const from = this.faultFrom ?? now
    const windows = { pre: { from: start, to: from }, fault: { from, to: now }, post: { from: now, to: now } }
    return this.executed(windows, hanging ?? problem)
  }

  private executed(windows: Windows, problem: Problem | null): Executed {
    return { windows, faults: [...this.faults.values()], problem }
  }

  private select(ids: readonly string[]): RunFault[] {
    return ids.flatMap((id) => this.faults.get(id) ?? [])
  }

  private keep(faults: readonly RunFault[]): void {
    for (const fault of faults) this.faults.set(fault.injection.fault, fault)
  }
}

function momentsOf(actions: readonly PlannedAction[]): Moment[] {
  const groups = Map.groupBy(actions, (a) => `${a.at} ${a.do}`)
  return [...groups.values()].flatMap(([first, ...rest]) =>
    first ? [{ at: first.at, do: first.do, faults: [first, ...rest].map((a) => a.fault) }] : [],
  )
}
