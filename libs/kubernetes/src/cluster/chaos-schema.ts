import { readFileSync } from 'node:fs'
import { Ajv, type ErrorObject } from 'ajv'
import { type ClusterObject } from './object.js'

/** Trimmed from a cluster's own definitions by scripts/make-chaos-schemas.mjs. */
interface Schemas {
  /** Which Chaos Mesh they come from. */
  readonly source: string
  readonly kinds: Readonly<Record<string, object>>
  readonly workflow: object
}

const schemas = JSON.parse(readFileSync(new URL('./generated/chaos-schemas.json', import.meta.url), 'utf8')) as Schemas

/** Formats of Kubernetes that say how a number or a text is stored. */
const FORMATS = { int32: true, int64: true, byte: true } as const

const ajv = new Ajv({ strict: false, allErrors: true, formats: FORMATS })
  // A field that a definition does not have is an error, as it is for a server asked to be strict.
  .addSchema({ ...(closed(schemas) as object), $id: 'chaos-mesh' })

/**
 * What Chaos Mesh's own definition of the kind finds wrong with an object's `spec`, each with the field's place; also for
 * a Workflow. Empty when it would take it. Throws for a kind that is none of Chaos Mesh's.
 */
export function schemaProblems({ kind, spec }: ClusterObject): string[] {
  const validate = ajv.getSchema(kind === 'Workflow' ? 'chaos-mesh#/workflow' : `chaos-mesh#/kinds/${kind}`)
  if (!validate) throw new Error(`no schema of ${kind}`)
  if (validate(spec)) return []
  return (validate.errors ?? []).map((error) => `${placeOf(error)} ${wordsOf(error)} (${schemas.source})`)
}

const placeOf = ({ instancePath }: ErrorObject): string => `spec${instancePath.replaceAll('/', '.')}`

function wordsOf({ message = 'is wrong', params }: ErrorObject): string {
  const { additionalProperty, allowedValues } = params as { additionalProperty?: string; allowedValues?: string[] }
  if (additionalProperty !== undefined) return `has no field ${additionalProperty}`
  return allowedValues ? `${message}: ${allowedValues.join(', ')}` : message
}

/** Objects with named fields have no others, unless the schema says so. */
function closed(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(closed)
  if (typeof node !== 'object' || node === null) return node
  const inner = Object.fromEntries(Object.entries(node).map(([key, value]) => [key, closed(value)]))
  const isOpen = 'additionalProperties' in node || !('type' in node && node.type === 'object' && 'properties' in node)
  return isOpen ? inner : { ...inner, additionalProperties: false }
}
