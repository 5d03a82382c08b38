import { type ExitCode } from '../exit-code.js'
import { type Host } from '../host.js'
import { readInput } from '../input.js'
import { walkTo } from '../run/run.command.js'
import { readApprovals, readCalls, readRequest } from './recording.js'

export interface ReplayOptions {
  /** The results of the cycle that is run again. */
  readonly dir: string
  /** The manifests; null for those that the cycle recorded, without their credentials. */
  readonly path: string | null
  readonly out: string
  readonly json: boolean
}

/** `ordeal replay`: runs a cycle again, with the recorded answers in the place of models. */
export async function replay({ dir, path, out, json }: ReplayOptions, host: Host): Promise<ExitCode> {
  const [recordings, approvals, { input, options }] = await Promise.all([
    readCalls(dir),
    readApprovals(dir),
    readRequest(dir),
  ])
  const given = path === null ? null : await readInput([path], options)
  const body = { project: given?.project ?? 'default', input: given?.bundle ?? input, options, recordings, approvals }
  return walkTo({ paths: [path ?? dir], cycle: options, out, json, failOn: null }, body, host)
}
