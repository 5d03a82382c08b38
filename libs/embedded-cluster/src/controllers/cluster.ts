import { type ImageProfiles } from '../images/image-profile.js'
import { type Kernel } from '../kernel/kernel.js'
import { type ObjectStore } from '../store/store.js'
import { type EventRecorder } from './events.js'

/** What every controller works with. */
export interface Cluster {
  readonly kernel: Kernel
  readonly store: ObjectStore
  readonly events: EventRecorder
  /** How images behave that are not built in. */
  readonly images: ImageProfiles
  /** Notes something that the embedded cluster takes for granted; told once, shown with every result. */
  assume(text: string): void
}
