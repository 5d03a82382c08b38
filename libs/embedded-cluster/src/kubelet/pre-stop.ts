import { type Container } from '../controllers/objects.js'

const SLEEP = /(?:^|[\s;&])sleep\s+(\d+(?:\.\d+)?)/

/** How long the container's preStop hook takes, ms: a sleep, or a command that sleeps; any other command takes no time. */
export function preStopMs({ lifecycle }: Container): number {
  const { sleep, exec } = lifecycle?.preStop ?? {}
  if (sleep) return sleep.seconds * 1000
  const seconds = SLEEP.exec((exec?.command ?? []).join(' '))?.[1]
  return seconds === undefined ? 0 : Number(seconds) * 1000
}
