export interface Variable {
  readonly value?: string
  readonly secret?: boolean
}

/** A program as `scripts/deploy-programs.mjs` describes it. */
export interface Program {
  readonly variables: ReadonlySet<string>
  readonly paths: ReadonlySet<string>
  readonly parse: (environment: Record<string, string | undefined>) => unknown
}

/** A container of any deployment; `program` is null for images of others. */
export interface Container {
  readonly place: string
  readonly program: Program | null
  readonly image: string
  readonly environment: Record<string, Variable>
  readonly services: Record<string, number[]>
  readonly probes: { kind: string; path: string; port: number | string }[]
  readonly graceMs: number
  readonly preStopMs: number
  readonly nonRoot: boolean
  readonly readOnly: boolean
  readonly dropsAll: boolean
  readonly noEscalation: boolean
  readonly limited: boolean
}

export const SECRETS: Readonly<Record<string, string>>
export function checkContainer(container: Container): string[]
