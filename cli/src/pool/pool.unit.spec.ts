import { parseAllDocuments } from 'yaml'
import { type Host } from '../host.js'
import { fakeScreen } from '../testing/fake-screen.js'
import { customResource, tenantName } from './pool-arguments.js'
import { pool, type PoolArguments } from './pool.command.js'

interface Rendered {
  readonly kind: string
  readonly metadata: { readonly name: string; readonly namespace?: string; readonly labels?: Record<string, string> }
  readonly rules?: readonly { apiGroups: string[]; resources: string[]; verbs: string[] }[]
  readonly roleRef?: { readonly name: string }
}

async function render(more: Partial<PoolArguments> = {}): Promise<Rendered[]> {
  const out = fakeScreen()
  const host = { terminal: { out, err: fakeScreen() } } as unknown as Host
  await pool({ tenant: 'acme', namespaces: 2, custom: [], chaosNamespace: 'chaos-mesh', ...more }, host)
  return parseAllDocuments(out.text()).map((document) => document.toJS() as Rendered)
}
const names = (objects: readonly Rendered[], kind: string) =>
  objects
    .filter((o) => o.kind === kind)
    .map(({ metadata: { name, namespace } }) => [namespace, name].filter(Boolean).join('/'))

describe('ordeal pool', () => {
  it('prints a home, and a pair of namespaces with a lease for each cycle that may run at once', async () => {
    const objects = await render({ namespaces: 3 })
    expect(names(objects, 'Lease')).toEqual([1, 2, 3].map((n) => `ordeal-home-acme/ordeal-pool-acme-${n}`))
    expect(names(objects, 'Namespace')).toEqual([
      'ordeal-home-acme',
      ...[1, 2, 3].flatMap((n) => [`ordeal-pool-acme-${n}`, `ordeal-pool-acme-${n}-prober`]),
    ])
    expect(names(objects, 'ServiceAccount')).toEqual(['ordeal-home-acme/ordeal'])
  })

  it('gives no right but to read outside of these namespaces, and never everything', async () => {
    const objects = await render()
    expect(names(objects, 'ClusterRoleBinding')).toEqual(['ordeal-pool-cluster-reader-of-ordeal-home-acme'])
    const rules = (name: string) => objects.find((o) => o.metadata.name === name)?.rules ?? []
    const wide = [...rules('ordeal-pool-cluster-reader'), ...rules('ordeal-pool-chaos-version')]
    expect(wide.flatMap((rule) => rule.verbs)).toEqual(['list', 'list'])
    const elsewhere = objects.filter((o) => o.kind === 'RoleBinding' && o.metadata.namespace === 'chaos-mesh')
    expect(elsewhere.map((o) => o.roleRef?.name)).toEqual(['ordeal-pool-chaos-version'])
    const all = objects.flatMap((o) => o.rules ?? [])
    expect(all.flatMap((rule) => [...rule.apiGroups, ...rule.resources, ...rule.verbs])).not.toContain('*')
    expect(JSON.stringify(objects)).not.toMatch(/cluster-admin|escalate|impersonate|"bind"/)
  })

  it('keeps privileged pods out of the namespaces', async () => {
    const levels = (await render({ namespaces: 1 }))
      .filter((o) => o.kind === 'Namespace')
      .map((o) => o.metadata.labels?.['pod-security.kubernetes.io/enforce'])
    expect(levels).toEqual(['restricted', 'baseline', 'restricted'])
  })

  it('adds custom resources by name, in the sandboxes only', async () => {
    const custom = customResource('servicemonitors.monitoring.coreos.com', [])
    const roles = (await render({ custom })).filter((o) => o.kind === 'Role')
    expect(roles.map((o) => o.metadata.namespace)).toEqual(['ordeal-pool-acme-1', 'ordeal-pool-acme-2'])
    expect(roles[0]?.rules).toMatchObject([{ apiGroups: ['monitoring.coreos.com'], resources: ['servicemonitors'] }])
  })

  it.each(['Acme', 'a_b', '-a', 'a'.repeat(32)])('refuses %s as the name of a tenant', (name) => {
    expect(() => tenantName(name)).toThrow(/lower-case/)
  })
  it.each(['pods', '*.example.org', 'Widgets.example.org'])('refuses %s as a custom resource', (name) => {
    expect(() => customResource(name, [])).toThrow(/plural and the group/)
  })
})
