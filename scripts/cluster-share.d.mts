export interface Turn {
  readonly turn: number
  readonly why: string
}
export function longSpecs(): string[]
export function turnOf(nowMs: number): Turn
export function shareOf(
  files: readonly string[],
  wanted: string | undefined,
  turn: Turn,
): { readonly files: string[]; readonly why: string }
