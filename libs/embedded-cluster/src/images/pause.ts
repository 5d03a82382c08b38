import { type Image } from './program.js'

/** The image that Chaos Mesh puts in place of a failed pod's own. */
export const PAUSE_IMAGE = 'gcr.io/google-containers/pause:latest'

/** Does nothing, listens nowhere, and exits 0 on SIGTERM. */
export const pause: Image = (host) => {
  let ended = false
  return {
    terminate: () => {
      if (ended) return
      ended = true
      host.exit(0)
    },
    kill: () => {
      ended = true
    },
  }
}
