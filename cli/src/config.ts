import { homedir, userInfo } from 'node:os'
import { join, resolve } from 'node:path'
import { type LogLevel } from '@ordeal/shared'

/** What the command line takes from its environment. */
export interface CliConfig {
  /** Private working data: databases of runs in progress, the state file of `ordeal up`. */
  readonly stateDir: string
  readonly noColor: boolean
  /** Level of the services' logs on stderr; silent unless asked for, so that they do not mix with the progress. */
  readonly logLevel: LogLevel
  /** Handed on to services that run as processes of their own: kubeconfig, model, proxies. */
  readonly environment: Readonly<Record<string, string>>
}

const LEVELS: readonly LogLevel[] = ['error', 'warn', 'info', 'debug', 'silent']

function stateDirOf(env: NodeJS.ProcessEnv): string {
  if (env.XDG_STATE_HOME) return resolve(env.XDG_STATE_HOME, 'ordeal')
  // Postgres refuses to run as root, so root's working data must lie where its unprivileged user may enter.
  if (userInfo().uid === 0) return '/var/lib/ordeal'
  return join(homedir(), '.local/state/ordeal')
}

/** Reads the environment. Values that make no sense fall back to the default: none of them changes a result. */
export function readCliConfig(env: NodeJS.ProcessEnv = process.env): CliConfig {
  const level = LEVELS.find((known) => known === env.ORDEAL_LOG)
  return {
    stateDir: stateDirOf(env),
    noColor: (env.NO_COLOR ?? '') !== '',
    logLevel: level ?? 'silent',
    environment: Object.fromEntries(
      Object.entries(env).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
    ),
  }
}
