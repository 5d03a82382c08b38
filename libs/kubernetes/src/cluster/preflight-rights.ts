import { type Api } from './api.js'
import { isRefused } from './errors.js'
import { FINE, type Check, type Need } from './preflight-check.js'
import { type Resource } from './paths.js'

const REVIEW = { apiVersion: 'authorization.k8s.io/v1', kind: 'SelfSubjectAccessReview' }

interface Question {
  readonly verb: string
  readonly group: string
  readonly resource: string
  readonly subresource?: string
  readonly namespace?: string
}

/** Every need is granted, by the server's own word. A cluster that knows no such review has nothing to grant. */
export const rightsGranted: Check = async (api, paths, { needs }) => {
  if (!(await paths.knows(REVIEW))) return FINE
  const questions = (await Promise.all(needs.map(async (need) => questionsOf(need, await resourceOf(need))))).flat()
  const answers = await Promise.all(questions.map((question) => isAllowed(api, question)))
  const denied = questions.filter((_, index) => !answers[index])
  return { refusals: sentences(denied), warnings: [] }

  async function resourceOf(need: Need): Promise<Resource | null> {
    try {
      return await paths.resource(need)
    } catch (error) {
      // What the cluster does not know is refused with the object, in better words.
      if (isRefused(error, 404)) return null
      throw error
    }
  }
}

function questionsOf(need: Need, resource: Resource | null): Question[] {
  if (!resource) return []
  const { apiVersion, verbs, subresource } = need
  const group = apiVersion.includes('/') ? (apiVersion.split('/')[0] ?? '') : ''
  const namespace = resource.namespaced ? need.namespace : undefined
  return verbs.map((verb) => ({ verb, group, resource: resource.name, subresource, namespace }))
}

async function isAllowed(api: Api, question: Question): Promise<boolean> {
  const { status } = await api.json<{ status: { allowed: boolean } }>({
    method: 'POST',
    path: '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews',
    body: { ...REVIEW, spec: { resourceAttributes: question } },
  })
  return status.allowed
}

/** One sentence for each namespace (and one for the cluster): what is missing there. */
function sentences(denied: readonly Question[]): string[] {
  const places = Map.groupBy(denied, (q) => (q.namespace ? `in namespace ${q.namespace}` : 'in the whole cluster'))
  return [...places].map(([place, questions]) => {
    const resources = Map.groupBy(questions, ({ group, resource, subresource }) =>
      [[resource, subresource].filter(Boolean).join('/'), group].filter(Boolean).join('.'),
    )
    const words = [...resources].map(
      ([resource, of]) => `${[...new Set(of.map((q) => q.verb))].join(', ')} ${resource}`,
    )
    return `the credentials may not ${words.join('; ')} ${place}`
  })
}
