/** Something that runs until it is stopped. */
export interface Stoppable {
  stop(): Promise<void>
}

/** Waits for all of them, and then throws the first failure: none of them goes on behind the back of who cleans up. */
export async function allDone(works: readonly Promise<unknown>[]): Promise<void> {
  const settled = await Promise.allSettled(works)
  const failed = settled.find((result) => result.status === 'rejected')
  if (failed) throw failed.reason
}

/** Stops them all at once; rejects with the first failure after every one had its chance. */
export async function stopAll(running: readonly Stoppable[]): Promise<void> {
  await allDone(running.map((one) => one.stop()))
}

/** Starts them all at once. When one fails, those that came up are stopped before its error is thrown. */
export async function startAll<T extends readonly Stoppable[]>(starts: {
  readonly [K in keyof T]: Promise<T[K]>
}): Promise<T> {
  const settled = await Promise.allSettled(starts as readonly Promise<Stoppable>[])
  const failed = settled.find((result) => result.status === 'rejected')
  const running = settled.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []))
  if (!failed) return running as unknown as T
  await stopAll(running).catch(() => {
    // What counts is why it could not start.
  })
  throw failed.reason
}
