/** Virtual milliseconds that the parts of a pod's start take, within which each is drawn. */
export const SANDBOX_MS = [500, 1000] as const
export const CREATE_MS = [100, 300] as const
export const START_MS = [50, 200] as const
export const TEAR_DOWN_MS = [100, 1000] as const
export const STATUS_MS = [5, 30] as const
/** The kubelet looks at its containers once a second. */
export const RELIST_MS = [50, 1000] as const
/** How soon it tries again what could not be done. */
export const RETRY_MS = [10_000, 15_000] as const
/** A volume that could not be mounted is tried again after this, doubling. */
export const FIRST_MOUNT_MS = 500
export const MAX_MOUNT_MS = 122_000
export const DEFAULT_GRACE_SECONDS = 30
/** No container is killed sooner than this after SIGTERM. */
export const LEAST_GRACE_SECONDS = 2
