import { definitionName, isRecord } from '../schema/schemas.js'
import { readStructure } from '../schema/structure.js'
import { badRequest } from '../store/api-error.js'
import { type ObjectStore } from '../store/store.js'
import { type Attempt } from './attempt.js'
import { authorize, grantsOf } from './authorize.js'
import { type Identity } from './identity.js'

/** What is asked, as the schemas of these kinds have it. */
interface Question {
  readonly resourceAttributes?: Readonly<Partial<Record<keyof Attempt, string>>>
  readonly nonResourceAttributes?: { readonly verb?: string; readonly path?: string }
}
interface SubjectQuestion extends Question {
  readonly user?: string
  readonly groups?: readonly string[]
}

/** Who asks, and of what cluster. */
export interface Asking {
  readonly store: ObjectStore
  readonly identity: Identity
}

type Review = (asking: Asking, spec: object) => object

/** Questions about access by the path to which they are posted: they are answered and not stored. */
const REVIEWS: Readonly<Record<string, { kind: string; status: Review }>> = {
  'authorization.k8s.io/v1/selfsubjectaccessreviews': { kind: 'SelfSubjectAccessReview', status: accessStatus },
  'authorization.k8s.io/v1/selfsubjectrulesreviews': { kind: 'SelfSubjectRulesReview', status: reviewRules },
  'authorization.k8s.io/v1/subjectaccessreviews': { kind: 'SubjectAccessReview', status: reviewSubject },
  'authentication.k8s.io/v1/selfsubjectreviews': { kind: 'SelfSubjectReview', status: reviewIdentity },
}

/** Answers a review that is posted; null for any other path. Throws ApiError 400 for one that cannot be read. */
export function answerReview(asking: Asking, path: string, body: unknown): object | null {
  const resource = path.replace(/^\/apis\//, '')
  const review = Object.hasOwn(REVIEWS, resource) ? REVIEWS[resource] : undefined
  if (!review) return null
  const apiVersion = resource.slice(0, resource.lastIndexOf('/'))
  const { value, problems } = readStructure(withoutStatus(body), definitionName(apiVersion, review.kind) ?? '')
  const [problem] = problems
  if (problem) throw badRequest(`${review.kind}: ${problem.field}: ${problem.message}`)
  const given = value as { spec?: object }
  return { metadata: {}, ...given, kind: review.kind, apiVersion, status: review.status(asking, given.spec ?? {}) }
}

/** Clients that speak protobuf send an empty answer along. */
function withoutStatus(body: unknown): unknown {
  if (!isRecord(body)) return body ?? {}
  const { status: _, ...asked } = body
  return asked
}

/** Whether a path is one to which reviews are posted. */
export const isReviewPath = (path: string): boolean => Object.hasOwn(REVIEWS, path.replace(/^\/apis\//, ''))

function reviewSubject({ store }: Asking, { user, groups = [], ...asked }: SubjectQuestion): object {
  if (user === undefined && groups.length === 0) throw badRequest('SubjectAccessReview: at least one of user or group')
  return accessStatus({ store, identity: { user: user ?? '', groups } }, asked)
}

function accessStatus({ store, identity }: Asking, asked: Question): object {
  const { allowed, reason, problems } = authorize(store, identity, attemptIn(asked))
  return {
    allowed,
    ...(reason && { reason }),
    ...(problems.length > 0 && { evaluationError: problems.join(', ') }),
  }
}

function attemptIn({ resourceAttributes, nonResourceAttributes }: Question): Attempt {
  if (!resourceAttributes === !nonResourceAttributes) {
    throw badRequest('exactly one of resourceAttributes or nonResourceAttributes must be given')
  }
  if (nonResourceAttributes) return { verb: nonResourceAttributes.verb ?? '', url: nonResourceAttributes.path ?? '' }
  // Protobuf and JSON differ in whether what is not said is there; an empty text says nothing.
  const said = Object.entries(resourceAttributes ?? {}).filter(([, text]) => text !== '')
  return { verb: '', group: '', ...Object.fromEntries(said) }
}

function reviewRules({ store, identity }: Asking, { namespace }: { namespace?: string }): object {
  if (!namespace) throw badRequest('SelfSubjectRulesReview: no namespace on request')
  const grants = grantsOf(store, identity, namespace)
  const rules = grants.flatMap((grant) => grant.rules)
  const problems = grants.flatMap(({ problem }) => problem ?? [])
  return {
    resourceRules: rules.filter(({ resources }) => resources).map(({ nonResourceURLs: _, ...rule }) => rule),
    nonResourceRules: rules.flatMap(({ verbs, nonResourceURLs }) =>
      nonResourceURLs ? [{ verbs, nonResourceURLs }] : [],
    ),
    incomplete: problems.length > 0,
    ...(problems.length > 0 && { evaluationError: problems.join(', ') }),
  }
}

function reviewIdentity({ identity: { user, groups } }: Asking): object {
  return { userInfo: { username: user, groups } }
}
