import { type Application } from './applications.js'
import { SERVICES, type Fleet, type ServiceName } from './fleet.js'
import { say, walkAll, type Walked } from './walk.js'

/** What came of killing services at their points. */
export interface KilledAt {
  readonly walked: readonly Walked[]
  readonly reached: number
  /** `service point`, for those that no cycle came to. */
  readonly unreached: readonly string[]
}

const AT_ONCE = 3
/** A cycle comes to several points; when it comes to none any more, the rest is out of reach. */
const CYCLES_PER_POINT = 2

/** Kills each service at one point after the other, while cycles go on until every point was reached. */
export async function killAtPoints(
  fleet: Fleet,
  points: Readonly<Record<ServiceName, readonly string[]>>,
  applications: readonly Application[],
): Promise<KilledAt> {
  const all = SERVICES.reduce((sum, service) => sum + points[service].length, 0)
  const armed = SERVICES.map((service) => fleet.arm(service, points[service]))
  const left = (): string[] => SERVICES.flatMap((name, i) => (armed[i]?.left ?? []).map((point) => `${name} ${point}`))
  let started = 0
  const walked = await walkAll(fleet, AT_ONCE, () => {
    const togo = left().length
    if (togo === 0 || started >= all * CYCLES_PER_POINT) return null
    say(`  ${all - togo} of ${all} points; cycle ${started + 1} starts`)
    const application = applications[started++ % applications.length] as Application
    return { application, seed: 1 }
  })
  const unreached = left()
  await Promise.all(armed.map((one) => one.disarm()))
  return { walked, reached: all - unreached.length, unreached }
}
