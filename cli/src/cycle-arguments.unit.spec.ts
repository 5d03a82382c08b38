import { mkdtemp, mkdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { approvableSchema } from '@ordeal/shared'
import { Command, type CommanderError } from 'commander'
import { addCycleOptions, type CycleArguments, cycleOptionsOf } from './cycle-arguments.js'

const parse = (...args: string[]): CycleArguments => {
  const command = addCycleOptions(new Command())
    .exitOverride()
    .configureOutput({ writeErr: () => {} })
  return command.parse(['x', ...args], { from: 'user' }).opts<CycleArguments>()
}
const refusal = (...args: string[]): string => {
  try {
    parse(...args)
    return 'it was not refused'
  } catch (error) {
    return (error as CommanderError).message
  }
}

describe('options of a cycle', () => {
  it('have the defaults of the contract', () => {
    expect(cycleOptionsOf(parse(), ['x'])).toEqual({
      allowClusterScoped: false,
      inPlace: null,
      confirmInPlace: false,
      subpath: null,
      profile: null,
      values: [],
      application: 'x',
      cluster: 'embedded',
      instructions: null,
      model: null,
      budget: { calls: 60, tokens: 400_000, usd: null },
      proberImage: null,
      deadlineMs: 1_800_000,
      abortWhen: [],
      maxSteadyStates: 12,
      maxImprovements: 3,
      approve: [],
      approveTimeoutMs: 1_800_000,
      approveDefault: 'reject',
      seed: 1,
    })
  })

  it('read durations and numbers', () => {
    const options = cycleOptionsOf(parse('--deadline', '1m30s', '--seed', '7', '--max-steady-states', '2'), ['x'])
    expect(options).toMatchObject({ deadlineMs: 90_000, seed: 7, maxSteadyStates: 2 })
  })

  it('read what people are to be asked about: phases and agents by name, each once', () => {
    const options = cycleOptionsOf(
      parse('--approve', 'improvement,threshold', '--approve', 'hypothesis, improvement', '--approve-timeout', '90s'),
      ['x'],
    )
    expect(options).toMatchObject({ approve: ['improvement', 'threshold', 'hypothesis'], approveTimeoutMs: 90_000 })
    expect(cycleOptionsOf(parse('--approve', 'all'), ['x']).approve).toEqual(approvableSchema.options)
  })

  it('name those that are known where --approve names another', () => {
    expect(refusal('--approve', 'hypothesis,patch')).toMatch(
      /no patch; known are all, hypothesis, improvement, threshold/,
    )
    expect(refusal('--approve', '')).toMatch(/no empty name/)
  })

  it('read guards, several of them', () => {
    const args = ['--abort-when', 'availability<50% for 10s', '--abort-when', 'front: 20 failures in a row']
    expect(cycleOptionsOf(parse(...args), ['x']).abortWhen).toEqual([args[1], args[3]])
  })

  it('--no-improve tries no improvement, whatever --max-improvements says', () => {
    expect(cycleOptionsOf(parse('--no-improve', '--max-improvements', '5'), ['x']).maxImprovements).toBe(0)
  })

  it.each([
    ['--deadline', '30'],
    ['--deadline', '0s'],
    ['--deadline', '25h'],
    ['--seed', '-1'],
    ['--seed', '1.5'],
    ['--max-improvements', '21'],
    ['--instructions', ' '],
    ['--abort-when', 'availability<50%'],
  ])('%s %s is refused with what to write', (option, value) => {
    expect(refusal(`${option}=${value}`)).toMatch(/Write|must not be empty/)
  })

  it('finds values files from here or inside the project, and refuses others', async () => {
    const root = await mkdtemp(join(tmpdir(), 'ordeal-values-'))
    await mkdir(join(root, 'chart'))
    await writeFile(join(root, 'chart/prod.yaml'), '')
    await writeFile(join(root, 'outside.yaml'), '')
    const valuesOf = (file: string): string[] => cycleOptionsOf(parse('--values', file), [join(root, 'chart')]).values
    expect(valuesOf('prod.yaml')).toEqual(['prod.yaml'])
    expect(valuesOf(join(root, 'chart/prod.yaml'))).toEqual(['prod.yaml'])
    expect(() => valuesOf(join(root, 'outside.yaml'))).toThrow(/outside of the project/)
    expect(() => valuesOf('missing.yaml')).toThrow(/no such file/)
    await rm(root, { recursive: true })
  })
})
