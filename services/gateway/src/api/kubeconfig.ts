import { type ClusterCredential } from '@ordeal/shared'
import { z } from 'zod'

/**
 * The part of a kubeconfig that may be registered: one context whose credential stands in it. What names a program, a
 * file or a proxy would be run, read or used by the service, and is refused.
 */

const ONLY_INLINE =
  'only what stands in the kubeconfig itself is taken (certificates, keys and tokens inline), and nothing that names a ' +
  'program, a file, a proxy or another identity'

/** An object of these fields and no others, told why. */
const only = <Shape extends z.ZodRawShape>(shape: Shape) =>
  z.strictObject(shape, {
    error: (issue) => (issue.code === 'unrecognized_keys' ? `${issue.keys.join(', ')}: ${ONLY_INLINE}` : undefined),
  })

const base64 = z.base64().min(1)
const secureServer = z.url({ protocol: /^https$/, error: 'an https:// address' })
/** What tools note for themselves. */
const extensions = z.unknown().optional()

const clusterSchema = only({
  server: secureServer,
  'certificate-authority-data': base64.optional(),
  extensions,
})
const userSchema = only({
  token: z.string().min(1).optional(),
  'client-certificate-data': base64.optional(),
  'client-key-data': base64.optional(),
  extensions,
}).refine((user) => {
  const certificate = user['client-certificate-data'] !== undefined
  return certificate === (user['client-key-data'] !== undefined) && (certificate || user.token !== undefined)
}, 'give a token, or a client certificate with its key')
const contextSchema = only({
  cluster: z.string(),
  user: z.string(),
  namespace: z.string().min(1).max(63).optional(),
  extensions,
})

const one = <S extends z.ZodType>(of: S) => z.tuple([of], { error: 'exactly one of it (kubectl config view --minify)' })

/** As `kubectl config view --raw --minify --flatten -o json` prints it. */
export const kubeconfigSchema = only({
  apiVersion: z.literal('v1').optional(),
  kind: z.literal('Config').optional(),
  preferences: z.unknown().optional(),
  extensions,
  clusters: one(z.object({ name: z.string(), cluster: clusterSchema })),
  users: one(z.object({ name: z.string(), user: userSchema })),
  contexts: one(z.object({ name: z.string(), context: contextSchema })),
  'current-context': z.string().optional(),
})

/** What opens the cluster, in our own words. */
export function credentialOf({ clusters, users, contexts }: z.output<typeof kubeconfigSchema>): ClusterCredential {
  const [{ cluster }] = clusters
  const [{ user }] = users
  return {
    server: cluster.server,
    certificateAuthority: cluster['certificate-authority-data'],
    token: user.token,
    clientCertificate: user['client-certificate-data'],
    clientKey: user['client-key-data'],
    namespace: contexts[0].context.namespace,
  }
}
