import { readStructure } from '../schema/structure.js'
import { badRequest } from '../store/api-error.js'
import type { Reply } from './reply.js'

export const ACCESS_REVIEW_PATH = '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews'

/**
 * POST of a SelfSubjectAccessReview. The embedded cluster has no users and denies nobody: whatever is asked is allowed,
 * and the reason says so. Throws ApiError 400.
 */
export function reviewAccess(body: unknown): Reply {
  const { value, problems } = readStructure(body ?? {}, 'authorization.v1.SelfSubjectAccessReview')
  const [problem] = problems
  if (problem) throw badRequest(`SelfSubjectAccessReview: ${problem.field}: ${problem.message}`)
  const status = { allowed: true, reason: 'the embedded cluster denies nobody' }
  const review = { kind: 'SelfSubjectAccessReview', apiVersion: 'authorization.k8s.io/v1', metadata: {} }
  return { kind: 'json', code: 201, body: { ...review, ...(value as object), status } }
}
