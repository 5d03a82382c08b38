import type { StoredObject } from '../../store/object.js'
import { humanDuration } from './human-duration.js'

/** One column of kubectl's table for a kind. Priority 1 is shown with `-o wide` only. */
export interface Column {
  readonly name: string
  readonly type?: 'string' | 'integer'
  readonly format?: 'name'
  readonly priority?: 0 | 1
  /** The cell; `now` is in milliseconds since the Unix epoch. */
  readonly cell: (object: StoredObject, now: number) => string | number
}

export const NAME: Column = { name: 'Name', format: 'name', cell: ({ metadata }) => metadata.name }
export const AGE: Column = { name: 'Age', cell: ({ metadata }, now) => since(metadata.creationTimestamp, now) }

/** Time since a timestamp, as kubectl shows it. */
export function since(timestamp: string | undefined, now: number): string {
  return timestamp === undefined ? '<unknown>' : humanDuration(now - Date.parse(timestamp))
}

/** `a=1,b=2`, or `<none>`. */
export function labelText(labels: Readonly<Record<string, string>> | undefined): string {
  const pairs = Object.entries(labels ?? {}).map(([key, value]) => `${key}=${value}`)
  return pairs.sort().join(',') || '<none>'
}

/** At most three, then how many more. */
export function shortList(values: readonly string[]): string {
  const shown = values.slice(0, 3).join(',')
  if (shown === '') return '<unset>'
  return values.length > 3 ? `${shown} + ${values.length - 3} more...` : shown
}
