import { cycleOptionsSchema, type CycleOptions } from '@ordeal/shared'
import { confirmInPlace } from './confirm-in-place.js'

const cycle = (more: Partial<CycleOptions> = {}): CycleOptions =>
  cycleOptionsSchema.parse({ cluster: 'staging', inPlace: 'shop', ...more })
const says = (answer: string) => ({ ask: () => Promise.resolve(answer) })
const nobody = { ask: null }

describe('consent to work in place', () => {
  it('is not needed for namespaces of the cycle', async () => {
    expect(await confirmInPlace(cycle({ inPlace: null }), nobody)).toMatchObject({ confirmInPlace: false })
  })
  it('is given by an option, or by typing the name', async () => {
    expect(await confirmInPlace(cycle({ confirmInPlace: true }), nobody)).toMatchObject({ confirmInPlace: true })
    expect(await confirmInPlace(cycle(), says('shop\n'))).toMatchObject({ confirmInPlace: true })
  })
  it.each<[string, CycleOptions, { ask: (() => Promise<string>) | null }, RegExp]>([
    ['nobody is there to ask', cycle(), nobody, /Faults will hit.*shop of staging.*--confirm-in-place/],
    ['another name is typed', cycle(), says('yes'), /was not confirmed/],
    ['the cluster is an embedded one', cycle({ cluster: 'embedded', confirmInPlace: true }), nobody, /begins empty/],
    ['it is a system namespace', cycle({ inPlace: 'kube-system', confirmInPlace: true }), nobody, /never touches/],
  ])('is refused where %s', async (_, options, terminal, words) => {
    await expect(confirmInPlace(options, terminal)).rejects.toThrow(words)
  })
})
