import { isMap, type Json, type JsonMap, type KubernetesObject } from '../input/kubernetes-object.js'
import { isHarmless, isSecretName, isSecretValue } from './credential-patterns.js'
import { References, referenceTo, restoreText, type Secrets } from './references.js'
import { credentialsIn, withoutCopies, withoutCredentials } from './text-credentials.js'

/** Objects that may be shown and stored, and what was taken out of them. */
export interface Redacted {
  readonly objects: KubernetesObject[]
  readonly secrets: Secrets
}

/**
 * The objects with their credentials replaced by references `ordeal-secret:<n>`, numbered as they are met:
 * - values of a Secret: in `stringData` the reference itself, in `data` its base64, so that the object stays valid;
 * - env values whose name or value speaks of a credential, and such entries of a ConfigMap;
 * - passwords and tokens in URLs, connection strings and headers, values of assignments (`password=…`) and what has the
 *   shape of a token within any text, where only that part is replaced, so that hosts stay readable;
 * - copies of these values in free text, also encoded, as in an annotation that holds the object as last applied.
 * `restore` is the exact inverse.
 */
export function redact(objects: readonly KubernetesObject[]): Redacted {
  const references = new References()
  const first = objects.map((object) => redactObject(object, references))
  const cleaned = first.map((object) => mapFreeTexts(object, (text) => withoutCopies(text, references)))
  return { objects: cleaned as KubernetesObject[], secrets: references.secrets() }
}

/**
 * The credentials of some objects, and those that stand only in the files that they come from: in comments, or in
 * values that nothing uses. What the objects show stays: it was looked at in its place.
 */
export function secretsWithFiles({ objects, secrets }: Redacted, files: readonly string[]): Secrets {
  const shown = JSON.stringify(objects)
  const known = new Set(Object.values(secrets))
  const more = new Set(files.flatMap(credentialsIn))
  const own = [...more].filter((value) => value.length >= MIN_PART && !known.has(value) && !shown.includes(value))
  const count = known.size
  return { ...secrets, ...Object.fromEntries(own.map((value, i) => [referenceTo(count + i + 1), value])) }
}

/** The value (objects, a change, any part of them) with its references replaced by what they stand for. */
export function restore<T>(value: T, secrets: Secrets): T {
  return mapTexts(value as Json, (text) => restoreText(text, secrets)) as T
}

/**
 * A value (an object, any part of one) with the credentials that are known taken out again, by the references that stand
 * for them: for what was made of restored values. `restore` is the exact inverse.
 */
export function conceal<T>(value: T, secrets: Secrets): T {
  const byLength = Object.entries(secrets).sort(([, a], [, b]) => b.length - a.length)
  return mapTexts(value as Json, (text) => concealText(text, byLength)) as T
}

/** Shorter values stand in longer texts by coincidence. */
const MIN_PART = 6

function concealText(text: string, secrets: readonly [string, string][]): string {
  const whole = secrets.find(([, value]) => value === text)
  if (whole) return whole[0]
  return secrets
    .filter(([, value]) => value.length >= MIN_PART)
    .reduce((hidden, [reference, value]) => hidden.replaceAll(value, `${reference};`), text)
}

function mapTexts(value: Json, change: (text: string) => string): Json {
  if (typeof value === 'string') return change(value)
  if (Array.isArray(value)) return value.map((item) => mapTexts(item, change))
  return isMap(value) ? mapEach(value, (item) => mapTexts(item, change)) : value
}

const mapEach = (map: JsonMap, change: (item: Json, key: string) => Json): JsonMap =>
  Object.fromEntries(Object.entries(map).map(([key, item]) => [key, change(item, key)]))

/** Where people write what they like. Elsewhere a value that equals a password (an image's name) is no copy of it. */
const FREE_TEXT = new Set(['annotations', 'data', 'args', 'command', 'value'])

function mapFreeTexts(value: Json, change: (text: string) => string): Json {
  if (Array.isArray(value)) return value.map((item) => mapFreeTexts(item, change))
  if (!isMap(value)) return value
  return mapEach(value, (item, key) => (FREE_TEXT.has(key) ? mapTexts(item, change) : mapFreeTexts(item, change)))
}

function redactObject(object: KubernetesObject, references: References): KubernetesObject {
  return mapEach(object, (value, field) =>
    redactField(`${object.kind}.${field}`, value, references),
  ) as KubernetesObject
}

function redactField(field: string, value: Json, references: References): Json {
  if (field === 'Secret.data') return mapTexts(value, (text) => (text ? references.encodedFor(text) : text))
  if (field === 'Secret.stringData') return mapTexts(value, (text) => (text ? references.for(text) : text))
  const isSettings = field === 'ConfigMap.data' && isMap(value)
  return isSettings ? mapEach(value, (item, name) => named(name, item, references)) : redactValue(value, references)
}

const named = (name: string, value: Json, references: References): Json =>
  typeof value === 'string' ? setting(name, value, references) : redactValue(value, references)

/** Env entries and the like by their names, other texts by what they hold. */
function redactValue(value: Json, references: References): Json {
  if (typeof value === 'string') return withoutCredentials(value, references)
  if (Array.isArray(value)) return value.map((item, index) => redactItem(item, value[index - 1], references))
  if (!isMap(value)) return value
  const { name } = value
  if (typeof name !== 'string' || typeof value.value !== 'string')
    return mapEach(value, (item, key) => field(key, item, references))
  return mapEach(value, (item, key) =>
    key === 'value' ? named(name, item, references) : redactValue(item, references),
  )
}

/** A field that is called as credentials are, as custom resources have them. */
const field = (name: string, value: Json, references: References): Json =>
  typeof value === 'string' && isSecretName(name) ? setting(name, value, references) : redactValue(value, references)

/** `--password` and its value as two arguments. */
function redactItem(item: Json, before: Json | undefined, references: References): Json {
  const isFlag = typeof before === 'string' && /^--?[\w.-]+$/.test(before) && isSecretName(before)
  const isValue = typeof item === 'string' && !item.startsWith('-')
  return isFlag && isValue ? setting(before, item, references) : redactValue(item, references)
}

function setting(name: string, value: string, references: References): string {
  if (isHarmless(value)) return value
  return isSecretName(name) || isSecretValue(value) ? references.for(value) : withoutCredentials(value, references)
}
