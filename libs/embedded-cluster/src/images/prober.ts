import { createProber, PROBER_ENV, proberConfigSchema, type ProberConfig, type ProberHost } from '@ordeal/prober'
import { ApiError } from '../store/api-error.js'
import { parseDestination } from '../traffic/routing.js'
import { type Image, type Program, type ProgramHost } from './program.js'

/** A read of the Kubernetes API takes about this long. */
const API_READ_MS = 2

/** `ordeal/prober:1`: the program that samples probes, the same code as on a real cluster, in virtual time. */
export const prober: Image = (host) => {
  const config = readConfig(host.env.get(PROBER_ENV))
  return typeof config === 'string' ? failing(host, config) : running(host, config)
}

function running(host: ProgramHost, config: ProberConfig): Program {
  const program = createProber(proberHost(host), config)
  program.start()
  let ended = false
  return {
    terminate: () => {
      if (ended) return
      ended = true
      program.stop()
      host.exit(0)
    },
    kill: () => {
      ended = true
      program.stop()
    },
  }
}

function proberHost(host: ProgramHost): ProberHost {
  const { kernel } = host
  return {
    now: () => kernel.now,
    at: (timeMs, run) => kernel.at(timeMs, run),
    http: ({ url, timeoutMs }, done) => {
      const to = parseDestination(url)
      if (to) host.get(to, timeoutMs, (status, error) => done({ status, error }))
      else kernel.after(0, () => done({ status: null, error: `cannot request ${url}: only http:// is modelled` }))
    },
    list: (path, done) => {
      kernel.after(API_READ_MS, () => done(list(host, path)))
    },
    log: (line) => host.log(line),
  }
}

function list(host: ProgramHost, path: string): { objects: unknown[] | null; error: string | null } {
  try {
    return { objects: host.list(path), error: null }
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    return { objects: null, error: error.message }
  }
}

function readConfig(text: string | undefined): ProberConfig | string {
  if (!text) return `${PROBER_ENV} is not set`
  try {
    return proberConfigSchema.parse(JSON.parse(text))
  } catch (error) {
    return `${PROBER_ENV}: ${error instanceof Error ? error.message : String(error)}`
  }
}

function failing(host: ProgramHost, problem: string): Program {
  const timer = host.kernel.after(1, () => {
    host.log(problem)
    host.exit(2)
  })
  return { terminate: () => undefined, kill: () => timer.cancel() }
}
