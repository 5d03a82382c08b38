import { type RandomStream } from '../kernel/random.js'
import { LOST, REJECTED, type PacketEffect } from './peer.js'

/** Random numbers in [0, 1) that depend, by a share, on the last one as those of Linux' netem do. */
class CorrelatedDraw {
  private last: number

  constructor(
    private readonly random: RandomStream,
    private readonly correlation: number,
  ) {
    this.last = random.uniform()
  }

  next(): number {
    if (this.correlation === 0) return this.random.uniform()
    this.last = this.random.uniform() * (1 - this.correlation) + this.last * this.correlation
    return this.last
  }
}

export interface DelayOptions {
  readonly latencyMs: number
  readonly jitterMs: number
  /** Share between 0 and 1, as all those below. */
  readonly correlation: number
  /** Every `gap`th packet goes at once with this chance. */
  readonly reorder: { readonly share: number; readonly correlation: number; readonly gap: number } | null
}

/** netem delay, with jitter, and with packets that overtake others. */
export class DelayEffect implements PacketEffect {
  private readonly jitter: CorrelatedDraw
  private readonly overtaking: CorrelatedDraw
  private counter = 0

  constructor(
    private readonly options: DelayOptions,
    random: RandomStream,
  ) {
    this.jitter = new CorrelatedDraw(random, options.correlation)
    this.overtaking = new CorrelatedDraw(random, options.reorder?.correlation ?? 0)
  }

  onPacket(): number {
    const { latencyMs, jitterMs, reorder } = this.options
    if (reorder && this.counter >= reorder.gap - 1 && this.overtaking.next() <= reorder.share) {
      this.counter = 0
      return 0
    }
    this.counter += 1
    return jitterMs === 0 ? latencyMs : Math.max(0, latencyMs + jitterMs * (2 * this.jitter.next() - 1))
  }
}

/** netem loss; also corrupt, since a packet whose checksum is wrong is thrown away where it arrives. */
export class LossEffect implements PacketEffect {
  private readonly draw: CorrelatedDraw

  constructor(
    private readonly share: number,
    correlation: number,
    random: RandomStream,
  ) {
    this.draw = new CorrelatedDraw(random, correlation)
  }

  onPacket(): number {
    return this.draw.next() < this.share ? LOST : 0
  }
}

/** A partition: nothing gets through. */
export class CutEffect implements PacketEffect {
  constructor(private readonly rejects: boolean) {}

  onPacket(): number {
    return this.rejects ? REJECTED : LOST
  }
}

export interface RateOptions {
  readonly bytesPerMs: number
  /** Bytes that may go at once after a pause. */
  readonly burstBytes: number
  /** Bytes that may wait; more is thrown away. */
  readonly queueBytes: number
}

/** A line of limited rate: tc's tbf (bandwidth), and netem's rate. */
export class RateEffect implements PacketEffect {
  private tokens: number
  private at = 0

  constructor(private readonly options: RateOptions) {
    this.tokens = options.burstBytes
  }

  onPacket(nowMs: number, bytes: number): number {
    const { bytesPerMs, burstBytes, queueBytes } = this.options
    const tokens = Math.min(burstBytes, this.tokens + (nowMs - this.at) * bytesPerMs)
    if (bytes - tokens > queueBytes) return LOST
    this.at = nowMs
    this.tokens = tokens - bytes
    return this.tokens < 0 ? -this.tokens / bytesPerMs : 0
  }
}
