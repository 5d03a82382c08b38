type JsonObject = Record<string, unknown>

const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/**
 * The JSON merge patch (RFC 7386) that leads from `before` to `after`; null when they are equal. Lists are replaced as
 * a whole. What only the server knows (defaults, status) is in neither and stays.
 */
export function mergePatch(before: JsonObject, after: JsonObject): JsonObject | null {
  const patch: JsonObject = {}
  for (const key of Object.keys(before)) if (after[key] === undefined && before[key] !== undefined) patch[key] = null
  for (const [key, value] of Object.entries(after)) {
    const change = changeOf(before[key], value)
    if (change !== undefined) patch[key] = change
  }
  return Object.keys(patch).length ? patch : null
}

/** Undefined where nothing changes. */
function changeOf(before: unknown, after: unknown): unknown {
  if (isObject(before) && isObject(after)) return mergePatch(before, after) ?? undefined
  return JSON.stringify(before) === JSON.stringify(after) ? undefined : after
}
