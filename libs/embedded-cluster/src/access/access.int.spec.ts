import {
  type ApiException,
  AuthorizationV1Api,
  KubeConfig,
  RbacAuthorizationV1Api,
  type V1SelfSubjectAccessReviewSpec,
} from '@kubernetes/client-node'
import { createEmbeddedServer } from '../embedded-server.js'
import type { EmbeddedServer } from '../server.js'
import type { Status } from '../store/api-error.js'

const namespace = 'default'
const USER = 'system:serviceaccount:default:reader'
let server: EmbeddedServer
let config: KubeConfig

beforeAll(async () => {
  server = await createEmbeddedServer({ port: 0, host: '127.0.0.1' })
  await fetch(`${server.url}/clusters`, { method: 'POST', body: JSON.stringify({ id: 'a', seed: 1, mode: 'virtual' }) })
  config = new KubeConfig()
  config.loadFromClusterAndUser(
    { name: 'a', server: `${server.url}/clusters/a`, skipTLSVerify: true },
    { name: 'anyone' },
  )
  const rbac = config.makeApiClient(RbacAuthorizationV1Api)
  const rules = [{ verbs: ['get', 'list'], apiGroups: [''], resources: ['pods'] }]
  await rbac.createNamespacedRole({ namespace, body: { metadata: { name: 'read' }, rules } })
  const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'read' }
  const subjects = [{ kind: 'ServiceAccount', name: 'reader', namespace }]
  await rbac.createNamespacedRoleBinding({ namespace, body: { metadata: { name: 'read' }, roleRef, subjects } })
})
afterAll(() => server.close())

/** A request as somebody else. */
async function as(user: string, path: string, body?: object): Promise<{ code: number; body: Record<string, unknown> }> {
  const response = await fetch(`${server.url}/clusters/a${path}`, {
    method: body ? 'POST' : 'GET',
    headers: { 'impersonate-user': user, 'content-type': 'application/json' },
    ...(body && { body: JSON.stringify(body) }),
  })
  return { code: response.status, body: (await response.json()) as Record<string, unknown> }
}

const REVIEWS = '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews'
const spec = (verb: string): V1SelfSubjectAccessReviewSpec => ({
  resourceAttributes: { verb, resource: 'pods', namespace },
})

describe('access reviews', () => {
  it('allow the administrator, who asks by default, everything', async () => {
    const access = config.makeApiClient(AuthorizationV1Api)
    const { status } = await access.createSelfSubjectAccessReview({ body: { spec: spec('create') } })
    expect(status).toEqual({
      allowed: true,
      reason:
        'RBAC: allowed by ClusterRoleBinding "cluster-admin" of ClusterRole "cluster-admin" to Group "system:masters"',
    })
  })

  it('answer who impersonates somebody by the roles of that one', async () => {
    const answers = await Promise.all(['list', 'delete'].map((verb) => as(USER, REVIEWS, { spec: spec(verb) })))
    expect(answers).toMatchObject([
      { code: 201, body: { kind: 'SelfSubjectAccessReview', status: { allowed: true } } },
      { code: 201, body: { status: { allowed: false } } },
    ])
    const mine = await as('eve', '/apis/authentication.k8s.io/v1/selfsubjectreviews', {})
    expect(mine.body.status).toEqual({ userInfo: { username: 'eve', groups: ['system:authenticated'] } })
  })

  it('list the rules that somebody has in a namespace', async () => {
    const path = '/apis/authorization.k8s.io/v1/selfsubjectrulesreviews'
    const { body } = await as(USER, path, { spec: { namespace } })
    expect(body.status).toMatchObject({
      incomplete: false,
      resourceRules: expect.arrayContaining([
        { verbs: ['get', 'list'], apiGroups: [''], resources: ['pods'] },
      ]) as object,
    })
    expect((await as(USER, path, { spec: {} })).code).toBe(400)
  })

  it('answer for others whoever may ask', async () => {
    const access = config.makeApiClient(AuthorizationV1Api)
    const body = { spec: { ...spec('list'), user: USER } }
    expect((await access.createSubjectAccessReview({ body })).status?.allowed).toBe(true)
    expect((await as(USER, '/apis/authorization.k8s.io/v1/subjectaccessreviews', body)).code).toBe(403)
  })

  it.each([
    ['no question', {}],
    ['two questions', { ...spec('get'), nonResourceAttributes: { path: '/', verb: 'get' } }],
    ['a question of the wrong shape', { resourceAttributes: { verb: 3 } }],
  ])('refuse %s', async (_, wrong) => expect((await as(USER, REVIEWS, { spec: wrong })).code).toBe(400))
})

describe('requests of who impersonates somebody', () => {
  it('may do what that one may', async () => {
    expect((await as(USER, `/api/v1/namespaces/${namespace}/pods`)).code).toBe(200)
    expect((await as(USER, '/version')).code).toBe(200)
    const refused = await as(USER, `/api/v1/namespaces/${namespace}/secrets`)
    expect([refused.code, (refused.body as unknown as Status).message]).toEqual([
      403,
      `secrets is forbidden: User "${USER}" cannot list resource "secrets" in API group "" in the namespace "default"`,
    ])
  })
})

describe('roles and bindings', () => {
  it('are refused where an API server refuses them', async () => {
    const rbac = config.makeApiClient(RbacAuthorizationV1Api)
    const refusal = async (write: Promise<unknown>): Promise<string> => {
      const error = await write.catch((thrown: unknown) => thrown)
      return (JSON.parse((error as ApiException<string>).body) as Status).message ?? ''
    }
    const rules = [{ verbs: [] }, { verbs: ['get'], nonResourceURLs: ['/metrics'] }]
    expect(await refusal(rbac.createNamespacedRole({ namespace, body: { metadata: { name: 'r' }, rules } }))).toBe(
      'Role.rbac.authorization.k8s.io "r" is invalid: [rules[0].verbs: Required value: verbs must contain at least one value, ' +
        'rules[0].apiGroups: Required value: resource rules must supply at least one api group, ' +
        'rules[0].resources: Required value: resource rules must supply at least one resource, ' +
        'rules[1].nonResourceURLs: Invalid value: ["/metrics"]: namespaced rules cannot apply to non-resource URLs]',
    )
    const bound = await rbac.readNamespacedRoleBinding({ namespace, name: 'read' })
    const body = { ...bound, roleRef: { ...bound.roleRef, name: 'other' } }
    expect(await refusal(rbac.replaceNamespacedRoleBinding({ namespace, name: 'read', body }))).toMatch(
      /roleRef: Invalid value: .*immutable/,
    )
  })
})
