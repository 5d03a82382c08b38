import { injectionSchema, runProblem, type Injection, type Windows } from '@ordeal/shared'
import { z } from 'zod'
import { type Plan, type PlannedAction } from '../plan/plan.js'
import { type Sandbox } from '../sandbox/open-sandbox.js'
import { takingBack } from '../undo/take-back.js'
import { awaitHealth, hitComponents, type Recovery } from './await-health.js'
import { type Thread } from './begin-run.js'
import { type RunFault } from './fault.js'
import { tripped, type Watch } from './guard-run.js'
import { inject, lookForEffects } from './inject.js'
import { type Problem } from './refuse.js'
import { removeFaults } from './remove-faults.js'
import { LATE_MS, takeUp, ThreadLostError } from './take-up.js'
import { asInjectedThen, assertMade, removeEnded } from './too-late.js'
import { tellFault } from './tell.js'

/** What really happened. */
export interface Executed {
  readonly windows: Windows
  readonly faults: readonly RunFault[]
  /** How the components that were hit came back; null where the run was cut short. */
  readonly recovery: Recovery | null
  readonly problem: Problem | null
}

/** A run under way, with what of its plan is kept under which names. */
export interface Execution {
  readonly plan: Plan
  readonly thread: Thread
  readonly planned: readonly RunFault[]
  /** What stops the run while faults are in force. */
  readonly watches: readonly Watch[]
  /** Begins the names of the durable steps: those of a run that was begun anew are its own. */
  readonly steps: string
}

/** Everything that the plan does at one instant in one way. */
interface Moment {
  readonly at: number
  readonly do: PlannedAction['do']
  readonly faults: readonly string[]
}

/** When a moment came, or why it did not. */
const dueSchema = z.object({ at: z.number(), stopped: z.string().nullable() })
type Due = z.infer<typeof dueSchema>

/** How often guards look at the samples. */
const GUARD_MS = 1000

/** What came of a moment. */
const doneSchema = z.object({
  injections: z.array(injectionSchema),
  problem: z.object({ reason: runProblem, message: z.string() }).nullable(),
  at: z.number(),
})
type Done = z.infer<typeof doneSchema>

/**
 * Executes a plan, moment by moment, on the cluster's clock. A fault that cannot be injected or undone ends the run:
 * what is in force is removed, and the windows end where they were. However the run ends, no fault is left behind on
 * purpose.
 *
 * Each moment is two durable steps, its time and what came of it, so that a later attempt finds out where the run was
 * and goes on there; what happened at its time without anybody to write it down is taken from the cluster's own record.
 * Throws ThreadLostError when something did not happen at its time, or was undone meanwhile.
 */
export function executePlan(sandbox: Sandbox, execution: Execution): Promise<Executed> {
  return takingBack(sandbox, () => new Executor(sandbox, execution).run())
}

class Executor {
  private readonly faults: Map<string, RunFault>
  private readonly inForce = new Set<string>()
  /** When the first fault was injected: what follows is timed from there. */
  private faultFrom: number | null = null
  private lastRemoval = 0
  /** False as long as nothing was done but read what an earlier attempt did. */
  private takenUp: boolean

  constructor(
    private readonly sandbox: Sandbox,
    private readonly of: Execution,
  ) {
    this.faults = new Map(of.planned.map((f) => [f.injection.fault, f]))
    this.takenUp = of.thread.attempt === sandbox.context.attempt
  }

  async run(): Promise<Executed> {
    const { plan, thread } = this.of
    const start = thread.startedAt
    for (const [index, moment] of momentsOf(plan.actions).entries()) {
      const { at, stopped } = await this.arrive(index, moment, this.when(start, moment.at))
      if (stopped) return this.cutShort(start, { reason: 'guard', message: `the run was stopped: ${stopped}` })
      const { problem } = await this.perform(index, moment, at)
      if (problem) return this.cutShort(start, problem)
    }
    const from = this.when(start, plan.windows.fault.from)
    const to = Math.max(this.when(start, plan.windows.fault.to), this.lastRemoval)
    const end = to + plan.windows.post.to - plan.windows.post.from
    await this.takeUp()
    const hits = hitComponents([...this.faults.values()])
    const recovery = await awaitHealth(this.sandbox, hits, { since: to, until: end })
    await this.sandbox.cluster.clock.waitUntil(end, this.sandbox.context.signal)
    const windows = { pre: { from: start, to: from }, fault: { from, to }, post: { from: to, to: end } }
    return { ...this.executed(windows, null), recovery }
  }

  private when(start: number, offset: number): number {
    return this.faultFrom === null ? start + offset : this.faultFrom + offset - this.of.plan.windows.fault.from
  }

  /** Waits for a moment. A guard ends the wait. */
  private arrive(index: number, moment: Moment, planned: number): Promise<Due> {
    const { cluster, context } = this.sandbox
    return this.step(`moment-${index}-due`, dueSchema, async () => {
      const late = await this.lateness(planned)
      // Faults end by their duration when nobody comes to remove them.
      if (late && moment.do === 'remove') return { at: planned, stopped: null }
      if (late) throw new ThreadLostError(`what was planned next is ${Math.ceil(late / 1000)} s late`)
      const stopped = this.guarded ? await this.watchUntil(planned) : null
      if (!stopped) await cluster.clock.waitUntil(planned, context.signal)
      return { at: await cluster.clock.now(), stopped }
    })
  }

  private get guarded(): boolean {
    return this.of.watches.length > 0 && this.inForce.size > 0
  }

  private async watchUntil(planned: number): Promise<string | null> {
    const { cluster, context } = this.sandbox
    for (;;) {
      const now = await cluster.clock.now()
      if (now >= planned) return null
      await cluster.clock.waitUntil(Math.min(planned, now + GUARD_MS), context.signal)
      const stopped = tripped(this.of.watches, await this.of.thread.prober.samples(), this.faultFrom ?? now)
      if (stopped) return stopped
    }
  }

  private async perform(index: number, moment: Moment, at: number): Promise<Done> {
    if (moment.do === 'inject') this.faultFrom ??= at
    // What is being removed may be gone already when an attempt takes up a removal that another one began.
    else moment.faults.forEach((id) => this.inForce.delete(id))
    const done = await this.step(`moment-${index}`, doneSchema, async () => {
      if (await this.lateness(at)) return moment.do === 'inject' ? this.adopt(moment, at) : this.findRemoved(moment, at)
      return moment.do === 'inject' ? this.inject(moment.faults) : this.remove(moment.faults, at)
    })
    this.keep(moment, done)
    return done
  }

  private async step<T>(name: string, schema: z.ZodType<T>, work: () => Promise<T>): Promise<T> {
    return this.sandbox.context.step(`${this.of.steps}${name}`, schema, async () => {
      await this.takeUp()
      return work()
    })
  }

  private async takeUp(): Promise<void> {
    if (this.takenUp) return
    await takeUp(this.sandbox, this.of.thread, this.select([...this.inForce]))
    this.takenUp = true
  }

  /**
   * How many ms too late it is for something; 0 in time. Only an attempt that takes a run up can be late: what one attempt
   * does takes the time that it takes.
   */
  private async lateness(planned: number): Promise<number> {
    if (this.of.thread.attempt === this.sandbox.context.attempt) return 0
    const late = (await this.sandbox.cluster.clock.now()) - planned
    return late > LATE_MS ? late : 0
  }

  private async inject(ids: readonly string[]): Promise<Done> {
    ids.forEach((id) => this.inForce.add(id))
    const { faults, problem } = await inject(this.sandbox, this.select(ids))
    faults.forEach((fault) => tellFault(this.sandbox.context, fault, 'injected'))
    return this.done(faults, problem)
  }

  /** Reads what came of an injection that an earlier attempt made. */
  private async adopt({ faults: ids }: Moment, at: number): Promise<Done> {
    await assertMade(this.sandbox, this.select(ids), at)
    const { injections, problem, at: doneAt } = await this.inject(ids)
    injections.forEach((injection) => this.keepInjection(injection))
    const then = await asInjectedThen(this.sandbox, this.select(ids), at)
    return { injections: then.map(({ injection }) => injection), problem, at: doneAt }
  }

  /** Removes what ended without anybody to see it; the run goes on as from the time at which it did. */
  private async findRemoved({ faults: ids }: Moment, at: number): Promise<Done> {
    const { faults, problem } = await removeEnded(this.sandbox, this.select(ids), at)
    faults.forEach((fault) => tellFault(this.sandbox.context, fault, 'removed'))
    const ends = faults.flatMap(({ injection }) => injection.recoveredAt ?? [])
    const timed = faults.map((fault) => withRemovalTime(fault, at))
    return { ...(await this.done(timed, problem)), ...(problem ? {} : { at: Math.max(at, ...ends) }) }
  }

  /** `from` is when the removal began, whichever attempt began it. */
  private async remove(ids: readonly string[], from: number): Promise<Done> {
    const seen = await lookForEffects(this.sandbox, this.select(ids))
    const { faults, problem } = await removeFaults(this.sandbox, seen)
    faults.forEach((fault) => tellFault(this.sandbox.context, fault, 'removed'))
    return this.done(
      faults.map((fault) => withRemovalTime(fault, from)),
      problem,
    )
  }

  private async done(faults: readonly RunFault[], problem: Problem | null): Promise<Done> {
    return { injections: faults.map((f) => f.injection), problem, at: await this.sandbox.cluster.clock.now() }
  }

  private keep(moment: Pick<Moment, 'do' | 'faults'>, { injections, at }: Done): void {
    injections.forEach((injection) => this.keepInjection(injection))
    if (moment.do === 'inject') moment.faults.forEach((id) => this.inForce.add(id))
    else this.lastRemoval = at
  }

  private keepInjection(injection: Injection): void {
    const fault = this.faults.get(injection.fault)
    if (fault) this.faults.set(injection.fault, { ...fault, injection })
  }

  private async cutShort(start: number, problem: Problem): Promise<Executed> {
    const hanging = this.inForce.size > 0 ? await this.removeAll() : null
    const now = await this.sandbox.cluster.clock.now()
    const from = this.faultFrom ?? now
    const windows = { pre: { from: start, to: from }, fault: { from, to: now }, post: { from: now, to: now } }
    return this.executed(windows, hanging ?? problem)
  }

  private async removeAll(): Promise<Problem | null> {
    const faults = [...this.inForce]
    this.inForce.clear()
    const done = await this.remove(faults, await this.sandbox.cluster.clock.now())
    this.keep({ do: 'remove', faults }, done)
    return done.problem
  }

  private executed(windows: Windows, problem: Problem | null): Executed {
    return { windows, faults: [...this.faults.values()], recovery: null, problem }
  }

  private select(ids: readonly string[]): RunFault[] {
    return ids.flatMap((id) => this.faults.get(id) ?? [])
  }
}

function withRemovalTime(fault: RunFault, from: number): RunFault {
  const { recoveredAt } = fault.injection
  if (recoveredAt === null) return fault
  return { ...fault, injection: { ...fault.injection, goneAfterMs: Math.max(0, Math.round(recoveredAt - from)) } }
}

function momentsOf(actions: readonly PlannedAction[]): Moment[] {
  const groups = Map.groupBy(actions, (a) => `${a.at} ${a.do}`)
  return [...groups.values()].flatMap(([first, ...rest]) =>
    first ? [{ at: first.at, do: first.do, faults: [first, ...rest].map((a) => a.fault) }] : [],
  )
}
