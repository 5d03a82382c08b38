import { z } from 'zod'
import { objectId } from './graph.js'

/**
 * One proposed change. `edit` sets the value at the JSON pointer `path` (`after` undefined removes it); `create` and
 * `replace` carry the whole object in `after`, `replace` names the object it takes the place of in `object`.
 */
export const changeSchema = z.object({
  kind: z.enum(['edit', 'create', 'delete', 'replace']),
  object: objectId,
  path: z.string(),
  before: z.unknown().optional(),
  after: z.unknown().optional(),
  /** Where it lands in the user's files; null until the patch is rendered. */
  file: z.string().nullable(),
  reason: z.string(),
  /** Steady states or finding rules that it mends. */
  fixes: z.array(z.string()),
})
export type Change = z.infer<typeof changeSchema>

/** What a revision asks of the cluster beyond its parent. */
export const costSchema = z.object({
  replicas: z.number().int(),
  /** Cores requested. */
  cpu: z.number(),
  /** Bytes requested. */
  memory: z.number(),
})

export const rejectedSchema = z.object({ idea: z.string(), why: z.string() })

/** A proposed revision. `changes` are cumulative: all since r0, not only those since its parent. */
export const revisionSchema = z.object({
  number: z.number().int().nonnegative(),
  parent: z.number().int().nonnegative().nullable(),
  changes: z.array(changeSchema),
  /** Whose idea the newest of them are; absent for the rules'. */
  by: z.enum(['rules', 'model', 'person']).optional(),
  cost: costSchema,
  rejected: z.array(rejectedSchema),
})
export type Revision = z.infer<typeof revisionSchema>

/** An object of the Kubernetes API as plain JSON. */
const kubernetesObject = z
  .object({ apiVersion: z.string(), kind: z.string(), metadata: z.object({ name: z.string() }).catchall(z.json()) })
  .catchall(z.json())

/** Objects of a revision as they are applied; credentials are references (`ordeal-secret:<n>`). */
export const manifestsSchema = z.object({ objects: z.array(kubernetesObject) })
export type Manifests = z.infer<typeof manifestsSchema>
