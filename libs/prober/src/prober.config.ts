import { type ApiAccess } from './host-node.js'
import { PROBER_ENV, proberConfigSchema, type ProberConfig } from './protocol.js'

const ACCOUNT = '/var/run/secrets/kubernetes.io/serviceaccount'

/** The container's settings. Throws an Error that says what is wrong with ORDEAL_PROBER. */
export function readConfig(env: NodeJS.ProcessEnv = process.env): { config: ProberConfig; api: ApiAccess | null } {
  const text = env[PROBER_ENV]
  if (!text) throw new Error(`${PROBER_ENV} is not set; it holds the probes as JSON`)
  const config = proberConfigSchema.parse(JSON.parse(text))
  const host = env['KUBERNETES_SERVICE_HOST']
  const url = `https://${host}:${env['KUBERNETES_SERVICE_PORT'] ?? '443'}`
  return { config, api: host ? { url, caFile: `${ACCOUNT}/ca.crt`, tokenFile: `${ACCOUNT}/token` } : null }
}
