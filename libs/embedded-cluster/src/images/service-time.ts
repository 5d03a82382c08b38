import { type RandomStream } from '../kernel/random.js'

/** How long requests hold their workers. */
export interface ServiceTime {
  /** Of the next request, in ms. */
  next(): number
}

export class ConstantTime implements ServiceTime {
  constructor(private readonly ms: number) {}

  next(): number {
    return this.ms
  }
}

export class ExponentialTime implements ServiceTime {
  constructor(
    private readonly random: RandomStream,
    private readonly meanMs: number,
  ) {}

  next(): number {
    return this.random.exponential(this.meanMs)
  }
}
