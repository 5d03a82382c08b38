import { PROBER_IMAGE } from '@ordeal/prober'
import { defaultImage } from './default-image.js'
import { pause } from './pause.js'
import { prober } from './prober.js'
import { type Image } from './program.js'
import { parseScript, shell } from './shell.js'
import { testapp } from './testapp.js'

const TESTAPP_IMAGE = 'ordeal/testapp:1'
/** Measured on a real node. */
const TESTAPP_BYTES = 5.5 * 1024 * 1024
const SMALL_BYTES = 768 * 1024
const PAUSE = /^(gcr\.io\/google[-_]containers|registry\.k8s\.io)\/pause(:|@|$)/

export interface KnownImage {
  readonly image: Image
  /** False when the default behaviour stands in for the real one. */
  readonly builtIn: boolean
  /** Bytes that its program holds when idle; null where that is not known. */
  readonly memory: number | null
}

/** The behaviour of an image, by the name and the command that a manifest uses. */
export function imageNamed(name: string, command: readonly string[] = []): KnownImage {
  const bare = name.replace(/^(docker\.io\/)?/, '')
  if (bare === TESTAPP_IMAGE) return { image: testapp, builtIn: true, memory: TESTAPP_BYTES }
  if (bare === PROBER_IMAGE) return { image: prober, builtIn: true, memory: SMALL_BYTES }
  if (PAUSE.test(name)) return { image: pause, builtIn: true, memory: SMALL_BYTES }
  if (parseScript(command)) return { image: shell, builtIn: true, memory: SMALL_BYTES }
  return { image: defaultImage, builtIn: false, memory: null }
}
