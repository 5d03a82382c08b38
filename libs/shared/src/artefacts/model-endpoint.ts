import { z } from 'zod'

/** An OpenAI-compatible endpoint and a model there. Holds a credential: it lives in configuration and the vault only. */
export const endpointSchema = z.object({
  /** Up to the version, as the endpoint's own documentation gives it: `https://…/v1`, `http://localhost:11434/v1`. */
  baseUrl: z.url({ protocol: /^https?$/ }),
  /** Empty for endpoints that ask for none. */
  apiKey: z.string().default(''),
  model: z.string().min(1),
  /** Sent with every request: a gateway's routing, a vendor's `api-key`. */
  headers: z.record(z.string(), z.string()).default({}),
  /** Added to every URL: Azure's `api-version`. */
  query: z.record(z.string(), z.string()).default({}),
  /** US dollars per million tokens, where the built-in table is wrong or silent. */
  price: z.object({ input: z.number().nonnegative(), output: z.number().nonnegative() }).nullable().default(null),
})
export type Endpoint = z.infer<typeof endpointSchema>

/** Document of a cycle's vault: the endpoint of its tenant's model, where the tenant has one. */
export const TENANT_MODEL = 'model'
