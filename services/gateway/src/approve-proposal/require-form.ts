import { z } from 'zod'
import { pointerOf, ProblemError } from '../api/problems.js'

/** What zod found, with the place; of a choice that fits none of its branches, what is wrong with the nearest. */
function placesOf(issues: readonly z.core.$ZodIssue[], at: readonly PropertyKey[] = []): Place[] {
  return issues.flatMap((issue) => {
    const path = [...at, ...issue.path]
    if (issue.code !== 'invalid_union') return [{ pointer: pointerOf(path), detail: issue.message }]
    const branches = issue.errors.map((branch) => placesOf(branch, path))
    const [nearest] = branches.toSorted((a, b) => depthOf(b) - depthOf(a) || a.length - b.length)
    return nearest ?? [{ pointer: pointerOf(path), detail: issue.message }]
  })
}

interface Place {
  readonly pointer: string
  readonly detail: string
}

/** How far a branch was followed before it failed. */
const depthOf = (places: readonly Place[]): number =>
  Math.max(0, ...places.map(({ pointer }) => pointer.split('/').length))

/** Throws ProblemError `unusable`, with the places, for a replacement that is not of the form that a proposal asks for. */
export function requireForm(form: Record<string, unknown>, document: unknown): void {
  const parsed = z.fromJSONSchema(form).safeParse(document)
  if (parsed.success) return
  const errors = placesOf(parsed.error.issues, ['document']).slice(0, 20)
  const words = errors.slice(0, 3).map(({ pointer, detail }) => `${pointer}: ${detail}`)
  throw new ProblemError('unusable', words.join('; '), errors)
}
