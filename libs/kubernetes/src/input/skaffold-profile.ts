import { isMap, type Json, type JsonMap, mapsAt, textAt } from './kubernetes-object.js'
import { placeOf, type SkaffoldConfig } from './skaffold-config.js'
import { applyPatch } from './skaffold-patch.js'
import { type Variables } from './skaffold-template.js'

/** The sections of a profile that say which manifests are used, and which images are meant; others do not matter here. */
const SECTIONS = ['manifests', 'deploy', 'build'] as const

/** Activations ask for the command that Skaffold runs: a cycle deploys once, which is `run`. */
const COMMAND = 'run'

/** What profiles can be active by. */
export interface Circumstances {
  /** Names as the user gives them; `-NAME` keeps a profile from being active by itself. */
  readonly named: readonly string[]
  readonly variables: Variables
  /** A kubeconfig context, or `embedded`. */
  readonly cluster: string
}

export const profileNames = (config: SkaffoldConfig): string[] =>
  mapsAt(config.value, 'profiles').flatMap((profile) => textAt(profile, 'name') ?? [])

/** The names of the config's profiles that are active: by themselves first, then those that are named, in order. */
export function activeProfiles(config: SkaffoldConfig, circumstances: Circumstances): string[] {
  const { named } = circumstances
  const known = profileNames(config)
  const own = mapsAt(config.value, 'profiles').filter((profile) => isActivated(profile, circumstances))
  const self = own.flatMap((profile) => textAt(profile, 'name') ?? []).filter((name) => !named.includes(`-${name}`))
  return [...self, ...named.filter((name) => known.includes(name) && !self.includes(name))]
}

function isActivated(profile: JsonMap, circumstances: Circumstances): boolean {
  const conditions = mapsAt(profile, 'activation')
  const holds = (condition: JsonMap): boolean => conditionHolds(condition, circumstances)
  if (profile.requiresAllActivations === true) return conditions.length > 0 && conditions.every(holds)
  return conditions.some(holds)
}

function conditionHolds(condition: JsonMap, { variables, cluster }: Circumstances): boolean {
  const [env, context, command] = ['env', 'kubeContext', 'command'].map((field) => textAt(condition, field) ?? '')
  return (
    (!env || envHolds(env, variables)) && (!context || fits(context, cluster)) && (!command || fits(command, COMMAND))
  )
}

function envHolds(env: string, variables: Variables): boolean {
  const [key = '', ...rest] = env.split('=')
  const [wanted, value] = [rest.join('='), variables.get(key) ?? '']
  return wanted === '' ? value === '' : fits(wanted, value)
}

/** Skaffold takes a pattern for a regular expression, or, where it is none, for the text itself; `!` denies it. */
function fits(pattern: string, text: string): boolean {
  if (pattern.startsWith('!')) return !fits(pattern.slice(1), text)
  try {
    return new RegExp(pattern).test(text)
  } catch {
    return pattern === text
  }
}

/** The config as it is with these profiles: the sections of each, laid over it, then its patches. */
export function withProfiles(config: SkaffoldConfig, active: readonly string[]): JsonMap {
  return profilesOf(config, active).reduce<JsonMap>((value, { profile, index }) => {
    return patched(config, overlaid(value, profile), profile, index)
  }, config.value)
}

/** The active profiles of a config with their places in its list, in the order in which they are laid over it. */
export function profilesOf(config: SkaffoldConfig, active: readonly string[]): { profile: JsonMap; index: number }[] {
  const list = Array.isArray(config.value.profiles) ? config.value.profiles : []
  const named = list.flatMap((profile, index) => (isMap(profile) ? [{ profile, index }] : []))
  return active.flatMap((name) => named.filter(({ profile }) => textAt(profile, 'name') === name))
}

/** Skaffold takes each field of a profile's section in place of the config's own; an empty list counts as none. */
function overlaid(value: JsonMap, profile: JsonMap): JsonMap {
  const isGiven = (field: Json): boolean => field !== null && field !== '' && !(Array.isArray(field) && !field.length)
  return SECTIONS.reduce<JsonMap>((sum, section) => {
    const [over, own] = [profile[section], sum[section]]
    if (!isMap(over)) return sum
    const given = Object.fromEntries(Object.entries(over).filter(([, field]) => isGiven(field)))
    return { ...sum, [section]: { ...(isMap(own) ? own : {}), ...given } }
  }, value)
}

function patched(config: SkaffoldConfig, value: JsonMap, profile: JsonMap, profileIndex: number): JsonMap {
  return mapsAt(profile, 'patches').reduce<JsonMap>((sum, patch, index) => {
    const result = applyPatch(sum, patch, placeOf(config, ['profiles', String(profileIndex), 'patches', String(index)]))
    return isMap(result) ? result : sum
  }, value)
}
