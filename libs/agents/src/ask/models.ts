import { redactText } from '@ordeal/kubernetes'
import {
  agentCallSchema,
  cycleOptionsSchema,
  RECORDINGS,
  TENANT_MODEL,
  TerminalError,
  type Logger,
  type PhaseContext,
  type SpendLimits,
  endpointSchema,
  type Endpoint,
} from '@ordeal/shared'
import { z } from 'zod'
import { type Model } from '../model/model.js'
import { OpenAiModel, type ModelLimits } from '../model/openai-model.js'
import { priceOf, type Price } from '../model/prices.js'
import { createRecordedModel } from './recorded-model.js'

/** The model that a cycle uses, and on what terms. */
export interface CycleModel {
  readonly model: Model
  readonly price: Price | null
  readonly limits: SpendLimits
  readonly seed: number
  /** Masks the credentials of the cycle's manifests. */
  readonly redact: (text: string) => string
}

/** Where a service finds the model of a cycle; null when the experts answer alone, or did in the cycle that is replayed. */
export interface Models {
  forCycle(context: PhaseContext): Promise<CycleModel | null>
}

/** As the model of a cycle: no model, whatever the service's default. */
const NO_MODEL = 'none'

/** Endpoints that are kept open: more than a service's tenants use at a time. */
const MAX_OPEN = 256

export interface ModelsConfig {
  /** The service's own endpoint, for cycles whose tenant has none; null when there is none. */
  readonly endpoint: Omit<Endpoint, 'model'> | null
  /** The model for cycles that name none; null means that those go without. */
  readonly model: string | null
  readonly limits?: ModelLimits
}

/** Models for the cycles of a service: one client for each endpoint and model, however many cycles use it. */
export function createModels(config: ModelsConfig, log: Logger): Models {
  const open = new Map<string, Model>()
  const modelOf = (endpoint: Endpoint): Model => {
    const key = JSON.stringify(endpoint)
    const known = open.get(key)
    if (known) return known
    if (open.size >= MAX_OPEN) open.delete(open.keys().next().value ?? '')
    const model = new OpenAiModel(endpoint, log, config.limits)
    open.set(key, model)
    return model
  }
  return {
    forCycle: async (context) => {
      const options = await context.artefacts.latest('options', cycleOptionsSchema)
      if (!options || options.model === NO_MODEL) return null
      const terms = { limits: options.budget, seed: options.seed, redact: await redactorOf(context) }
      const recordings = await inVault(context, RECORDINGS, z.array(agentCallSchema))
      if (recordings) {
        const isWithout = recordings.every((call) => call.model === null)
        return isWithout ? null : { ...terms, model: createRecordedModel(recordings), price: null }
      }
      const endpoint = endpointFor(options.model, await inVault(context, TENANT_MODEL, endpointSchema), config)
      return endpoint && { ...terms, model: modelOf(endpoint), price: priceOf(endpoint) }
    },
  }
}

function endpointFor(wanted: string | null, tenants: Endpoint | null, config: ModelsConfig): Endpoint | null {
  const model = wanted ?? tenants?.model ?? config.model
  if (model === null) return null
  const endpoint = tenants ?? config.endpoint
  if (endpoint) return endpointSchema.parse({ ...endpoint, model })
  throw new TerminalError(
    'model-not-configured',
    `There is no endpoint to reach the model ${model} at. Set ORDEAL_MODEL_URL (and ORDEAL_MODEL_KEY), or leave out --model`,
  )
}

/** Masks the credentials of the cycle's manifests. */
export async function redactorOf(context: PhaseContext): Promise<(text: string) => string> {
  const secrets = await inVault(context, 'secrets', z.record(z.string(), z.string()))
  return (text) => redactText(text, secrets ?? {})
}

/** A document of the cycle's vault; null where it has none of this name. */
export async function inVault<T>({ vault }: PhaseContext, name: string, schema: z.ZodType<T>): Promise<T | null> {
  try {
    return await vault.get(name, schema)
  } catch (error) {
    if (error instanceof TerminalError && error.code === 'vault-missing') return null
    throw error
  }
}
