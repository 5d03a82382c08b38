import { Suspended } from '../errors.js'

/**
 * All results, like Promise.all, but waits for each: what several have to ask people is asked at once, and none goes on
 * in a phase that is suspended. Throws the first failure, else one Suspended for all questions.
 */
export async function allAnswered<T extends readonly unknown[]>(
  work: readonly [...{ [K in keyof T]: Promise<T[K]> }],
): Promise<T> {
  const settled = await Promise.allSettled(work as readonly Promise<unknown>[])
  const reasons: unknown[] = settled.flatMap((each) => (each.status === 'rejected' ? [each.reason as unknown] : []))
  const failed = reasons.filter((reason) => !(reason instanceof Suspended))
  if (failed.length > 0) throw failed[0]
  const waits = reasons.filter((reason) => reason instanceof Suspended)
  if (waits.length > 0) throw new Suspended(waits.flatMap(({ questions }) => questions))
  return settled.map((each) => (each as PromiseFulfilledResult<unknown>).value) as unknown as T
}
