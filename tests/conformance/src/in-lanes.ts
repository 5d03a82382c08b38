/**
 * Runs all items, so many at once, in their order; those that need to be alone among their like follow one another in a
 * lane of their own. Rejects with the first error, once nothing runs any more.
 */
export async function inLanes<T, R>(
  items: readonly T[],
  options: { readonly lanes: number; readonly alone: (item: T) => boolean },
  run: (item: T) => Promise<R>,
): Promise<R[]> {
  const results = new Map<T, R>()
  const errors: unknown[] = []
  const lane = async (queue: T[]) => {
    for (let next = queue.shift(); next !== undefined && errors.length === 0; next = queue.shift()) {
      const item = next
      await run(item).then(
        (result) => results.set(item, result),
        (error: unknown) => errors.push(error),
      )
    }
  }
  const shared = items.filter((item) => !options.alone(item))
  const apart = items.filter(options.alone)
  await Promise.all([lane(apart), ...Array.from({ length: options.lanes }, () => lane(shared))])
  if (errors.length > 0) throw errors[0]
  return items.map((item) => results.get(item) as R)
}
