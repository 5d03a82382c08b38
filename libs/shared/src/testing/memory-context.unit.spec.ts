import { describeCycleDocuments, describePhaseContext } from './context-contract.js'
import { createMemoryContext } from './memory-context.js'
import { createMemoryCycle } from './memory-cycle.js'
import { describePeople } from './people-contract.js'

describeCycleDocuments('in memory', () => Promise.resolve(createMemoryCycle()))
describePhaseContext('in memory', () => {
  const cycle = createMemoryCycle()
  return Promise.resolve({
    attempt: (revision: number) => Promise.resolve(createMemoryContext({ cycle, revision })),
    announced: () => Promise.resolve([...cycle.announced.values()].map((draft) => draft.type)),
  })
})
describePeople('in memory', () => {
  const { people } = createMemoryCycle()
  const say = (...said: Parameters<typeof people.say>): Promise<void> => Promise.resolve(people.say(...said))
  return Promise.resolve({ ask: (question) => people.answer(question), say })
})
