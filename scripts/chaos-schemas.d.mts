export const DEFINITIONS: readonly string[]
export function trimDefinitions(crds: readonly unknown[]): { kinds: Record<string, object>; workflow: object }
