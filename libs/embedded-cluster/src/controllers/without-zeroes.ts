/** Go leaves fields out that are zero. */
export function withoutZeroes<T extends Record<string, number>>(counts: T): Partial<T> {
  return Object.fromEntries(Object.entries(counts).filter(([, count]) => count !== 0)) as Partial<T>
}
