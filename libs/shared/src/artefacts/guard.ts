import { z } from 'zod'
import { parseDuration } from '../duration.js'
import { InputError } from '../errors.js'

/** When a run is stopped before its time, for the sake of the application and whoever uses it. */
export interface Guard {
  /** As it was written. */
  readonly text: string
  /** Id of the steady state that is watched; null means every one that a user sees. */
  readonly steadyState: string | null
  readonly rule:
    | { readonly kind: 'availability'; readonly below: number; readonly forMs: number }
    | { readonly kind: 'failures'; readonly inARow: number }
}

const REMEDY = `Write 'availability<50% for 10s' or '20 failures in a row', with 'ID: ' before it for one steady state`

const FORM =
  /^(?:([a-z0-9-]+)\s*:\s*)?(?:availability\s*<\s*(\d{1,3}(?:\.\d+)?)\s*%\s+for\s+(\S+)|(\d{1,6})\s+failures\s+in\s+a\s+row)$/

/** Reads `[ID: ]availability<N% for DURATION` or `[ID: ]N failures in a row`. Throws InputError with the forms. */
export function parseGuard(text: string): Guard {
  const found = FORM.exec(text.trim())
  if (!found) throw new InputError(`'${text}' does not say when to abort`, null, REMEDY)
  const [, steadyState = null, percent, length, inARow] = found
  return { text: text.trim(), steadyState, rule: ruleOf(percent, length, inARow) }
}

function ruleOf(percent: string | undefined, length: string | undefined, inARow: string | undefined): Guard['rule'] {
  if (percent === undefined || length === undefined) return failures(Number(inARow))
  const [below, forMs] = [Number(percent) / 100, parseDuration(length)]
  if (below <= 0 || below > 1) throw new InputError(`availability<${percent}% never or always holds`, null, REMEDY)
  if (forMs < 1000) throw new InputError(`${length} is too short to tell`, null, 'Give at least one second')
  return { kind: 'availability', below, forMs }
}

function failures(inARow: number): Guard['rule'] {
  if (inARow < 1) throw new InputError('0 failures in a row always hold', null, REMEDY)
  return { kind: 'failures', inARow }
}

/** A guard as options carry it: the text that `parseGuard` reads. */
export const guardText = z
  .string()
  .superRefine((text, context) => {
    try {
      parseGuard(text)
    } catch (error) {
      context.addIssue({ code: 'custom', message: (error as Error).message })
    }
  })
  .describe(`When a run is stopped: \`[ID: ]availability<N% for DURATION\` or \`[ID: ]N failures in a row\``)
