import { durationSchema, parseEnvironment, type Environment, endpointSchema } from '@ordeal/shared'
import { z } from 'zod'
import { type ModelsConfig } from './ask/models.js'
import { DEFAULT_LIMITS } from './model/openai-model.js'

const pairs = z
  .string()
  .transform((text) => text.split(',').map((pair) => pair.split('=', 2).map((piece) => piece.trim())))
  .refine((list) => list.every(([name, value]) => name && value), 'is not a list like name=value,name=value')
  .transform((list) => Object.fromEntries(list) as Record<string, string>)

const price = pairs.transform(({ input, output }) => ({ input: Number(input), output: Number(output) }))

const variables = z.object({
  /** Base URL of an OpenAI-compatible endpoint, version included. */
  ORDEAL_MODEL_URL: z.url({ protocol: /^https?$/, error: 'is not a URL like https://host/v1' }).optional(),
  ORDEAL_MODEL_KEY: z.string().default(''),
  /** Asked by cycles that name no model; without it those go without one. */
  ORDEAL_MODEL: z.string().optional(),
  ORDEAL_MODEL_HEADERS: pairs.optional(),
  ORDEAL_MODEL_QUERY: pairs.optional(),
  /** For one request with its retries. */
  ORDEAL_MODEL_TIMEOUT: durationSchema.prefault('2m'),
  /** US dollars per million tokens: `input=2.5,output=10`. */
  ORDEAL_MODEL_PRICE: price.pipe(endpointSchema.shape.price.unwrap().unwrap()).optional(),
})

/** A service's own model endpoint. Throws ConfigError that names each bad variable. */
export function parseModelConfig(environment: Environment): ModelsConfig {
  const v = parseEnvironment(variables, environment)
  const model = v.ORDEAL_MODEL ?? null
  const limits = { ...DEFAULT_LIMITS, timeoutMs: v.ORDEAL_MODEL_TIMEOUT }
  if (v.ORDEAL_MODEL_URL === undefined) return { endpoint: null, model, limits }
  return {
    model,
    limits,
    endpoint: {
      baseUrl: v.ORDEAL_MODEL_URL,
      apiKey: v.ORDEAL_MODEL_KEY,
      headers: v.ORDEAL_MODEL_HEADERS ?? {},
      query: v.ORDEAL_MODEL_QUERY ?? {},
      price: v.ORDEAL_MODEL_PRICE ?? null,
    },
  }
}
