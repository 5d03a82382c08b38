import { TerminalError } from '../errors.js'

/** The artefact, or a terminal error: an earlier phase of the cycle must have put it. */
export function required<T>(found: T | null, kind: string): T {
  if (found === null) throw new TerminalError('artefact-missing', `the cycle has no artefact '${kind}'`)
  return found
}
