import { formatDuration } from '@ordeal/shared'

/** Without the fields that nobody gave. */
export const given = (fields: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined))

/** A duration as Go reads it, to the microsecond: of a network, a fraction of a millisecond is something. */
export const goDuration = (ms: number): string =>
  Number.isInteger(ms) ? formatDuration(ms) : `${Math.round(ms * 1000)}us`
