import { z } from 'zod'
import { isQuantity, parseQuantity } from '../schema/quantity.js'
import { type Destination, parseDestination } from '../traffic/routing.js'
import { parseGoDuration } from './go-duration.js'

const duration = z.string().transform((text, context) => {
  const ms = parseGoDuration(text)
  if (ms !== null && ms >= 0) return ms
  context.addIssue({ code: 'custom', message: `is no duration such as '250ms' or '1.5s': ${text}` })
  return z.NEVER
})

const bytes = z.union([z.string(), z.number()]).transform((amount, context) => {
  if (isQuantity(amount) && parseQuantity(amount) >= 0) return parseQuantity(amount)
  context.addIssue({ code: 'custom', message: `is no amount of memory such as '64Mi': ${amount}` })
  return z.NEVER
})

/** `http://a/x|http://b`: alternatives of one call, of which one must answer below 500. */
const call = z.string().transform((text, context): readonly Destination[] => {
  const destinations = text.split('|').map(parseDestination)
  if (destinations.every((one) => one !== null)) return destinations
  context.addIssue({
    code: 'custom',
    message: `is no URL that begins with http:// (or several with | between): ${text}`,
  })
  return z.NEVER
})

/** How the program of one image behaves. What is left out is as for any image; see DEFAULT_PROFILE. */
const imageProfileSchema = z
  .strictObject({
    /** From the start of the process until it listens. */
    startup: duration,
    /** How long one request holds its worker before it makes its calls: always so long, or so long on average. */
    work: duration,
    distribution: z.enum(['constant', 'exponential']),
    /** CPU time of one request, as part of its work. */
    cpu: duration,
    /** Requests worked on at once; the rest queue in order of arrival. */
    workers: z.int().min(1).max(100_000),
    /** What the idle process holds. */
    memory: bytes,
    /** What one open request holds besides. */
    memoryPerRequest: bytes,
    /** Calls that each request makes, one after another. */
    calls: z.array(call).max(100),
    /** How long it waits for each. */
    timeout: duration,
    /** Paths that are answered at once and without a worker. */
    health: z.array(z.string().startsWith('/')),
  })
  .partial()

/** Profiles by image, as `ordeal.yaml` has them under `images`: a full name, or the beginning of names and `*`. */
export const imageProfilesSchema = z.record(z.string().min(1), imageProfileSchema)
export type ImageProfilesInput = z.input<typeof imageProfilesSchema>

/** What cannot be understood of profiles, each with its place below `images`; empty where a cluster would take them. */
export function profileProblems(profiles: unknown): string[] {
  const { error } = imageProfilesSchema.safeParse(profiles)
  return (error?.issues ?? []).map(({ path, message }) => `${path.map(String).join('.')}: ${message}`)
}

/** Times in ms, memory in bytes; null where the model's own rule for unknown programs holds. */
export interface ImageProfile {
  readonly startup: number
  readonly work: number
  readonly distribution: 'constant' | 'exponential'
  readonly cpu: number
  readonly workers: number
  readonly memory: number | null
  readonly memoryPerRequest: number | null
  readonly calls: readonly (readonly Destination[])[]
  readonly timeout: number
  readonly health: readonly string[]
}

export const DEFAULT_PROFILE: ImageProfile = Object.freeze({
  startup: 1000,
  work: 2,
  distribution: 'constant',
  cpu: 1,
  workers: 16,
  memory: null,
  memoryPerRequest: null,
  calls: Object.freeze([]),
  timeout: 2000,
  health: Object.freeze([]),
})

/** The profiles that hold in a cluster. */
export class ImageProfiles {
  private readonly exact = new Map<string, ImageProfile>()
  /** The longest beginning first. */
  private readonly byBeginning: (readonly [beginning: string, profile: ImageProfile])[] = []

  /** Throws a ZodError that names what cannot be understood. */
  constructor(given: ImageProfilesInput = {}) {
    for (const [image, said] of Object.entries(imageProfilesSchema.parse(given))) {
      const cpu = Math.min(DEFAULT_PROFILE.cpu, said.work ?? DEFAULT_PROFILE.work)
      const profile = { ...DEFAULT_PROFILE, cpu, ...said }
      if (image.endsWith('*')) this.byBeginning.push([image.slice(0, -1), profile])
      else this.exact.set(image, profile)
    }
    this.byBeginning.sort(([a], [b]) => b.length - a.length)
  }

  /** Null for an image that no profile names. */
  of(image: string): ImageProfile | null {
    return this.exact.get(image) ?? this.byBeginning.find(([beginning]) => image.startsWith(beginning))?.[1] ?? null
  }
}
