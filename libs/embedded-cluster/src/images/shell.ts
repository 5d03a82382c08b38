import { type Timer } from '../kernel/kernel.js'
import { type Image, type Program, type ProgramHost } from './program.js'

/** A step of a script. */
type Step =
  | { readonly do: 'sleep'; readonly ms: number }
  | { readonly do: 'echo'; readonly text: string }
  | { readonly do: 'exit'; readonly code: number }

const SHELL = /(^|\/)(sh|bash|ash|dash)$/
const UNITS: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3600, d: 86_400 }
const FOREVER_MS = 100 * 365 * 86_400_000

/**
 * Reads a command that does nothing but sleep, echo, exit, true, false: `sleep 30`, `sh -c "echo hi; sleep 5; exit 3"`.
 * Null for any other, whose image's own behaviour counts.
 */
export function parseScript(command: readonly string[]): readonly Step[] | null {
  const [program = '', flag, script = ''] = command
  if (program === '') return null
  const lines = SHELL.test(program) && flag === '-c' ? script.split(/&&|[;\n]/) : [command.join(' ')]
  const steps = lines.map((line) => line.trim()).filter((line) => line !== '')
  const read = steps.map(parseStep)
  return read.length > 0 && !read.includes(null) ? (read as Step[]) : null
}

/** How a script ends, and after how long, without being run. */
export function outcomeOf(steps: readonly Step[]): { exitCode: number; tookMs: number } {
  let tookMs = 0
  for (const step of steps) {
    if (step.do === 'exit') return { exitCode: step.code, tookMs }
    if (step.do === 'sleep') tookMs += step.ms
  }
  return { exitCode: 0, tookMs }
}

function parseStep(line: string): Step | null {
  const [word = '', ...rest] = line.split(/\s+/)
  const text = rest.join(' ')
  switch (word.replace(/^.*\//, '')) {
    case 'sleep':
      return sleep(text)
    case 'echo':
      return /[$`|<>()]/.test(text) ? null : { do: 'echo', text: text.replace(/^(['"])(.*)\1$/, '$2') }
    case 'exit':
      return /^\d{1,3}$/.test(text) ? { do: 'exit', code: Number(text) } : null
    case 'true':
    case ':':
      return { do: 'echo', text: '' }
    case 'false':
      return { do: 'exit', code: 1 }
    default:
      return null
  }
}

function sleep(text: string): Step | null {
  if (text === 'infinity' || text === 'inf') return { do: 'sleep', ms: FOREVER_MS }
  const [, amount, unit = 's'] = /^(\d+(?:\.\d+)?)([smhd])?$/.exec(text) ?? []
  return amount === undefined ? null : { do: 'sleep', ms: Number(amount) * (UNITS[unit] ?? 1) * 1000 }
}

/**
 * A shell or one of its commands. As the first process of its container it does not hear SIGTERM, so that it takes the
 * whole grace period to end, as on a real node.
 */
export const shell: Image = (host) => new Script(host, parseScript(host.command) ?? [])

class Script implements Program {
  private timer: Timer

  constructor(
    private readonly host: ProgramHost,
    private readonly steps: readonly Step[],
  ) {
    this.timer = host.kernel.after(1, this, 'run', 0)
  }

  terminate(): void {
    // Not heard: see above.
  }

  kill(): void {
    this.timer.cancel()
  }

  /** For the kernel: takes a step. */
  run(index: number): void {
    const step = this.steps[index]
    if (!step) return this.host.exit(0)
    if (step.do === 'exit') return this.host.exit(step.code)
    if (step.do === 'echo' && step.text !== '') this.host.log(step.text)
    this.timer = this.host.kernel.after(step.do === 'sleep' ? step.ms : 0, this, 'run', index + 1)
  }
}
