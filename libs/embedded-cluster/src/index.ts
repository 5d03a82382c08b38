export { Kernel, Timer, type RunEnd, type RunOptions } from './kernel/kernel.js'
export { RandomStream } from './kernel/random.js'
export { ObjectStore } from './store/store.js'
export { ApiError } from './store/api-error.js'
