import { createInterface } from 'node:readline/promises'
import { styleText } from 'node:util'

type Style = 'bold' | 'dim' | 'red' | 'green' | 'yellow' | 'cyan'

/** One stream to write on. */
export interface Screen {
  write(text: string): void
  style(style: Style, text: string): string
  /** True when people watch it as it is written, so that lines may be written over. */
  readonly live: boolean
  readonly columns: number
}

/** Where the command line writes: results go to `out`; progress, warnings and errors to `err`. */
export interface Terminal {
  readonly out: Screen
  readonly err: Screen
  /** Asks whoever sits there; null where nobody does. */
  readonly ask: ((question: string, signal?: AbortSignal) => Promise<string>) | null
}

function screenOf(stream: NodeJS.WriteStream, noColor: boolean): Screen {
  const color = stream.isTTY && !noColor
  return {
    write: (text) => void stream.write(text),
    style: (style, text) => (color ? styleText(style, text, { validateStream: false }) : text),
    live: stream.isTTY,
    get columns() {
      return stream.columns || 80
    },
  }
}

/** Rejects with an AbortError when `signal` aborts. Ctrl-C is a signal to the process, as everywhere else. */
async function askOnTerminal(question: string, signal?: AbortSignal): Promise<string> {
  const lines = createInterface({ input: process.stdin, output: process.stderr })
  lines.on('SIGINT', () => process.kill(process.pid, 'SIGINT'))
  try {
    return await (signal ? lines.question(question, { signal }) : lines.question(question))
  } finally {
    lines.close()
  }
}

/** The process's own streams. Colour only on a screen, and never with `noColor`. */
export function processTerminal(settings: { noColor: boolean }): Terminal {
  // A reader that went away (`ordeal run … | head`) must not end a cycle before its clean-up.
  process.stdout.on('error', () => {})
  process.stderr.on('error', () => {})
  const ask = process.stdin.isTTY && process.stderr.isTTY ? askOnTerminal : null
  return { out: screenOf(process.stdout, settings.noColor), err: screenOf(process.stderr, settings.noColor), ask }
}
