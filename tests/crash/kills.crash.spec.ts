import { applications } from './applications.js'
import { cameTo, runsOf, startCycle, untilFinished, type Told } from './cycles.js'
import { SERVICES, startFleet, type Fleet, type ServiceName } from './fleet.js'
import { killAtRandom } from './kill-at-random.js'
import { leftovers, lostLeases } from './leftovers.js'
import { learn, say, walk, type Undisturbed, type Walked } from './walk.js'

const MINUTE = 60_000
const SEEDS = [1, 2]
const CYCLES = 100
const KILLS = 200
/** How long a cycle may take that was killed in the middle of something. */
const WITHIN_MS = 2 * MINUTE

const [kept, bare] = applications as [(typeof applications)[0], (typeof applications)[0]]

const isInjection = ({ type, data }: Told): boolean =>
  type === 'progress' && data.kind === 'fault' && (data.data as { what?: string }).what === 'injected'

describe('kill -9', () => {
  let fleet: Fleet
  let undisturbed: Undisturbed
  beforeAll(async () => {
    fleet = await startFleet()
    undisturbed = await learn(fleet, applications, SEEDS)
  }, 2 * MINUTE)
  afterAll(() => fleet.stop(), MINUTE)

  const expectNoTrace = async (walked: readonly Walked[]): Promise<void> => {
    expect(walked.flatMap((one) => undisturbed.differences(one))).toEqual([])
    expect(await leftovers(fleet)).toEqual([])
  }

  /** Kills a service when a cycle first tells what `when` waits for; answers the faults in force at that moment. */
  const killWhen = async (service: ServiceName, when: (told: Told) => boolean): Promise<[Walked, number]> => {
    const id = await startCycle(fleet, bare, 1)
    let killed: Promise<number> | undefined
    const kill = async (): Promise<number> => {
      await fleet.kill(service)
      return faultsOf(id)
    }
    await untilFinished(fleet, id, WITHIN_MS, (told) => {
      if (!killed && when(told)) killed = kill()
    })
    const walked = { application: bare, seed: 1, id, came: await cameTo(fleet, id), runs: [], cutShortAt: 0 }
    return [walked, (await killed) ?? -1]
  }

  const faultsOf = async (id: string): Promise<number> => {
    const url = `${fleet.embeddedUrl}/clusters/${id}/apis/chaos-mesh.org/v1alpha1/podchaos`
    const found = (await (await fetch(url)).json()) as { items?: unknown[] }
    return found.items?.length ?? 0
  }

  it.each(SERVICES)(
    'of %s in the middle of cycles changes nothing',
    async (service) => {
      const walking = Promise.all(applications.map((application) => walk(fleet, { application, seed: 1 })))
      let over = false
      void walking.finally(() => (over = true))
      let kills = 0
      for (; !over && kills < 3; kills += 1) await fleet.kill(service)
      say(`${service} was killed ${kills} times in the middle of ${applications.length} cycles`)
      await expectNoTrace(await walking)
    },
    4 * MINUTE,
  )

  it(
    'is not what a service needs: SIGTERM hands its work back, and no lease has to run out',
    async () => {
      const before = await lostLeases(fleet)
      const walking = Promise.all(applications.map((application) => walk(fleet, { application, seed: 1 })))
      for (const service of SERVICES) await fleet.kill(service, 'SIGTERM')
      await expectNoTrace(await walking)
      expect(await lostLeases(fleet)).toBe(before)
      say('each service was stopped by SIGTERM in the middle of 3 cycles; no lease was lost')
    },
    3 * MINUTE,
  )

  it(
    'of the experiment service in the middle of a fault takes its run up where it was, or begins it anew, and says which',
    async () => {
      let [tries, caught] = [0, 0]
      for (; caught === 0 && tries < 8; tries += 1) {
        const [walked, faults] = await killWhen('experiment', isInjection)
        expect(walked.came.outcome).toBe('improved')
        if (faults <= 0) continue
        caught += 1
        const [run] = await runsOf(fleet, walked.id)
        expect(run?.resumed ?? run?.attempt).toBeGreaterThan(0)
      }
      say(`the experiment service was killed with a fault in force at try ${tries}`)
      expect(caught).toBe(1)
      expect(await leftovers(fleet)).toEqual([])
    },
    4 * MINUTE,
  )

  it(
    'of Postgres, and a restart of NATS, in the middle of cycles change nothing',
    async () => {
      const walking = Promise.all(
        [...applications, ...applications].map((application) => walk(fleet, { application, seed: 2 })),
      )
      await fleet.servers.killPostgres()
      await fleet.servers.restartNats()
      await fleet.servers.killPostgres()
      say('Postgres was killed twice and NATS restarted in the middle of 6 cycles')
      await expectNoTrace(await walking)
    },
    4 * MINUTE,
  )

  it(
    'of the embedded clusters’ server ends the cycles on it as lost, and lets others begin',
    async () => {
      const id = await startCycle(fleet, kept, 1)
      let killed: Promise<void> | undefined
      await untilFinished(fleet, id, WITHIN_MS, ({ type, data }) => {
        if (!killed && type === 'progress' && data.service === 'experiment') killed = fleet.kill('embedded-cluster')
      })
      await killed
      expect(await cameTo(fleet, id)).toMatchObject({ outcome: 'failed', problem: expect.stringContaining('cluster') })
      await expectNoTrace([await walk(fleet, { application: kept, seed: 1 })])
    },
    3 * MINUTE,
  )

  it(
    `${KILLS} times at random over ${CYCLES} cycles changes nothing`,
    async () => {
      const walked = await killAtRandom(fleet, { applications, seeds: SEEDS, cycles: CYCLES, kills: KILLS, seed: 20 })
      say(`${KILLS} kills over ${walked.length} cycles; ${await lostLeases(fleet)} leases were lost`)
      say(undisturbed.tally(walked))
      expect(walked).toHaveLength(CYCLES)
      await expectNoTrace(walked)
    },
    10 * MINUTE,
  )
})
