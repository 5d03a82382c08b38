/** Nothing that Kubernetes has is nested so deeply; whoever reads a value by recursion is safe below it. */
const MAX_DEPTH = 500

/** Whether objects and lists are nested more deeply than anything that can be read. Needs no stack itself. */
export function isTooDeep(value: unknown): boolean {
  let level: unknown[] = [value]
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > MAX_DEPTH) return true
    level = level.flatMap((part) =>
      typeof part === 'object' && part !== null ? (Object.values(part) as unknown[]) : [],
    )
  }
  return false
}
