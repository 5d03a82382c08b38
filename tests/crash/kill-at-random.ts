import { setTimeout as sleep } from 'node:timers/promises'
import { type Application } from './applications.js'
import { SERVICES, type Fleet } from './fleet.js'
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
const LONGEST_PAUSE_MS = 400
const SAY_EVERY = 20

/** Kills services at random, evenly over all cycles, while these go on. */
export async function killAtRandom(fleet: Fleet, plan: RandomKills): Promise<Walked[]> {
  const random = randomFrom(plan.seed)
  let [started, killed] = [0, 0]
  let [moved, over] = [Promise.withResolvers<void>(), false]
  const next = () => {
    if (started >= plan.cycles) return null
    const application = plan.applications[started % plan.applications.length] as Application
    const seed = plan.seeds[Math.floor(started / plan.applications.length) % plan.seeds.length] as number
    started += 1
    if (started % SAY_EVERY === 0) say(`  ${started} cycles started, ${killed} kills`)
    moved.resolve()
    moved = Promise.withResolvers()
    return { application, seed }
  }
  const kill = async (): Promise<void> => {
    for (; killed < plan.kills; killed += 1) {
      // As many kills as belong to the cycles that are on their way or over.
      while (!over && killed >= (plan.kills * started) / plan.cycles) await moved.promise
      await sleep(random.below(LONGEST_PAUSE_MS))
      await fleet.kill(random.pick(SERVICES))
    }
  }
  const killing = kill()
  const walked = await walkAll(fleet, AT_ONCE, next)
  over = true
  moved.resolve()
  await killing
  return walked
}
