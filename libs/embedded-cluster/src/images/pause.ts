import { type Image, type Program, type ProgramHost } from './program.js'

/** The image that Chaos Mesh puts in place of a failed pod's own. */
export const PAUSE_IMAGE = 'gcr.io/google-containers/pause:latest'

/** Does nothing, listens nowhere, and exits 0 on SIGTERM. */
export const pause: Image = (host) => new Pause(host)

class Pause implements Program {
  private ended = false

  constructor(private readonly host: ProgramHost) {}

  terminate(): void {
    if (this.ended) return
    this.ended = true
    this.host.exit(0)
  }

  kill(): void {
    this.ended = true
  }
}
