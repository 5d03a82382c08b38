import { z } from 'zod'
import { actionOf, milliseconds, text } from './fault-fields.js'

const METHODS = ['GET', 'POST', 'PUT', 'DELETE', 'PATCH', 'HEAD', 'OPTIONS', 'TRACE', 'CONNECT'] as const
const method = z.enum(METHODS, { error: `must be one of ${METHODS.join(', ')}` })
const code = z.number({ error: 'must be an HTTP status, 100 to 599' }).int().min(100).max(599)
const headers = z.record(z.string(), z.string())

/** Which requests are meant. */
const requests = {
  port: z.number({ error: 'must be the port on which the pods listen, 1 to 65535' }).int().min(1).max(65_535),
  /** Of the request, with `*` and `?` as in file names; without it all. */
  path: text.optional(),
  method: method.optional(),
  requestHeaders: headers.optional(),
  /** The secret of the sandbox that holds the certificate with which the pods speak TLS. */
  tls: z.strictObject({ secret: text, certificate: text, key: text, authority: text.optional() }).optional(),
}
/** Besides what the action does. */
const late = { delayMs: milliseconds.optional() }
/** Which answers are meant. */
const answers = { ...requests, code: code.optional(), responseHeaders: headers.optional() }

const onRequest = { ...requests, side: z.literal('request') }
const onResponse = { ...answers, side: z.literal('response') }
const pairs = z.array(z.tuple([text, z.string()])).min(1)
/** Merged into a JSON body. */
const jsonBody = z.record(z.string(), z.unknown())

const sides = <P extends z.ZodRawShape, Q extends z.ZodRawShape>(request: P, response: Q) =>
  z.discriminatedUnion('side', [
    z.strictObject({ ...onRequest, ...request }),
    z.strictObject({ ...onResponse, ...response }),
  ])

const replaced = { body: z.string().optional(), headers: headers.optional() }
const patched = { body: jsonBody.optional(), headers: pairs.optional() }
const isNotEmpty = (part: object): boolean => Object.keys(part).length > 0
const nothing = { error: 'must name at least one thing that changes' }

export const httpFault = z.discriminatedUnion('action', [
  actionOf('HTTPChaos', 'abort', sides(late, late)),
  actionOf('HTTPChaos', 'delay', sides({ delayMs: milliseconds }, { delayMs: milliseconds })),
  actionOf(
    'HTTPChaos',
    'replace',
    sides(
      {
        ...late,
        replace: z
          .strictObject({ ...replaced, path: text.optional(), method: method.optional(), queries: headers.optional() })
          .refine(isNotEmpty, nothing),
      },
      { ...late, replace: z.strictObject({ ...replaced, code: code.optional() }).refine(isNotEmpty, nothing) },
    ),
  ),
  actionOf(
    'HTTPChaos',
    'patch',
    sides(
      { ...late, patch: z.strictObject({ ...patched, queries: pairs.optional() }).refine(isNotEmpty, nothing) },
      { ...late, patch: z.strictObject(patched).refine(isNotEmpty, nothing) },
    ),
  ),
])
