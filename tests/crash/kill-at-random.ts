import { setTimeout as sleep } from 'node:timers/promises'
import { type Application } from './applications.js'
import { SERVICES, type Fleet, type ServiceName } from './fleet.js'
import { randomFrom } from './random.js'
import { say, walkAll, type Walked } from './walk.js'

export interface RandomKills {
  readonly applications: readonly Application[]
  readonly seeds: readonly number[]
  readonly cycles: number
  readonly kills: number
  /** Of the random numbers that choose whom to kill and when. */
  readonly seed: number
}

const AT_ONCE = 4
const KILLERS = 2
const LONGEST_PAUSE_MS = 300
const SAY_EVERY = 20

/** Lets cycles and kills go on side by side, neither ahead of the other: a kill after the last cycle proves nothing. */
class Pace {
  private started = 0
  private killed = 0
  private moved = Promise.withResolvers<void>()

  constructor(private readonly plan: Pick<RandomKills, 'cycles' | 'kills'>) {}

  /** Resolves with the number of the next cycle, or null when there were enough. */
  async nextCycle(): Promise<number | null> {
    const { cycles, kills } = this.plan
    while (this.killed / kills < (this.started - AT_ONCE) / cycles) await this.moved.promise
    if (this.started === cycles) return null
    this.move()
    if (this.started % SAY_EVERY === 0) say(`  ${this.started} cycles started, ${this.killed} kills`)
    return this.started++
  }

  /** Resolves with whether another kill is due. */
  async nextKill(): Promise<boolean> {
    const { cycles, kills } = this.plan
    while (this.started < cycles && this.killed / kills >= this.started / cycles) await this.moved.promise
    if (this.killed === kills) return false
    this.killed += 1
    this.move()
    return true
  }

  private move(): void {
    this.moved.resolve()
    this.moved = Promise.withResolvers()
  }
}

/** Kills services at random, evenly over all cycles, while these go on. */
export async function killAtRandom(fleet: Fleet, plan: RandomKills): Promise<Walked[]> {
  const random = randomFrom(plan.seed)
  const pace = new Pace(plan)
  const next = async () => {
    const number = await pace.nextCycle()
    if (number === null) return null
    const application = plan.applications[number % plan.applications.length] as Application
    const seed = plan.seeds[Math.floor(number / plan.applications.length) % plan.seeds.length] as number
    return { application, seed }
  }
  // Each has services of its own: what is down cannot be killed.
  const kill = async (services: readonly ServiceName[]): Promise<void> => {
    while (await pace.nextKill()) {
      await sleep(random.below(LONGEST_PAUSE_MS))
      await fleet.kill(random.pick(services))
    }
  }
  const killing = Array.from({ length: KILLERS }, (_, n) => kill(SERVICES.filter((_, i) => i % KILLERS === n)))
  const [walked] = await Promise.all([walkAll(fleet, AT_ONCE, next), ...killing])
  return walked
}
