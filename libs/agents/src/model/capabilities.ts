/** How an endpoint is asked for JSON, the strictest first. */
export const FORMATS = ['schema', 'object', 'text'] as const
export type Format = (typeof FORMATS)[number]

/** Parameters that some endpoints or models refuse. */
export const OPTIONAL = ['seed', 'temperature', 'stream_options', 'max_completion_tokens'] as const
export type Optional = (typeof OPTIONAL)[number]

/** What an endpoint and model were found to understand. */
export interface Capabilities {
  readonly format: Format
  readonly omit: ReadonlySet<Optional>
}

export const EVERYTHING: Capabilities = { format: 'schema', omit: new Set() }

const ABOUT_FORMAT = /response_format|json_schema|json_object|json mode|structured|schema/i

/**
 * What is left to try after a request was refused as invalid, or null when the refusal is about something else. Vendors
 * word it freely, but they name the parameter.
 */
export function narrowed(capabilities: Capabilities, refusal: string): Capabilities | null {
  const parameter = OPTIONAL.find((name) => refusal.includes(name) && !capabilities.omit.has(name))
  if (parameter) return { ...capabilities, omit: new Set([...capabilities.omit, parameter]) }
  const next = FORMATS[FORMATS.indexOf(capabilities.format) + 1]
  return next && ABOUT_FORMAT.test(refusal) ? { ...capabilities, format: next } : null
}
