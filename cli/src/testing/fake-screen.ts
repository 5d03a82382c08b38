import { type Screen } from '../terminal/terminal.js'

/** A screen that keeps what is written on it, without colours. */
export function fakeScreen(
  options: { live?: boolean; columns?: number } = {},
): Screen & { readonly text: () => string } {
  const written: string[] = []
  return {
    write: (text) => void written.push(text),
    style: (_, text) => text,
    live: options.live ?? false,
    columns: options.columns ?? 100,
    text: () => written.join(''),
  }
}
