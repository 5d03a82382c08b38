/** Jest's globalTeardown. */
export default async function stopServers(): Promise<void> {
  await globalThis.ordealTestServers?.stop()
}
