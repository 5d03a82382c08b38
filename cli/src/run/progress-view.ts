import { type Screen } from '../terminal/terminal.js'
import { fit, humanTime } from '../terminal/text.js'
import { type ProgressLine } from './describe-event.js'

/** Shows how a cycle goes. Nothing may be written to its screen between `show` and `close`, but while it is held. */
export interface ProgressView {
  show(line: ProgressLine): void
  /** Leaves the screen to somebody else, until what it answers is called; what is shown meanwhile is shown then. */
  hold(): () => void
  /** Ends the view, leaving the screen at the start of a line. Safe to call again. */
  close(): void
}

const MARKS = { done: '✓', bad: '✗', fault: '⚡', detail: '·', step: '…' } as const
const FRAMES = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'] as const
const CLEAR = '\r\u001b[2K'
const FRAME_MS = 100

/** Milliseconds of a clock that never goes back. */
export type Clock = () => number

function painted(screen: Screen, line: ProgressLine): string {
  switch (line.mark) {
    case 'done':
      return `${screen.style('green', MARKS.done)} ${line.text}`
    case 'bad':
      return `${screen.style('red', MARKS.bad)} ${line.text}`
    case 'fault':
      return `  ${screen.style('yellow', MARKS.fault)} ${line.text}`
    case 'detail':
      return `  ${screen.style('dim', `${MARKS.detail} ${line.text}`)}`
    case 'step':
      return screen.style('dim', `${MARKS.step} ${line.text}`)
  }
}

/** One line for each thing that happens, with the time since the start: for logs and pipes. */
function plainView(screen: Screen, clock: Clock): ProgressView {
  const start = clock()
  let last = ''
  return {
    show: (line) => {
      const text = painted(screen, line)
      if (text === last) return
      last = text
      screen.write(`[${humanTime(clock() - start).padStart(6)}] ${text}\n`)
    },
    hold: () => () => {},
    close: () => {},
  }
}

/** What happened stays, one line each; below it one line that moves tells what is going on. */
function liveView(screen: Screen, clock: Clock): ProgressView {
  let current = 'starting the services'
  let since = clock()
  let frame = 0
  let closed = false
  let held: ProgressLine[] | null = null
  const status = (): void => {
    if (held) return
    const spinner = FRAMES[frame++ % FRAMES.length] as string
    const time = humanTime(clock() - since)
    screen.write(`${CLEAR}${screen.style('cyan', spinner)} ${fit(current, screen.columns - time.length - 5)} ${time}`)
  }
  const timer = setInterval(status, FRAME_MS)
  timer.unref()
  status()
  const view: ProgressView = {
    show: (line) => {
      if (held) return void held.push(line)
      const next = line.mark === 'step' ? line.text : line.next
      if (next !== undefined && next !== current) [current, since] = [next, clock()]
      if (line.mark !== 'step') {
        screen.write(`${CLEAR}${painted(screen, { ...line, text: fit(line.text, screen.columns - 4) })}\n`)
      }
      status()
    },
    hold: () => {
      held ??= []
      screen.write(CLEAR)
      return () => {
        const lines = held ?? []
        held = null
        for (const line of lines) view.show(line)
      }
    },
    close: () => {
      if (!closed) screen.write(CLEAR)
      closed = true
      clearInterval(timer)
    },
  }
  return view
}

/** The view that suits the screen. */
export function progressView(screen: Screen, clock: Clock): ProgressView {
  return screen.live ? liveView(screen, clock) : plainView(screen, clock)
}
