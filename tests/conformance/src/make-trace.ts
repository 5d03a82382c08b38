import { type ClusterObject } from '@ordeal/kubernetes'
import { createMasks, type Masks, subjectOf } from './masks.js'
import { aspectsOf } from './project.js'
import { type Life } from './record.js'
import { type Entry, type Trace, type Tracks } from './trace.js'

/** What one run of a scenario left. Times are ms of the cluster's clock. */
export interface Run {
  readonly scenario: string
  readonly cluster: string
  readonly namespace: string
  readonly nodes: readonly string[]
  readonly steps: readonly number[]
  readonly answers: readonly (readonly string[])[]
  readonly lives: readonly Life[]
  /** When each request was due, and whether it was answered well; null without traffic. */
  readonly requests: readonly { readonly at: number; readonly ok: boolean }[] | null
}

/** Chaos Mesh's own plumbing, which is not part of what a user of it sees. */
const UNFOLLOWED = new Set(['PodNetworkChaos'])

/** An aspect that is not there any more. */
export const ABSENT = '-'

type Recorded = Record<string, Entry[]>

/** The trace of a run: what is comparable of it. */
export function makeTrace(run: Run): Trace {
  const startMs = run.steps[0] ?? 0
  const since = (at: number) => Math.round((at - startMs) / 100) / 10
  return {
    scenario: run.scenario,
    cluster: run.cluster,
    steps: run.steps.map(since),
    ...maskedParts(run, since),
    traffic: run.requests && shares(run.steps, run.requests),
  }
}

function maskedParts(run: Run, since: (at: number) => number): Pick<Trace, 'answers' | 'objects'> {
  const masks = createMasks(run.lives, run)
  const objects: Record<string, Recorded[]> = {}
  const byUid = new Map<string, Recorded>()
  for (const life of run.lives.filter(({ kind }) => kind !== 'Event').sort(byBirth)) {
    const tracks = tracksOf(life, masks, since)
    byUid.set(life.uid, tracks)
    ;(objects[masks.nameOf(life)] ??= []).push(tracks)
  }
  for (const life of run.lives.filter(({ kind }) => kind === 'Event').sort(byBirth)) {
    const event = life.states.at(-1)?.object
    if (!event || UNFOLLOWED.has(subjectOf(event).kind)) continue
    const tracks = byUid.get(subjectOf(event).uid) ?? strangers(objects, event, masks)
    addEvent((tracks.events ??= []), { event, at: since(bornAt(life)), text: textOf(event, masks) })
  }
  return { answers: run.answers.map((texts) => texts.map((text) => masks.text(text))), objects: sorted(objects) }
}

const bornAt = ({ states }: Life): number => states[0]?.at ?? 0
const byBirth = (a: Life, b: Life): number => bornAt(a) - bornAt(b)

const sorted = (objects: Record<string, Tracks[]>): Trace['objects'] =>
  Object.fromEntries(Object.entries(objects).sort(([a], [b]) => a.localeCompare(b)))

function tracksOf(life: Life, masks: Masks, since: (at: number) => number): Recorded {
  const tracks: Recorded = { exists: [{ at: since(bornAt(life)), value: 'created' }] }
  for (const { at, object } of life.states) {
    const aspects = aspectsOf(object, (text) => masks.text(text))
    for (const name of new Set([...Object.keys(tracks), ...Object.keys(aspects)])) {
      const value = aspects[name] ?? ABSENT
      const track = (tracks[name] ??= [])
      if (name !== 'exists' && track.at(-1)?.value !== value) track.push({ at: since(at), value })
    }
  }
  if (life.goneAt !== null) tracks.exists?.push({ at: since(life.goneAt), value: 'gone' })
  return tracks
}

/** What is said about objects that are not followed. */
function strangers(objects: Record<string, Recorded[]>, event: ClusterObject, masks: Masks): Recorded {
  const { kind, name } = subjectOf(event)
  const lives = (objects[`${kind}/${masks.text(name)}`] ??= [])
  const tracks = lives[0] ?? {}
  if (lives.length === 0) lives.push(tracks)
  return tracks
}

const TIMES = / ×(\d+)$/

/** The text of an event without how often it was said, and that. */
export function splitEvent(value: string): { text: string; times: number } {
  const times = TIMES.exec(value)?.[1]
  return { text: value.replace(TIMES, ''), times: times === undefined ? 1 : Number(times) }
}

interface EventFields {
  readonly type?: string
  readonly reason?: string
  readonly message?: string
  readonly count?: number
  readonly series?: { readonly count?: number }
  readonly source?: { readonly component?: string }
  readonly reportingComponent?: string
}

function textOf(event: ClusterObject, masks: Masks): string {
  const { type, reason, message, source, reportingComponent } = event as ClusterObject & EventFields
  const from = reportingComponent || (source?.component ?? '')
  return masks.text(`${type} ${reason} (${from}): ${message}`).replaceAll(/\s+/g, ' ').trim()
}

interface SaidEvent {
  readonly event: ClusterObject
  readonly at: number
  readonly text: string
}

/** The same words again raise the count of the first. */
function addEvent(track: Entry[], { event, at, text }: SaidEvent): void {
  const { series, count = 1 } = event as ClusterObject & EventFields
  const index = track.findIndex(({ value }) => splitEvent(value).text === text)
  const known = track[index]
  const all = (series?.count ?? count) + (known ? splitEvent(known.value).times : 0)
  const entry = { at: known?.at ?? at, value: all === 1 ? text : `${text} ×${all}` }
  if (known) track[index] = entry
  else track.push(entry)
}

/** A shorter step tells nothing of what follows from it. */
const LEAST_STEP_MS = 2000

function shares(steps: readonly number[], requests: readonly { at: number; ok: boolean }[]): (number | null)[] {
  return steps.slice(0, -1).map((from, index) => {
    const to = steps[index + 1] ?? Infinity
    const within = requests.filter(({ at }) => at >= from && at < to)
    return to - from < LEAST_STEP_MS || within.length === 0
      ? null
      : Math.round((100 * within.filter(({ ok }) => ok).length) / within.length) / 100
  })
}
