import { type ClusterObject, type ObjectRef } from '../cluster/object.js'

/** One write, as data: JSON merge patches, whole objects, removals. */
export type Write =
  | { readonly do: 'patch'; readonly ref: ObjectRef; readonly patch: Record<string, unknown> }
  | { readonly do: 'create'; readonly object: ClusterObject }
  | { readonly do: 'remove'; readonly ref: ObjectRef }

/** What a functional fault does to a cluster, and what takes it back. */
export interface Operation {
  /** In words: `Service/web sends traffic to port 1`. */
  readonly what: string
  readonly writes: readonly Write[]
  /** In order; empty where nothing stays that could be taken back. */
  readonly undo: readonly Write[]
  /** Pods that are to be evicted, after the writes. */
  readonly evictions: readonly ObjectRef[]
}

/** Thrown when a fault cannot be carried out on the objects as they are; says what is missing. */
export class OperationError extends Error {}

export const refTo = ({ apiVersion, kind, metadata: { name, namespace } }: ClusterObject): ObjectRef => ({
  apiVersion,
  kind,
  metadata: { name, ...(namespace === undefined ? {} : { namespace }) },
})

/** An operation that sets fields of one object; `before` is what they were. */
export function patchOf(
  object: ClusterObject,
  { what, patch, before }: { what: string; patch: Record<string, unknown>; before: Record<string, unknown> },
): Operation {
  const ref = refTo(object)
  return { what, writes: [{ do: 'patch', ref, patch }], undo: [{ do: 'patch', ref, patch: before }], evictions: [] }
}
