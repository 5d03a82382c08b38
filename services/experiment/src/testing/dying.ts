import { type MemoryContext } from '@ordeal/shared/testing'

/** A context that is aborted once something was done whose undoing had been noted: as a process that dies right then. */
export function abortedWhenNoted(context: MemoryContext, why: 'lease-lost' | 'cancelled'): MemoryContext {
  let noted = false
  const put: typeof context.artefacts.put = (kind, ...more) => {
    noted ||= kind === 'undo'
    return context.artefacts.put(kind, ...more)
  }
  // Asked before each write to the cluster: the write is on its way when the abort comes.
  const assertLease = (): void => {
    context.assertLease()
    if (noted) queueMicrotask(() => context.abort(why))
  }
  return { ...context, artefacts: { ...context.artefacts, put }, assertLease }
}

/** A context in which `meanwhile` happens before a durable step is begun: as to a process that sleeps right then. */
export function sleepingBefore(context: MemoryContext, name: string, meanwhile: () => Promise<void>): MemoryContext {
  const step: MemoryContext['step'] = async (step, schema, work) => {
    if (step === name) await meanwhile()
    return context.step(step, schema, work)
  }
  return { ...context, step }
}
