import { z } from 'zod'
import { artefactId } from '../ids.js'
import { type ArtefactStore, type EventDraft, type PhaseContext, type Vault } from '../service/definition.js'

const text = z.object({ text: z.string() })

/** What every ArtefactStore and Vault must do, whatever keeps the documents. `create` makes a cycle without documents. */
export function describeCycleDocuments(
  where: string,
  create: () => Promise<{ artefacts: ArtefactStore; vault: Vault }>,
): void {
  describe(`artefacts ${where}`, () => {
    it('gives one id for one content, whatever the order of keys', async () => {
      const { artefacts } = await create()
      const a = await artefacts.put('note', { x: 1, y: { b: 2, a: undefined } })
      const b = await artefacts.put('note', { y: { b: 2 }, x: 1 })
      expect(b).toBe(a)
      expect(await artefacts.all('note', z.unknown())).toEqual([{ x: 1, y: { b: 2 } }])
    })

    it('reads back what was put, odd characters included', async () => {
      const { artefacts } = await create()
      const body = { text: 'nul \u0000, lone \ud800, snow ☃ and 𝒳' }
      expect(await artefacts.get(await artefacts.put('note', body), text)).toEqual(body)
    })

    it('finds the newest of a kind and of a revision', async () => {
      const { artefacts } = await create()
      await artefacts.put('note', { text: 'r0' }, { revision: 0 })
      await artefacts.put('note', { text: 'r1 first' }, { revision: 1 })
      await artefacts.put('note', { text: 'r1 second' }, { revision: 1 })
      await artefacts.put('other', { text: 'other' }, { revision: 1 })
      expect(await artefacts.latest('note', text)).toEqual({ text: 'r1 second' })
      expect(await artefacts.latest('note', text, 0)).toEqual({ text: 'r0' })
      expect(await artefacts.latest('note', text, 7)).toBeNull()
      expect((await artefacts.all('note', text)).map((n) => n.text)).toEqual(['r0', 'r1 first', 'r1 second'])
    })

    it('keeps one content under several revisions', async () => {
      const { artefacts } = await create()
      const a = await artefacts.put('note', { text: 'same' }, { revision: 0 })
      const b = await artefacts.put('note', { text: 'same' }, { revision: 1 })
      expect(b).toBe(a)
      expect(await artefacts.latest('note', text, 1)).toEqual({ text: 'same' })
    })

    it('refuses what is not there and what has another shape, by code', async () => {
      const { artefacts } = await create()
      const missing = artefactId.parse(`sha256:${'0'.repeat(64)}`)
      await expect(artefacts.get(missing, text)).rejects.toMatchObject({ code: 'artefact-missing' })
      const id = await artefacts.put('note', { text: 7 })
      await expect(artefacts.get(id, text)).rejects.toMatchObject({ code: 'artefact-invalid' })
    })
  })

  describe(`vault ${where}`, () => {
    it('gives back the newest of a name', async () => {
      const { vault } = await create()
      await vault.put('input', { text: 'one' })
      await vault.put('input', { text: 'two \u0000' })
      expect(await vault.get('input', text)).toEqual({ text: 'two \u0000' })
    })

    it('refuses a name it does not hold', async () => {
      const { vault } = await create()
      await expect(vault.get('nothing', text)).rejects.toMatchObject({ code: 'vault-missing' })
    })
  })
}

/** A cycle whose phase is attempted. */
export interface PhaseAttempts {
  /** A context on it, once per attempt at the phase of a revision. */
  readonly attempt: (revision: number) => Promise<PhaseContext>
  /** Types of the events announced so far, in order. */
  readonly announced: () => Promise<readonly string[]>
}

/** What every PhaseContext must do. `create` makes a cycle. */
export function describePhaseContext(where: string, create: () => Promise<PhaseAttempts>): void {
  describe(`durable steps ${where}`, () => {
    it('runs a step once and finds its result again in the next attempt', async () => {
      const { attempt } = await create()
      let runs = 0
      const work = (): Promise<{ text: string }> => Promise.resolve({ text: `run ${++runs}` })
      expect(await (await attempt(0)).step('draw', text, work)).toEqual({ text: 'run 1' })
      expect(await (await attempt(0)).step('draw', text, work)).toEqual({ text: 'run 1' })
      expect(await (await attempt(1)).step('draw', text, work)).toEqual({ text: 'run 2' })
    })

    it('keeps a step that returns nothing', async () => {
      const { attempt } = await create()
      let runs = 0
      const work = (): Promise<void> => Promise.resolve(void runs++)
      await (await attempt(0)).step('do', z.void(), work)
      await (await attempt(0)).step('do', z.void(), work)
      expect(runs).toBe(1)
    })

    it('keeps the documents of a step with its result, and none of a step that failed', async () => {
      const { attempt } = await create()
      const context = await attempt(0)
      const failing = context.step('draw', text, async (kept) => {
        await kept.put('drawing', { text: 'spoilt' })
        throw new Error('no luck')
      })
      await expect(failing).rejects.toThrow('no luck')
      expect(await context.artefacts.all('drawing', text)).toEqual([])
      const id = await context.step('draw', artefactId, (kept) => kept.put('drawing', { text: 'fine' }))
      expect(await (await attempt(0)).artefacts.get(id, text)).toEqual({ text: 'fine' })
      expect(await context.artefacts.all('drawing', text)).toEqual([{ text: 'fine' }])
    })

    it('runs a step again when it failed', async () => {
      const { attempt } = await create()
      const context = await attempt(0)
      await expect(context.step('draw', text, () => Promise.reject(new Error('no luck')))).rejects.toThrow('no luck')
      expect(await context.step('draw', text, () => Promise.resolve({ text: 'luck' }))).toEqual({ text: 'luck' })
    })
  })

  describe(`announcing ${where}`, () => {
    const id = artefactId.parse(`sha256:${'1'.repeat(64)}`)
    const planned = (revision: number): EventDraft => ({ type: 'experiment.planned', revision, data: { plan: id } })

    it('publishes an event while the phase goes on, once in all attempts', async () => {
      const { attempt, announced } = await create()
      const context = await attempt(0)
      await context.announce(planned(0))
      expect(await announced()).toEqual(['experiment.planned'])
      await context.announce({ type: 'experiment.started', revision: 0, data: { plan: id, revision: 0 } })
      await (await attempt(0)).announce(planned(0))
      expect(await announced()).toEqual(['experiment.planned', 'experiment.started'])
      await (await attempt(1)).announce(planned(1))
      expect(await announced()).toHaveLength(3)
    })
  })
}
