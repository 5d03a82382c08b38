import { createEngine } from '../engine.js'
import { noKind } from '../schema/refused-kinds.js'
import { definitionOfKind } from '../schema/resources.js'
import { ApiError } from '../store/api-error.js'
import { bootstrap } from './bootstrap.js'
import { createObject, type WriteTarget } from './write-object.js'

/** An object that the embedded cluster would not take, and the API server's words for it. */
export interface Refusal {
  /** `Kind/name`. */
  readonly object: string
  readonly message: string
}

/** An object of the Kubernetes API, as far as it must be known to be sent anywhere. */
export interface Applicant {
  readonly apiVersion: string
  readonly kind: string
  readonly metadata: { readonly name: string }
}

function refusalOf(target: WriteTarget, applicant: Applicant): Refusal[] {
  const object = `${applicant.kind}/${applicant.metadata.name}`
  const definition = definitionOfKind(applicant.apiVersion, applicant.kind)
  if (!definition) {
    return [{ object, message: noKind(applicant.apiVersion, applicant.kind) }]
  }
  const namespace = definition.namespaced ? 'default' : null
  const body = { ...applicant, metadata: { ...applicant.metadata, namespace: namespace ?? undefined } }
  try {
    createObject(target, { definition, namespace, name: null, subresource: null }, body, { dryRun: true })
    return []
  } catch (error) {
    if (error instanceof ApiError) return [{ object, message: error.message }]
    throw error
  }
}

/** All objects that a new embedded cluster would refuse, each by itself, without starting a server. */
export function refusalsOf(applicants: readonly Applicant[]): Refusal[] {
  const engine = createEngine({ seed: 1, startMs: 0 })
  try {
    bootstrap(engine.store)
    return applicants.flatMap((applicant) => refusalOf(engine, applicant))
  } finally {
    engine.close()
  }
}
