import { type Application } from './applications.js'
import { cameTo, runsOf, startCycle, untilFinished, type Came } from './cycles.js'
import { type Fleet } from './fleet.js'
import { type Run } from '@ordeal/shared'

/** A cycle on its way. */
export interface Walk {
  readonly application: Application
  readonly seed: number
}

/** A cycle that ended. */
export interface Walked extends Walk {
  readonly id: string
  readonly came: Came
  readonly runs: readonly Run[]
  /** The first revision of which an attempt on the cluster was cut short: from there on its history is its own. */
  readonly cutShortAt: number
}

/**
 * A cycle that does not end within this has lost something. One may be killed dozens of times, and each costs a lease that
 * runs out and the start of a process.
 */
const WITHIN_MS = 480_000

export async function walk(fleet: Fleet, { application, seed }: Walk): Promise<Walked> {
  const id = await startCycle(fleet, application, seed)
  await untilFinished(fleet, id, WITHIN_MS)
  return {
    application,
    seed,
    id,
    came: await cameTo(fleet, id),
    runs: await runsOf(fleet, id),
    cutShortAt: await cutShortAt(fleet, id),
  }
}

async function cutShortAt({ servers }: Fleet, id: string): Promise<number> {
  const [row] = await servers.store.withPlumbing((tx) =>
    tx.query<{ revision: number | null }>(
      `select min(revision) as revision from experiment.phases
       where cycle_id = $1 and phase in ('measure', 'run') and token > 1`,
      [id],
    ),
  )
  return row?.revision ?? Infinity
}

/** Walks cycle after cycle, `atOnce` of them side by side, for as long as `next` gives one. */
export async function walkAll(
  fleet: Fleet,
  atOnce: number,
  next: () => Walk | null | Promise<Walk | null>,
): Promise<Walked[]> {
  const walked: Walked[] = []
  const go = async (): Promise<void> => {
    for (let one = await next(); one !== null; one = await next()) walked.push(await walk(fleet, one))
  }
  await Promise.all(Array.from({ length: atOnce }, go))
  return walked
}

/** What a cycle comes to when nothing disturbs it, by application and seed; found out once each. */
export class Undisturbed {
  private readonly known = new Map<string, Walked>()

  private static key = ({ application, seed }: Walk): string => `${application.name} ${seed}`

  keep(walked: Walked): void {
    this.known.set(Undisturbed.key(walked), walked)
  }

  /** How the runs of cycles that were disturbed relate to those that were not, in words. */
  tally(walked: readonly Walked[]): string {
    const runs = walked.flatMap((one) => {
      const expected = this.known.get(Undisturbed.key(one))?.runs ?? []
      return one.runs.map((run) => ({ run, same: expected.some((other) => comparable(other) === comparable(run)) }))
    })
    const same = runs.filter((one) => one.same).length
    const anew = runs.filter(({ run }) => run.attempt !== undefined).length
    const resumed = runs.filter(({ run }) => run.resumed !== undefined).length
    return (
      `${same} of ${runs.length} runs have the samples of an undisturbed one; ` +
      `${anew} were begun anew and ${resumed} gone on with, and say so`
    )
  }

  /** In words, everything in which a cycle that was disturbed differs from one that was not, unless it says so. */
  differences(walked: Walked): string[] {
    const expected = this.known.get(Undisturbed.key(walked))
    const name = `${walked.id} (${Undisturbed.key(walked)})`
    if (!expected) return [`${name} has nothing to be compared with`]
    const [is, was] = [JSON.stringify(walked.came), JSON.stringify(expected.came)]
    return [
      ...(is === was ? [] : [`${name} came to ${is}, not ${was}`]),
      ...expected.runs.flatMap((run) => runDifferences(name, run, walked)),
    ]
  }
}

function runDifferences(name: string, expected: Run, { runs, cutShortAt }: Walked): string[] {
  const own = runs.filter((run) => run.revision === expected.revision)
  const [run] = own
  if (!run || own.length > 1) return [`${name} has ${own.length} runs of r${expected.revision}`]
  // What an attempt did on the cluster before it was cut short moved its time or used up its random numbers.
  if (run.revision >= cutShortAt) return []
  return firstDifference(run, expected).map((where) => `${name}: r${run.revision} differs ${where}`)
}

/** Walks each application with each seed, undisturbed. */
export async function learn(
  fleet: Fleet,
  applications: readonly Application[],
  seeds: readonly number[],
): Promise<Undisturbed> {
  const undisturbed = new Undisturbed()
  const walks = applications.flatMap((application) => seeds.map((seed) => ({ application, seed })))
  const names = walks.length
  for (const walked of await walkAll(fleet, 2, () => walks.shift() ?? null)) undisturbed.keep(walked)
  say(`  ${names} cycles walked undisturbed`)
  return undisturbed
}

/** Names that derive from the cycle's id are all that may differ. */
const comparable = (run: Run): string => JSON.stringify(run).replaceAll(/cyc-[a-z0-9]{16}/g, 'cyc')

/** Where two runs differ first, with a few words of both around it. */
function firstDifference(run: Run, expected: Run): string[] {
  const [is, was] = [comparable(run), comparable(expected)]
  if (is === was) return []
  const at = [...is].findIndex((letter, index) => letter !== was[index])
  const around = (text: string): string => text.slice(Math.max(0, at - AROUND), at + AROUND)
  return [`at ${at}: …${around(is)}… not …${around(was)}…`]
}

const AROUND = 150

/** A line of what is going on, for those who wait. */
export const say = (line: string): void => void process.stderr.write(`${line}\n`)
