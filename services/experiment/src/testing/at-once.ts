/**
 * Starts works at once, each to be awaited by a test of its own: on a real cluster nearly all of the time is waiting.
 * A work that fails before its test awaits it fails that test.
 */
export function atOnce<T extends Record<string, () => Promise<unknown>>>(
  works: T,
): { readonly [K in keyof T]: ReturnType<T[K]> } {
  const started = Object.entries(works).map(([name, work]) => {
    const result = work()
    result.catch(() => undefined)
    return [name, result] as const
  })
  return Object.fromEntries(started) as { readonly [K in keyof T]: ReturnType<T[K]> }
}
