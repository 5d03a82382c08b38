import { TerminalError } from '../errors.js'
import { type ArtefactId } from '../ids.js'
import { type ArtefactStore, type Budget, type EventDraft, type Spend, type Vault } from '../service/definition.js'
import { limitPassed } from '../store/budget.js'
import {
  createArtefactStore,
  parseDocument,
  type ArtefactEntries,
  type ArtefactEntry,
} from '../store/artefact-store.js'
import { canonicalJson } from '../store/canonical-json.js'
import { createMemoryPeople, type MemoryPeople } from './memory-people.js'

/** A cycle's documents in memory: what Postgres keeps of it, for tests without servers. */
export interface MemoryCycle {
  readonly artefacts: ArtefactStore
  readonly vault: Vault
  /** Without limits of the tenant. */
  readonly budget: Budget
  readonly people: MemoryPeople
  /** Every entry in order of creation, to look at in a test. */
  readonly entries: readonly ArtefactEntry[]
  /** Adds an entry; the same again is one. */
  add(entry: ArtefactEntry): Promise<void>
  /** Finished steps by `<revision>/<phase>/<step>`. */
  readonly steps: Map<string, ArtefactId>
  /** What phases announced, in order, by `<revision>/<phase>/<event>`. */
  readonly announced: Map<string, EventDraft>
}

const sameEntry = (a: ArtefactEntry, b: ArtefactEntry): boolean =>
  a.id === b.id && a.kind === b.kind && a.name === b.name && a.revision === b.revision

function memoryEntries(entries: ArtefactEntry[]): ArtefactEntries {
  return {
    add: (entry) => {
      if (!entries.some((known) => sameEntry(known, entry))) entries.push(entry)
      return Promise.resolve()
    },
    body: (id) => Promise.resolve(entries.find((entry) => entry.id === id)?.body ?? null),
    bodies: ({ kind, revision, newest }) => {
      const found = entries.filter((e) => e.kind === kind && (revision === undefined || e.revision === revision))
      return Promise.resolve((newest ? found.slice(-1) : found).map((entry) => entry.body))
    },
  }
}

function memoryVault(): Vault {
  const kept = new Map<string, string>()
  return {
    put: (name, body) => {
      kept.set(name, canonicalJson(body))
      return Promise.resolve()
    },
    get: (name, schema) => {
      const body = kept.get(name)
      return body === undefined
        ? Promise.reject(new TerminalError('vault-missing', `the cycle's vault holds no ${name}`))
        : Promise.resolve(JSON.parse(body)).then((value) => parseDocument(value, schema, `${name} in the vault`))
    },
  }
}

function memoryBudget(): Budget {
  let cycle: Spend = { calls: 0, tokens: 0, usd: 0 }
  const add = (more: Spend, sign: 1 | -1): void => {
    cycle = {
      calls: cycle.calls + sign * more.calls,
      tokens: cycle.tokens + sign * more.tokens,
      usd: cycle.usd + sign * more.usd,
    }
  }
  return {
    reserve: (most, limits) => {
      const passed = limitPassed({ cycle, month: cycle, monthlyTokens: null, monthlyUsd: null }, most, limits)
      if (passed === null) add(most, 1)
      return Promise.resolve(passed)
    },
    settle: (reserved, actual) => {
      add(reserved, -1)
      add(actual, 1)
      return Promise.resolve()
    },
  }
}

/** A new cycle without documents. */
export function createMemoryCycle(): MemoryCycle {
  const entries: ArtefactEntry[] = []
  const kept = memoryEntries(entries)
  const add = (entry: ArtefactEntry): Promise<void> => kept.add(entry)
  const artefacts = createArtefactStore(kept)
  const [steps, announced] = [new Map<string, ArtefactId>(), new Map<string, EventDraft>()]
  return {
    artefacts,
    vault: memoryVault(),
    budget: memoryBudget(),
    people: createMemoryPeople(artefacts),
    entries,
    add,
    steps,
    announced,
  }
}
