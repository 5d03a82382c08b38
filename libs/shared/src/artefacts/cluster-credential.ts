import { z } from 'zod'

/** What opens a real cluster: everything inline, nothing that names a file or a program. Kept sealed wherever it is. */
export const clusterCredentialSchema = z.object({
  /** Root of its API server. */
  server: z.string(),
  /** Certificate of the authority that vouches for the server, PEM in base64; absent: those that Node trusts. */
  certificateAuthority: z.string().optional(),
  token: z.string().optional(),
  /** PEM in base64; comes with its key. */
  clientCertificate: z.string().optional(),
  clientKey: z.string().optional(),
  /** The namespace that the credential is at home in: where its pool of namespaces is kept, if it has one. */
  namespace: z.string().optional(),
})
export type ClusterCredential = z.infer<typeof clusterCredentialSchema>

/** Document `cluster` of a cycle's vault, where its cluster was registered; null once the cycle is over. */
export const vaultedClusterSchema = z.object({ credential: clusterCredentialSchema.nullable() })
