/** A stream of numbers that is the same for the same seed (mulberry32), so that a failure can be had again. */
export interface Random {
  /** From 0 to below `limit`. */
  below(limit: number): number
  pick<T>(list: readonly T[]): T
}

export function randomFrom(seed: number): Random {
  let state = seed >>> 0
  const uniform = (): number => {
    state = (state + 0x6d2b79f5) >>> 0
    let t = Math.imul(state ^ (state >>> 15), 1 | state)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32
  }
  const below = (limit: number): number => Math.floor(uniform() * limit)
  return { below, pick: <T>(list: readonly T[]) => list[below(list.length)] as T }
}
