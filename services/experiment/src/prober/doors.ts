import { RefusedError, type ClusterObject } from '@ordeal/kubernetes'
import { DeadlineError, type Probe, type SteadyStateDraft } from '@ordeal/shared'
import { ownHost } from '../sandbox/own-hosts.js'
import { type Sandbox } from '../sandbox/open-sandbox.js'

type Probed = Pick<SteadyStateDraft, 'id' | 'probe'>
type Through = NonNullable<Extract<Probe, { kind: 'http' }>['through']>
type Ingress = ClusterObject & {
  readonly status?: { readonly loadBalancer?: { readonly ingress?: readonly { ip?: string; hostname?: string }[] } }
}

/** Controllers write their address into an Ingress at once or with the next of their rounds (ingress-nginx: 60 s). */
const ADDRESS_MS = 65_000

/** Where a request through an Ingress goes, and which host it names. */
export interface Entrance {
  readonly url: string
  readonly host: string
}

/** What is the door of this machine only is no address for others. */
const isReachable = (address: string | undefined): address is string =>
  address !== undefined && address !== 'localhost' && !address.startsWith('127.')

function refOf({ namespace }: Sandbox, ingress: string): Ingress {
  const name = ingress.slice(ingress.indexOf('/') + 1)
  return { apiVersion: 'networking.k8s.io/v1', kind: 'Ingress', metadata: { name, namespace } }
}

/** The address at which a controller serves an Ingress now; undefined without one. */
async function addressOf(sandbox: Sandbox, ingress: string): Promise<string | undefined> {
  const found = await sandbox.cluster.objects.get<Ingress>(refOf(sandbox, ingress))
  const served = found?.status?.loadBalancer?.ingress ?? []
  return served.map(({ ip, hostname }) => ip ?? hostname).find(isReachable)
}

/** The entrance through an Ingress; null while no controller serves it. */
export async function entranceOf(sandbox: Sandbox, { ingress, host }: Through): Promise<Entrance | null> {
  const address = await addressOf(sandbox, ingress)
  if (address === undefined) return null
  const named = sandbox.place.mode === 'in-place' ? (host ?? address) : ownHost(host, sandbox.namespace)
  return { url: `http://${address.includes(':') ? `[${address}]` : address}`, host: named }
}

/**
 * Waits until every Ingress has an address through which a steady state's requests go. Those that have none in time, by the
 * id of the steady state, with the reason.
 */
export async function closedDoors(sandbox: Sandbox, states: readonly Probed[]): Promise<Record<string, string>> {
  const through = states.flatMap(({ id, probe }) =>
    probe.kind === 'http' && probe.through ? [{ id, ingress: probe.through.ingress }] : [],
  )
  const ingresses = [...new Set(through.map(({ ingress }) => ingress))]
  const closed = new Map<string, string>()
  await Promise.all(
    ingresses.map(async (ingress) => {
      const why = await whyClosed(sandbox, ingress)
      if (why !== null) closed.set(ingress, why)
    }),
  )
  return Object.fromEntries(
    through.flatMap(({ id, ingress }) => {
      const why = closed.get(ingress)
      return why === undefined ? [] : [[id, why]]
    }),
  )
}

async function whyClosed(sandbox: Sandbox, ingress: string): Promise<string | null> {
  const { cluster, context, namespace } = sandbox
  const check = async () => (await addressOf(sandbox, ingress)) !== undefined || undefined
  try {
    if (await check()) return null
    const { apiVersion, kind } = refOf(sandbox, ingress)
    const watch = [await cluster.objects.path({ apiVersion, kind, namespace })]
    const message = `waiting up to ${ADDRESS_MS / 1000} s for an ingress controller to serve ${ingress}`
    context.progress({ kind: 'step', message })
    await cluster.clock.waitFor(
      { what: `an address of ${ingress}`, withinMs: ADDRESS_MS, watch, check },
      context.signal,
    )
    return null
  } catch (error) {
    if (error instanceof DeadlineError) return `no controller gave it an address in ${ADDRESS_MS / 1000} s`
    if (error instanceof RefusedError) return `it cannot be read (${error.message})`
    throw error
  }
}

/** The same steady states, with those whose door is closed asking the service itself. */
export const aroundClosed = <S extends Probed>(states: readonly S[], closed: Readonly<Record<string, string>>): S[] =>
  states.map((state) => {
    if (state.probe.kind !== 'http' || closed[state.id] === undefined) return state
    const { through: _, ...probe } = state.probe
    return { ...state, probe }
  })
