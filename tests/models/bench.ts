import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startModelServer, type ChatRequest, type ModelServer, type Reply } from '@ordeal/agents/testing'
import { startOrdeal, type Running } from '../e2e/ordeal.js'
import { runCycle, type Application, type Ended } from './applications.js'
import { weaknessesOf } from './no-weaker.js'

/** Long enough for an answer of a server on the loopback address, and short enough to wait for one that never comes. */
const MODEL_TIMEOUT = '1s'

/** A cycle with a model, compared with the same by rules alone. */
export interface Cell {
  readonly ended: Ended
  /** How many agents' answers were used, as given or repaired, of those that were asked. */
  readonly used: number
  readonly asked: number
  /** Requests that reached the model's server. */
  readonly requests: number
  readonly problems: readonly string[]
}

/** All services with a server behind them that has several models. */
export interface Bench<Model extends string> {
  /** The cycle by rules alone, run once for each application. */
  floorOf(application: Application): Promise<Ended>
  with(model: Model, application: Application): Promise<Cell>
  close(): Promise<void>
}

/** Starts the services and the model server. Each way to answer is a model of its own, so none inherits a circuit. */
export async function startBench<Model extends string>(
  models: Readonly<Record<Model, (request: ChatRequest) => Reply>>,
): Promise<Bench<Model>> {
  const root = await mkdtemp(join(tmpdir(), 'ordeal-adversaries-'))
  // Where this runs as root, Postgres runs as somebody else and has to enter.
  await chmod(root, 0o755)
  const server = await startModelServer((request) => models[request.model as Model](request))
  const stateHome = join(root, 'state')
  const env = { ORDEAL_MODEL_URL: server.url, ORDEAL_MODEL_TIMEOUT: MODEL_TIMEOUT }
  const services = startOrdeal(['up'], stateHome, env)
  await services.until(/^Up: http/m)
  const floors = new Map<string, Promise<Ended>>()
  const run = (application: Application, model: string): Promise<Ended> =>
    runCycle(application, { model, out: join(root, `${application.name}-${model}`), stateHome })
  const floorOf = (application: Application): Promise<Ended> => {
    const known = floors.get(application.name) ?? run(application, 'none')
    floors.set(application.name, known)
    return known
  }
  return {
    floorOf,
    with: async (name, application) => {
      const floor = await floorOf(application)
      const before = server.requests.length
      const ended = await run(application, name)
      return cellOf(floor, ended, server.requests.length - before)
    },
    close: () => close({ services, server, root }),
  }
}

function cellOf(floor: Ended, ended: Ended, requests: number): Cell {
  const agents = ended.results?.agents ?? []
  return {
    ended,
    requests,
    asked: agents.length,
    used: agents.filter((agent) => agent.provenance !== 'expert').length,
    problems: weaknessesOf(floor, ended),
  }
}

async function close({
  services,
  server,
  root,
}: {
  services: Running
  server: ModelServer
  root: string
}): Promise<void> {
  services.child.kill('SIGTERM')
  const { code, stderr } = await services.ended
  await server.close()
  await rm(root, { recursive: true })
  if (code !== 0) throw new Error(`the services ended with exit ${code}:\n${stderr}`)
}
