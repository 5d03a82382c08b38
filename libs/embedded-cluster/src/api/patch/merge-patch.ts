import { isRecord } from '../../schema/schemas.js'

/** RFC 7386: objects are merged, null removes a field, everything else replaces. The target is not changed. */
export function mergePatch(target: unknown, patch: unknown): unknown {
  if (!isRecord(patch)) return patch
  const merged = new Map(isRecord(target) ? Object.entries(target) : [])
  for (const [field, value] of Object.entries(patch)) {
    if (value === null) merged.delete(field)
    else merged.set(field, mergePatch(merged.get(field), value))
  }
  return Object.fromEntries(merged)
}
