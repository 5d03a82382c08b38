import { isAbsolute, parse, relative, resolve, sep } from 'node:path'
import { statSync } from 'node:fs'
import { type Command, InvalidArgumentError, Option } from 'commander'
import { type ProjectOptions } from '@ordeal/kubernetes'
import {
  type Approvable,
  approvableSchema,
  type ApprovalTerms,
  coerceError,
  cycleOptionsSchema,
  type CycleOptions,
  parseDuration,
  parseGuard,
} from '@ordeal/shared'
import { UsageError } from './errors.js'

/** The options that say what of PATH is the application, as commander gives them. */
export interface InputArguments {
  readonly subpath?: string
  readonly profile?: string
  readonly values: string[]
}

/** The options that say what a cycle does. */
export interface CycleArguments extends InputArguments {
  readonly cluster: string
  readonly proberImage?: string
  readonly instructions?: string
  readonly model?: string
  readonly deadline: number
  readonly abortWhen: string[]
  readonly maxSteadyStates: number
  readonly maxImprovements: number
  readonly improve: boolean
  readonly allowClusterScoped?: boolean
  readonly inPlace?: string
  readonly confirmInPlace?: boolean
  readonly approve: Approvable[]
  readonly approveTimeout: number
  readonly approveDefault: ApprovalTerms['byDefault']
  readonly seed: number
}

/** Reads an option's whole number from `from` to `to`. */
export const wholeNumber =
  (from: number, to: number) =>
  (text: string): number => {
    const n = /^\d{1,15}$/.test(text) ? Number(text) : NaN
    if (n >= from && n <= to) return n
    throw new InvalidArgumentError(`Write a whole number from ${from} to ${to}.`)
  }

const duration = (text: string): number => {
  try {
    const ms = parseDuration(text)
    if (ms >= 1000 && ms <= 24 * 3_600_000) return ms
  } catch {
    // Told below, with the range.
  }
  throw new InvalidArgumentError("Write a duration from 1s to 24h with its unit, such as '90s' or '30m'.")
}

const text =
  (what: string) =>
  (value: string): string => {
    if (value.trim()) return value
    throw new InvalidArgumentError(`${what} must not be empty.`)
  }

/** Gathers what an option that may be repeated is given. */
export const collect =
  (what: string) =>
  (value: string, before: string[]): string[] => [...before, text(what)(value)]

/** Adds PATH and the options that say what of it is the application: every command that reads one takes the same. */
export function addInputOptions(command: Command): Command {
  return command
    .argument('<path...>', 'directory (Skaffold, Kustomize, Helm or plain), archive of one, or manifest files')
    .option('--subpath <dir>', 'directory inside PATH that holds what to deploy', text('The directory'))
    .option('--profile <name>', 'Skaffold profile; several with commas between them', text('The profile'))
    .option('--values <file>', 'Helm values file (repeat for several)', collect('The file name'), [])
}

const collectGuards = (value: string, before: string[]): string[] => {
  try {
    return [...before, parseGuard(value).text]
  } catch (error) {
    throw new InvalidArgumentError(coerceError(error).message)
  }
}

/** `hypothesis,improvement`, or `all`. */
function approvables(value: string, before: Approvable[]): Approvable[] {
  const known = approvableSchema.options
  const names = value.split(',').map((name) => name.trim())
  const unknown = names.find((name) => name !== 'all' && !known.some((each) => each === name))
  if (unknown !== undefined)
    throw new InvalidArgumentError(`There is no ${unknown || 'empty name'}; known are all, ${known.join(', ')}.`)
  return [...before, ...known.filter((name) => names.includes('all') || names.includes(name))]
}

/** Adds the options of a cycle to a command: `run` and `plan` take the same ones. */
export function addCycleOptions(command: Command): Command {
  return addInputOptions(command)
    .option('--cluster <context>', '`embedded`, or a context of your kubeconfig', text('The context'), 'embedded')
    .option('--prober-image <name>', 'image of the prober that CONTEXT can pull', text('The image'))
    .option('--instructions <text>', 'what to tolerate or to try, in words', text('The text'))
    .option('--model <name>', 'language model to ask; without one, built-in rules answer', text('The model'))
    .addOption(
      new Option('--deadline <duration>', 'ends the whole cycle after this time')
        .argParser(duration)
        .default(30 * 60_000, '30m'),
    )
    .option(
      '--abort-when <condition>',
      "stops a run early, e.g. 'availability<50% for 10s' or '20 failures in a row' (repeat for several)",
      collectGuards,
      [],
    )
    .option(
      '--approve <what>',
      'asks people before going on: the phases hypothesis, improvement, or agents; `all`; commas between',
      approvables,
      [],
    )
    .addOption(
      new Option(
        '--approve-timeout <duration>',
        'how long an answer is waited for; the deadline stands still meanwhile',
      )
        .argParser(duration)
        .default(30 * 60_000, '30m'),
    )
    .addOption(
      new Option('--approve-default <decision>', 'what is decided when nobody answers')
        .choices(['approve', 'reject'])
        .default('reject'),
    )
    .option('--max-steady-states <n>', 'how many steady states to keep', wholeNumber(1, 100), 12)
    .option('--max-improvements <n>', 'how many improvements to try', wholeNumber(0, 20), 3)
    .option(
      '--in-place <namespace>',
      'the application stands there already: only changes are made, and taken back',
      text('The namespace'),
    )
    .option('--confirm-in-place', 'consent to faults on what stands there, where nobody can be asked')
    .option('--allow-cluster-scoped', 'consent to objects of the whole cluster that the input brings')
    .option('--no-improve', 'judge the manifests as they are; change nothing')
    .option('--seed <n>', 'the same seed gives the same cycle', wholeNumber(0, Number.MAX_SAFE_INTEGER), 1)
}

const isFile = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isFile() ?? false

const isArchive = (path: string): boolean => isFile(path) && /\.(tar|tgz|tar\.gz|zip)$/i.test(path)

/** A values file as written (from here, or inside the project) → its path inside the project, with `/`. */
function valuesFile(given: string, root: string): string {
  if (isArchive(root)) return given
  const found = [resolve(given), resolve(root, given)].find(isFile)
  if (!found) throw new UsageError(`--values ${given}: no such file`, 'Give a file inside PATH')
  const inside = relative(root, found)
  if (inside.startsWith('..') || isAbsolute(inside)) {
    const remedy = 'Give the directory that holds both as PATH, and the chart in it with --subpath'
    throw new UsageError(`--values ${given} lies outside of the project ${root}`, remedy)
  }
  return inside.split(sep).join('/')
}

/** `shop`, `shop.tar.gz`, `shop.yaml` → `shop`: what an application is called whose files give it no name. */
const nameOf = (path: string): string | null => parse(resolve(path)).name.replace(/\.tar$/i, '') || null

/** What of the paths is the application. Throws UsageError for a values file that is not there or lies outside. */
export function projectOptionsOf(
  args: InputArguments,
  paths: readonly string[],
): Omit<Required<ProjectOptions>, 'cluster'> {
  const [path = '.', another] = paths
  return {
    subpath: args.subpath ?? null,
    profile: args.profile ?? null,
    values: args.values.map((file) => valuesFile(file, resolve(path))),
    application: another === undefined ? nameOf(path) : null,
  }
}

/** Settings of the cycle that the arguments ask for. Throws UsageError where they do not fit together. */
export function cycleOptionsOf(args: CycleArguments, paths: readonly string[]): CycleOptions {
  return cycleOptionsSchema.parse({
    ...projectOptionsOf(args, paths),
    cluster: args.cluster,
    proberImage: args.proberImage ?? null,
    instructions: args.instructions ?? null,
    model: args.model ?? null,
    deadlineMs: args.deadline,
    abortWhen: args.abortWhen,
    maxSteadyStates: args.maxSteadyStates,
    maxImprovements: args.improve ? args.maxImprovements : 0,
    inPlace: args.inPlace ?? null,
    confirmInPlace: args.confirmInPlace ?? false,
    allowClusterScoped: args.allowClusterScoped ?? false,
    approve: [...new Set(args.approve)],
    approveTimeoutMs: args.approveTimeout,
    approveDefault: args.approveDefault,
    seed: args.seed,
  })
}
