import { type ClusterObject } from '@ordeal/kubernetes'
import { clusterScopedOf, definedKinds, isOfKind, judgeClusterScoped, refusalOf } from './cluster-scoped.js'

const RBAC = 'rbac.authorization.k8s.io/v1'
const role = (rules: object[], more: object = {}): ClusterObject => ({
  apiVersion: RBAC,
  kind: 'ClusterRole',
  metadata: { name: 'r' },
  rules,
  ...more,
})
const binding = (name: string, kind = 'ServiceAccount'): ClusterObject => ({
  apiVersion: RBAC,
  kind: 'ClusterRoleBinding',
  metadata: { name: 'b' },
  roleRef: { kind: 'ClusterRole', name },
  subjects: [{ kind, name: 'web' }],
})
const object = (kind: string, more: object = {}, annotations = {}): ClusterObject => ({
  apiVersion: 'v1',
  kind,
  metadata: { name: 'x', annotations },
  ...more,
})
const reader = role([{ apiGroups: [''], resources: ['pods'], verbs: ['get', 'list', 'watch'] }])
const writer = role([{ apiGroups: [''], resources: ['pods'], verbs: ['get', 'delete'] }])
const aggregated = { metadata: { name: 'r', labels: { 'rbac.authorization.k8s.io/aggregate-to-admin': 'true' } } }

describe('objects of the whole cluster', () => {
  it.each<[string, ClusterObject, ClusterObject[]]>([
    ['a role that reads', reader, []],
    ['a binding to it', binding('r'), [reader]],
    ["a binding to Kubernetes' own reader", binding('view'), []],
    ['a priority', object('PriorityClass', { value: 10 }), []],
    ['a storage class', object('StorageClass'), []],
    ['a volume', object('PersistentVolume'), []],
  ])('may be made: %s', (_, one, others) => expect(refusalOf(one, [one, ...others])).toBeNull())

  it.each<[string, ClusterObject, ClusterObject[], RegExp]>([
    ['a role that writes', writer, [], /rights beyond reading .*\(delete\)/],
    ['a role that may everything', role([{ apiGroups: ['*'], resources: ['*'], verbs: ['*'] }]), [], /beyond reading/],
    [
      'a role that reads all',
      role([{ apiGroups: ['*'], resources: ['*'], verbs: ['get'] }]),
      [],
      /Secrets of everybody/,
    ],
    ['a role that reads Secrets', role([{ apiGroups: [''], resources: ['secrets'], verbs: ['list'] }]), [], /Secrets/],
    ['a role that gathers rights', role([], { aggregationRule: {} }), [], /gather/],
    ['a role that widens those of others', role([], aggregated), [], /added to the roles of others/],
    ['a binding to a role that writes', binding('r'), [writer], /beyond reading/],
    ['a binding to the administrator', binding('cluster-admin'), [], /cluster-admin allows is not in the input/],
    ['rights for everybody', binding('r', 'Group'), [reader], /gives rights to Group web/],
    ['a default priority', object('PriorityClass', { globalDefault: true }), [], /priority of everybody/],
    [
      'a default class',
      object('StorageClass', {}, { 'storageclass.kubernetes.io/is-default-class': 'true' }),
      [],
      /default/,
    ],
    ['a webhook', object('MutatingWebhookConfiguration'), [], /concerns everybody/],
    ['a definition', object('CustomResourceDefinition'), [], /put there beforehand/],
  ])('must not be made: %s', (_, one, others, words) => expect(refusalOf(one, [one, ...others])).toMatch(words))

  it('need consent, each by name, and no consent helps where they are refused', () => {
    const wide = [reader, object('PriorityClass')]
    expect(judgeClusterScoped(wide, wide, 'refused')).toEqual([
      expect.stringMatching(/^ClusterRole\/r: .*--allow-cluster-scoped/),
      expect.stringMatching(/^PriorityClass\/x: .*--allow-cluster-scoped/),
    ])
    expect(judgeClusterScoped(wide, wide, 'consented')).toEqual([])
    expect(judgeClusterScoped([writer], [writer], 'consented')).toEqual([expect.stringMatching(/beyond reading/)])
  })
  it('are as one likes where nobody else is, but for what is no part of an application', () => {
    const wide = [writer, object('CustomResourceDefinition'), object('Node')]
    expect(judgeClusterScoped(wide, wide, 'free')).toEqual([expect.stringMatching(/^Node\/x/)])
  })
  it('bring kinds, in the scope that their definition gives them', () => {
    const spec = { group: 'mesh.test', scope: 'Cluster', names: { kind: 'Gate' } }
    const kinds = definedKinds([reader, object('CustomResourceDefinition', { spec })])
    expect(kinds).toEqual([{ group: 'mesh.test', kind: 'Gate', namespaced: false }])
    const is = (apiVersion: string, kind: string) => kinds.some(isOfKind({ apiVersion, kind }))
    expect([is('mesh.test/v1beta1', 'Gate'), is('mesh.test/v1', 'Door'), is('other.test/v1', 'Gate')]).toEqual([
      ...[true, false, false],
    ])
  })
  it('are known without asking a cluster', () => {
    expect(clusterScopedOf([object('Pod'), reader, object('Namespace')])).toEqual([reader])
  })
})
