/** Jest's globalTeardown. */
export default async function endCluster(): Promise<void> {
  await globalThis.ordealEndTestCluster?.()
}
