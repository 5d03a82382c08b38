import { randomBytes } from 'node:crypto'
import { z } from 'zod'

/** A string that is known, by its type, to name one sort of thing. */
type Branded<Name extends string> = string & { readonly __brand: Name }

export type TenantId = Branded<'TenantId'>
export type CycleId = Branded<'CycleId'>
export type MessageId = Branded<'MessageId'>
/** `sha256:<hex>` of an artefact's canonical JSON. */
export type ArtefactId = Branded<'ArtefactId'>

const brand = <T extends string>(pattern: RegExp, what: string): z.ZodType<T, T> =>
  z.string().regex(pattern, `not ${what}`) as unknown as z.ZodType<T, T>

// Ids stand in NATS subjects and in names of Kubernetes objects: lower case, digits and dashes only.
export const tenantId = brand<TenantId>(/^[a-z0-9][a-z0-9-]{0,30}$/, 'a tenant id')
export const cycleId = brand<CycleId>(/^cyc-[a-z0-9]{16}$/, 'a cycle id')
export const messageId = brand<MessageId>(/^msg-[a-z0-9-]{1,120}$/, 'a message id')
export const artefactId = brand<ArtefactId>(/^sha256:[0-9a-f]{64}$/, 'an artefact id')

const ALPHABET = 'abcdefghijklmnopqrstuvwxyz234567'

/** `length` random characters of 5 bits each, fit for a DNS label. */
export function randomName(length: number): string {
  return Array.from(randomBytes(length), (byte) => ALPHABET[byte & 31]).join('')
}

/** A new cycle id: 80 random bits. */
export const newCycleId = (): CycleId => cycleId.parse(`cyc-${randomName(16)}`)

/** A new message id: 120 random bits. */
export const newMessageId = (): MessageId => messageId.parse(`msg-${randomName(24)}`)
