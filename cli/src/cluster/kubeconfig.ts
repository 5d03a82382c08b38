/** A kubeconfig that names one server, without credentials: it listens on the loopback address and asks for none. */
export function kubeconfigFor(server: string): string {
  const config = {
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'ordeal', cluster: { server } }],
    users: [{ name: 'ordeal', user: {} }],
    contexts: [{ name: 'ordeal', context: { cluster: 'ordeal', user: 'ordeal', namespace: 'default' } }],
    'current-context': 'ordeal',
  }
  // JSON is YAML, and kubectl reads it as such.
  return `${JSON.stringify(config, null, 2)}\n`
}
