import { assertNever, type FaultOf } from '@ordeal/shared'
import { given, goDuration } from './chaos-fields.js'

type HttpFault = FaultOf<'HTTPChaos'>
type Replace = Extract<HttpFault, { action: 'replace' }>['parameters']['replace']
type Patch = Extract<HttpFault, { action: 'patch' }>['parameters']['patch']

/** The `spec` of an HTTPChaos beyond its targets. */
export function httpSpec(fault: HttpFault, namespace: string): Record<string, unknown> {
  const { side, port, path, method, requestHeaders, tls, delayMs } = fault.parameters
  return {
    target: side === 'request' ? 'Request' : 'Response',
    port,
    ...given({ path, method, request_headers: requestHeaders, ...answersOf(fault) }),
    ...(tls && {
      tls: given({
        secretName: tls.secret,
        secretNamespace: namespace,
        certName: tls.certificate,
        keyName: tls.key,
        caName: tls.authority,
      }),
    }),
    ...(delayMs === undefined ? {} : { delay: goDuration(delayMs) }),
    ...howOf(fault),
  }
}

function answersOf({ parameters }: HttpFault): Record<string, unknown> {
  if (parameters.side === 'request') return {}
  return { code: parameters.code, response_headers: parameters.responseHeaders }
}

function howOf(fault: HttpFault): Record<string, unknown> {
  switch (fault.action) {
    case 'abort':
      return { abort: true }
    case 'delay':
      return {}
    case 'replace':
      return { replace: replaceOf(fault.parameters.replace) }
    case 'patch':
      return { patch: patchOf(fault.parameters.patch) }
    default:
      return assertNever(fault)
  }
}

/** Chaos Mesh takes the body as bytes. */
const replaceOf = ({ body, ...rest }: Replace): Record<string, unknown> => ({
  ...given(rest),
  ...(body === undefined ? {} : { body: Buffer.from(body).toString('base64') }),
})

const patchOf = ({ body, ...rest }: Patch): Record<string, unknown> => ({
  ...given(rest),
  ...(body && { body: { type: 'JSON', value: JSON.stringify(body) } }),
})
