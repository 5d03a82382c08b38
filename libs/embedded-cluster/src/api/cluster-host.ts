import { z } from 'zod'
import { imageProfilesSchema, type ImageProfilesInput } from '../images/image-profile.js'
import { ApiError, badRequest } from '../store/api-error.js'
import { sameJson } from '../store/object.js'
import { advanceClock, type Advance, type Advanced } from './advance-clock.js'
import { bootstrap } from './bootstrap.js'
import type { ClockMode, CreateEngine, Engine } from './engine-port.js'
import { WallClock } from './wall-clock.js'

/** When virtual time starts, whatever the day: the same seed gives the same timestamps. */
export const VIRTUAL_START_MS = Date.UTC(2026, 0, 1)
const MAX_WATCHES = 512

function checkProfiles(context: z.core.ParsePayload<ImageProfilesInput>): void {
  const { error } = imageProfilesSchema.safeParse(context.value)
  for (const { path, message } of error?.issues ?? []) {
    context.issues.push({ code: 'custom', input: context.value, path, message })
  }
}

export const clusterSettingsSchema = z.strictObject({
  id: z.string().regex(/^[A-Za-z0-9]([-_A-Za-z0-9]{0,61}[A-Za-z0-9])?$/, 'letters, digits, - and _, at most 63'),
  seed: z.int(),
  mode: z.enum(['virtual', 'wall']),
  /** How images behave that are not built in, in the form of `ordeal.yaml`; kept as it was given. */
  images: z.custom<ImageProfilesInput>().check(checkProfiles).optional(),
})
export type ClusterSettings = z.infer<typeof clusterSettingsSchema>

/** One cluster behind the server: its engine, its clock and who is connected to it. */
export class HostedCluster {
  readonly engine: Engine
  private readonly wall: WallClock | null
  private readonly streams = new Set<() => void>()
  private advance: AbortController | null = null

  constructor(
    readonly settings: ClusterSettings,
    options: HostOptions,
  ) {
    const { seed, mode, images = {} } = settings
    const startMs = mode === 'wall' ? options.wallNow() : VIRTUAL_START_MS
    this.engine = options.createEngine({ seed, startMs, mode, images })
    bootstrap(this.engine.store)
    this.wall = mode === 'wall' ? new WallClock(this.engine.kernel, options) : null
  }

  get mode(): ClockMode {
    return this.settings.mode
  }

  /** At wall speed, time and what is due now catch up; a virtual clock is not moved. */
  sync(): void {
    this.wall?.sync()
  }

  /** Throws ApiError 409 while another advance runs and on a cluster at wall speed, 404 when the cluster ends. */
  async advanceTo(advance: Advance, signal: AbortSignal): Promise<Advanced> {
    if (this.wall) throw new ApiError(409, 'Conflict', 'this cluster runs at the speed of the wall clock')
    if (this.advance) throw new ApiError(409, 'Conflict', 'the clock of this cluster is being advanced already')
    const own = new AbortController()
    this.advance = own
    try {
      const advanced = await advanceClock(this.engine, advance, AbortSignal.any([signal, own.signal]))
      if (own.signal.aborted) throw new ApiError(404, 'NotFound', 'the cluster was ended')
      return advanced
    } finally {
      this.advance = null
    }
  }

  /** Keeps a stream's end until it has ended. Throws ApiError 429 when there are too many. */
  addStream(end: () => void): () => void {
    if (this.streams.size >= MAX_WATCHES) {
      throw new ApiError(429, 'TooManyRequests', `this cluster serves at most ${MAX_WATCHES} streams at a time`, {
        retryAfterSeconds: 1,
      })
    }
    this.streams.add(end)
    return () => this.streams.delete(end)
  }

  close(): void {
    this.advance?.abort()
    this.wall?.stop()
    for (const end of this.streams) end()
    this.engine.close()
  }
}

export interface HostOptions {
  createEngine: CreateEngine
  /** The machine's clock, for clusters at wall speed. */
  wallNow: () => number
  /** Told of failures inside a cluster at wall speed. */
  report: (error: unknown) => void
  maxClusters: number
}

/** All clusters of a server. */
export class ClusterHost {
  private readonly clusters = new Map<string, HostedCluster>()

  constructor(private readonly options: HostOptions) {}

  /** Makes a cluster, or adopts the one of that id. Throws ApiError 400, 409 for other settings, 429. */
  create(body: unknown): { cluster: HostedCluster; created: boolean } {
    const settings = readSettings(body)
    const existing = this.clusters.get(settings.id)
    if (existing) return { cluster: adopt(existing, settings), created: false }
    if (this.clusters.size >= this.options.maxClusters) {
      throw new ApiError(429, 'TooManyRequests', `at most ${this.options.maxClusters} clusters at a time`)
    }
    const cluster = new HostedCluster(settings, this.options)
    this.clusters.set(settings.id, cluster)
    return { cluster, created: true }
  }

  /** Throws ApiError 404. */
  get(id: string): HostedCluster {
    const cluster = this.clusters.get(id)
    if (!cluster) throw new ApiError(404, 'NotFound', `no cluster ${JSON.stringify(id)} on this server`)
    return cluster
  }

  list(): ClusterSettings[] {
    return [...this.clusters.values()].map((cluster) => cluster.settings)
  }

  /** Throws ApiError 404. */
  delete(id: string): void {
    this.get(id).close()
    this.clusters.delete(id)
  }

  close(): void {
    for (const id of [...this.clusters.keys()]) this.delete(id)
  }
}

function readSettings(body: unknown): ClusterSettings {
  const parsed = clusterSettingsSchema.safeParse(body)
  if (parsed.success) return parsed.data
  throw badRequest(parsed.error.issues.map(({ path, message }) => `${path.join('.') || 'body'}: ${message}`).join('; '))
}

function adopt(existing: HostedCluster, settings: ClusterSettings): HostedCluster {
  const { seed, mode } = existing.settings
  if (sameJson(existing.settings, settings)) return existing
  const message = `cluster ${settings.id} exists with other settings (seed ${seed}, mode ${mode}, or other images)`
  throw new ApiError(409, 'Conflict', message)
}
