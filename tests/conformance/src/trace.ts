import { Document, isScalar, isSeq, parse, visit } from 'yaml'

/** A value of one aspect of an object, and when (s since the scenario began) it took it. */
export interface Entry {
  readonly at: number
  readonly value: string
}

/** The values of each aspect, one after another; for `events` each value is an event, as it was first said. */
export type Tracks = Readonly<Record<string, readonly Entry[]>>

/** What a scenario looked like on one cluster, with everything masked that differs from run to run. */
export interface Trace {
  readonly scenario: string
  /** Version of the cluster's API server. */
  readonly cluster: string
  /** When each step began, and when the last one ended. */
  readonly steps: readonly number[]
  /** What the server said to each step. */
  readonly answers: readonly (readonly string[])[]
  /** By masked name; objects with generated names share one. */
  readonly objects: Readonly<Record<string, readonly Tracks[]>>
  /** The share of requests that were answered well, by step; null where there were none. */
  readonly traffic: readonly (number | null)[] | null
}

/** A trace as it is kept: readable, and small enough to be reviewed. */
export function formatTrace(trace: Trace): string {
  const objects = Object.entries(trace.objects).map(([name, lives]) => [name, lives.map(formatTracks)])
  const document = new Document(
    { ...trace, objects: Object.fromEntries(objects) as unknown },
    { aliasDuplicateObjects: false },
  )
  visit(document, {
    Seq: (_, sequence) => {
      sequence.flow = sequence.items.every((item) => isScalar(item) || (isSeq(item) && item.items.every(isScalar)))
    },
  })
  return document.toString({ lineWidth: 0, flowCollectionPadding: false })
}

const formatTracks = (tracks: Tracks): Record<string, string[]> =>
  Object.fromEntries(
    Object.entries(tracks).map(([name, entries]) => [name, entries.map(({ at, value }) => `${at} ${value}`)]),
  )

interface Kept extends Omit<Trace, 'objects'> {
  readonly objects: Readonly<Record<string, readonly Record<string, readonly string[]>[]>>
}

/** Reads what `formatTrace` wrote. */
export function parseTrace(text: string): Trace {
  const kept = parse(text) as Kept
  const objects = Object.entries(kept.objects).map(([name, lives]) => [name, lives.map(parseTracks)])
  return { ...kept, objects: Object.fromEntries(objects) as Trace['objects'] }
}

const parseTracks = (tracks: Record<string, readonly string[]>): Tracks =>
  Object.fromEntries(Object.entries(tracks).map(([name, entries]) => [name, entries.map(parseEntry)]))

function parseEntry(text: string): Entry {
  const space = text.indexOf(' ')
  return { at: Number(text.slice(0, space)), value: text.slice(space + 1) }
}
