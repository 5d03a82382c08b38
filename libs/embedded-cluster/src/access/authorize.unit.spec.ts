import { TestCluster } from '../engine-fixture.spec.js'
import { type K8sObject } from '../store/object.js'
import { type Attempt, attemptOf } from './attempt.js'
import { authorize } from './authorize.js'
import { ADMIN, identityOf } from './identity.js'
import { requireAccess } from './require-access.js'
import { ruleAllows } from './rules.js'

const API = 'rbac.authorization.k8s.io/v1'
const role = (name: string, rules: object[], kind = 'Role', more: object = {}): K8sObject => ({
  apiVersion: API,
  kind,
  metadata: { name, ...more },
  rules,
})
const binding = (
  name: string,
  roleRef: [kind: string, name: string],
  subject: object,
  kind = 'RoleBinding',
): K8sObject => ({
  apiVersion: API,
  kind,
  metadata: { name },
  roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: roleRef[0], name: roleRef[1] },
  subjects: [subject],
})
const account = { kind: 'ServiceAccount', name: 'reader', namespace: 'app' }
const reader = identityOf({ 'impersonate-user': 'system:serviceaccount:app:reader' })

const pods = (verb: string, more: Partial<Attempt> = {}): Attempt => ({
  verb,
  group: '',
  resource: 'pods',
  namespace: 'app',
  ...more,
})

/** A cluster in which the account may read pods and one ConfigMap of its namespace. */
function clusterWithReader(): TestCluster {
  const cluster = new TestCluster()
  cluster.apply(
    role('read', [
      { verbs: ['get', 'list'], apiGroups: [''], resources: ['pods', 'pods/log'] },
      { verbs: ['get'], apiGroups: [''], resources: ['configmaps'], resourceNames: ['site'] },
    ]),
  )
  cluster.apply(binding('readers', ['Role', 'read'], account))
  return cluster
}

describe('identityOf', () => {
  it('is the administrator unless somebody else is asked for', () => {
    expect(identityOf({})).toBe(ADMIN)
    expect(reader.groups).toEqual(['system:serviceaccounts', 'system:serviceaccounts:app', 'system:authenticated'])
    expect(identityOf({ 'impersonate-user': 'eve', 'impersonate-group': 'a, b' }).groups).toEqual([
      ...['a', 'b', 'system:authenticated'],
    ])
    expect(identityOf({ 'impersonate-user': 'system:anonymous' }).groups).toEqual(['system:unauthenticated'])
    expect(() => identityOf({ 'impersonate-group': 'a' })).toThrow(/Impersonate-User/)
  })
})

describe('attemptOf', () => {
  const of = (method: string, path: string, watches = false) => attemptOf({ method, path, watches })
  it.each([
    ['GET', '/api/v1/namespaces/app/pods', { verb: 'list', group: '', resource: 'pods', namespace: 'app' }],
    ['POST', '/apis/apps/v1/namespaces/app/deployments', { verb: 'create', group: 'apps', resource: 'deployments' }],
    ['DELETE', '/api/v1/namespaces/app/pods', { verb: 'deletecollection' }],
    ['DELETE', '/api/v1/namespaces/app/pods/a', { verb: 'delete', name: 'a' }],
    ['GET', '/api/v1/namespaces/app/pods/a/log', { verb: 'get', name: 'a', subresource: 'log' }],
    ['GET', '/api/v1/namespaces/app', { verb: 'get', resource: 'namespaces', name: 'app', namespace: 'app' }],
    ['PUT', '/api/v1/namespaces/app/status', { verb: 'update', resource: 'namespaces', subresource: 'status' }],
    ['PATCH', '/api/v1/nodes/n%31', { verb: 'patch', resource: 'nodes', name: 'n1' }],
    ['GET', '/apis/apps/v1', { verb: 'get', url: '/apis/apps/v1' }],
    ['GET', '/version', { verb: 'get', url: '/version' }],
  ])('%s %s', (method, path, attempt) => expect(of(method, path)).toMatchObject(attempt))
  it('tells a watch from a list', () => expect(of('GET', '/api/v1/pods', true).verb).toBe('watch'))
})

describe('ruleAllows', () => {
  const everyLog = { verbs: ['*'], apiGroups: ['*'], resources: ['*/log'] }
  it.each([
    ['every part of that name', everyLog, pods('get', { subresource: 'log' }), true],
    ['nothing but that part', everyLog, pods('get'), false],
    [
      'the whole and no part',
      { verbs: ['get'], apiGroups: [''], resources: ['pods'] },
      pods('get', { subresource: 'log' }),
      false,
    ],
    [
      'urls by their beginning',
      { verbs: ['get'], nonResourceURLs: ['/healthz/*'] },
      { verb: 'get', url: '/healthz/etcd' },
      true,
    ],
    [
      'urls as a whole',
      { verbs: ['get'], nonResourceURLs: ['/healthz'] },
      { verb: 'get', url: '/healthz/etcd' },
      false,
    ],
    [
      'no collection where it names objects',
      { verbs: ['list'], apiGroups: [''], resources: ['pods'], resourceNames: ['a'] },
      pods('list'),
      false,
    ],
  ])('means %s', (_, rule, attempt, allowed) => expect(ruleAllows(rule, attempt)).toBe(allowed))
})

describe('authorize', () => {
  it('allows what a bound role names, and says by what', () => {
    const { store } = clusterWithReader()
    const allowed = (attempt: Attempt) => authorize(store, reader, attempt).allowed
    expect(authorize(store, reader, pods('list'))).toEqual({
      allowed: true,
      reason: 'RBAC: allowed by RoleBinding "readers/app" of Role "read" to ServiceAccount "reader/app"',
      problems: [],
    })
    const configMap = (name: string) => pods('get', { resource: 'configmaps', name })
    expect(
      [configMap('site'), configMap('other'), pods('delete'), pods('list', { namespace: 'probe' })].map(allowed),
    ).toEqual([...[true, false, false, false]])
    expect(allowed({ verb: 'list', group: '', resource: 'pods' })).toBe(false)
  })

  it('knows the default roles, and what is gathered into them', () => {
    const { store, ...cluster } = clusterWithReader()
    const apply = (object: K8sObject) => TestCluster.prototype.apply.call({ store, ...cluster }, object)
    apply(binding('viewers', ['ClusterRole', 'view'], { kind: 'Group', name: 'team' }))
    const member = identityOf({ 'impersonate-user': 'ann', 'impersonate-group': 'team' })
    const faults = { verb: 'list', group: 'chaos-mesh.org', resource: 'podchaos', namespace: 'app' }
    const allowed = (attempt: Attempt) => authorize(store, member, attempt).allowed
    expect([pods('watch'), pods('create'), pods('get', { resource: 'secrets' }), faults].map(allowed)).toEqual([
      ...[true, false, false, false],
    ])
    const gathered = { labels: { 'rbac.authorization.k8s.io/aggregate-to-view': 'true' } }
    const rules = [{ verbs: ['list'], apiGroups: ['chaos-mesh.org'], resources: ['*'] }]
    apply(role('faults', rules, 'ClusterRole', gathered))
    expect(allowed(faults)).toBe(true)
  })

  it('gives cluster-wide rights by ClusterRoleBindings, of gathered rules too', () => {
    const cluster = new TestCluster()
    const selector = { matchLabels: { part: 'all' } }
    const all = { ...role('all', [], 'ClusterRole'), aggregationRule: { clusterRoleSelectors: [selector] } }
    cluster.apply(all)
    const rules = [{ verbs: ['*'], apiGroups: ['*'], resources: ['pods'] }]
    cluster.apply(role('pods', rules, 'ClusterRole', { labels: { part: 'all' } }))
    cluster.apply(binding('all', ['ClusterRole', 'all'], { kind: 'User', name: 'bob' }, 'ClusterRoleBinding'))
    const bob = identityOf({ 'impersonate-user': 'bob' })
    const wide = { verb: 'delete', group: '', resource: 'pods' }
    expect([wide, { ...wide, resource: 'nodes' }].map((one) => authorize(cluster.store, bob, one).allowed)).toEqual([
      ...[true, false],
    ])
  })

  it('tells of a role that is not there, and lets the administrator do everything', () => {
    const cluster = new TestCluster()
    cluster.apply(binding('lost', ['Role', 'nothing'], account))
    expect(authorize(cluster.store, reader, pods('list'))).toEqual({
      allowed: false,
      reason: '',
      problems: ['roles.rbac.authorization.k8s.io "nothing" not found'],
    })
    expect(authorize(cluster.store, ADMIN, { verb: 'delete', group: '', resource: 'nodes' }).allowed).toBe(true)
  })

  it('refuses in the words of an API server', () => {
    const { store } = clusterWithReader()
    expect(() => requireAccess(store, ADMIN, pods('delete'))).not.toThrow()
    expect(() => requireAccess(store, reader, pods('delete', { name: 'a' }))).toThrow(
      'pods "a" is forbidden: User "system:serviceaccount:app:reader" cannot delete resource "pods" in API group "" in the namespace "app"',
    )
    expect(() => requireAccess(store, reader, { verb: 'list', group: 'apps', resource: 'deployments' })).toThrow(
      'deployments.apps is forbidden: User "system:serviceaccount:app:reader" cannot list resource "deployments" in API group "apps" at the cluster scope',
    )
    expect(() => requireAccess(store, reader, { verb: 'get', url: '/metrics' })).toThrow(
      'forbidden: User "system:serviceaccount:app:reader" cannot get path "/metrics"',
    )
  })

  it('notes roles of the application, and not those that Ordeal makes', () => {
    const cluster = clusterWithReader()
    cluster.apply(role('ours', [], 'Role', { labels: { 'app.kubernetes.io/managed-by': 'ordeal' } }))
    const notes = cluster.engine.assumptions.filter((each) => /^Role/.test(each))
    expect(notes).toEqual([expect.stringMatching(/^Role\/read /), expect.stringMatching(/^RoleBinding\/readers /)])
  })
})
