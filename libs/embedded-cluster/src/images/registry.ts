import { PROBER_IMAGE } from '@ordeal/prober'
import { defaultImage } from './default-image.js'
import { pause } from './pause.js'
import { prober } from './prober.js'
import { type Image } from './program.js'
import { parseScript, shell } from './shell.js'
import { testapp } from './testapp.js'

const TESTAPP_IMAGE = 'ordeal/testapp:1'
const PAUSE = /^(gcr\.io\/google[-_]containers|registry\.k8s\.io)\/pause(:|@|$)/

export interface KnownImage {
  readonly image: Image
  /** False when the default behaviour stands in for the real one. */
  readonly builtIn: boolean
}

/** The behaviour of an image, by the name and the command that a manifest uses. */
export function imageNamed(name: string, command: readonly string[] = []): KnownImage {
  const bare = name.replace(/^(docker\.io\/)?/, '')
  if (bare === TESTAPP_IMAGE) return { image: testapp, builtIn: true }
  if (bare === PROBER_IMAGE) return { image: prober, builtIn: true }
  if (PAUSE.test(name)) return { image: pause, builtIn: true }
  if (parseScript(command)) return { image: shell, builtIn: true }
  return { image: defaultImage, builtIn: false }
}
