import type { Container, Program } from './deploy-rules.mjs'

/** An object of a rendered set, as YAML gives it. */
export type RenderedObject = Record<string, unknown>

export function containersOf(
  objects: readonly RenderedObject[],
  programs: Readonly<Record<string, Program>>,
): Container[]
export function checkObjects(objects: readonly RenderedObject[]): string[]
