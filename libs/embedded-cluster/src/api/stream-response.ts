import type { ServerResponse } from 'node:http'

/** What a client may leave unread before it is cut off. */
const MAX_BACKLOG_BYTES = 16 * 1024 * 1024

/** A response that stays open: writes are collected until the event loop turns, a client that does not read is cut. */
export class StreamResponse {
  private pending = ''
  private flushing: NodeJS.Immediate | null = null
  private ended = false

  constructor(
    private readonly response: ServerResponse,
    contentType: string,
  ) {
    response.writeHead(200, { 'content-type': contentType, 'cache-control': 'no-cache, private' })
    response.flushHeaders()
  }

  write(text: string): void {
    if (this.ended) return
    this.pending += text
    this.flushing ??= setImmediate(() => this.flush())
  }

  /** Sends what is pending and ends the response; harmless when it has ended. */
  end(): void {
    if (this.ended) return
    this.flush()
    this.ended = true
    this.response.end()
  }

  private flush(): void {
    if (this.flushing) clearImmediate(this.flushing)
    this.flushing = null
    if (this.ended || this.pending === '' || this.response.destroyed) return
    this.response.write(this.pending)
    this.pending = ''
    if (this.response.writableLength > MAX_BACKLOG_BYTES) this.response.destroy()
  }
}
