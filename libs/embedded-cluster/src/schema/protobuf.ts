import { readFileSync } from 'node:fs'

/** Name in JSON, type (a scalar or a definition), and how it appears. */
type Field = readonly [name: string, type: string, kind: 'one' | 'list' | 'map' | 'embedded']
type Message = Readonly<Record<string, Field>>
type Fields = Record<string, unknown>

const MESSAGES = JSON.parse(readFileSync(new URL('./generated/protobuf.json', import.meta.url), 'utf8')) as Readonly<
  Record<string, Message>
>

const MAGIC = Buffer.from('k8s\0')
const MAX_DEPTH = 40
/** Wire types of protobuf. */
const VARINT = 0
const FIXED64 = 1
const BYTES = 2
const FIXED32 = 5

/** `runtime.Unknown`: what every object of Kubernetes is wrapped in on the wire. */
const ENVELOPE: Message = { '1': ['typeMeta', 'envelope.type', 'one'], '2': ['raw', 'bytes', 'one'] }
interface Envelope {
  typeMeta?: { apiVersion?: string; kind?: string }
  /** Base64, as all bytes. */
  raw?: string
}
const TYPE_META: Message = { '1': ['apiVersion', 'string', 'one'], '2': ['kind', 'string', 'one'] }

/**
 * Reads an object in Kubernetes' protobuf form (as `kubectl create` sends it) into its JSON form. `definitionOf` names
 * the definition of a kind, undefined for one that is not known here. Throws RangeError when it cannot be read.
 */
export function readProtobuf(
  bytes: Buffer,
  definitionOf: (apiVersion: string, kind: string) => string | undefined,
): Fields {
  if (!bytes.subarray(0, 4).equals(MAGIC)) throw new RangeError('no protobuf of Kubernetes')
  const { typeMeta = {}, raw = '' } = readMessage(bytes.subarray(4), ENVELOPE, 0) as Envelope
  const { apiVersion = '', kind = '' } = typeMeta
  const message = MESSAGES[definitionOf(apiVersion, kind) ?? '']
  if (!message) throw new RangeError(`${apiVersion} ${kind} cannot be read in protobuf: send JSON`)
  return { apiVersion, kind, ...readMessage(Buffer.from(raw, 'base64'), message, 0) }
}

/** A cursor over the bytes of one message. */
class Cursor {
  private offset = 0

  constructor(private readonly bytes: Buffer) {}

  get done(): boolean {
    return this.offset >= this.bytes.length
  }

  varint(): bigint {
    let value = 0n
    for (let shift = 0n; shift < 70n; shift += 7n) {
      const byte = this.bytes[this.offset++]
      if (byte === undefined) break
      value |= BigInt(byte & 0x7f) << shift
      if (byte < 0x80) return BigInt.asIntN(64, value)
    }
    throw new RangeError('the protobuf ends within a number')
  }

  take(length: number): Buffer {
    if (length < 0 || this.offset + length > this.bytes.length) throw new RangeError('the protobuf ends within a field')
    const part = this.bytes.subarray(this.offset, this.offset + length)
    this.offset += length
    return part
  }

  /** The value of a field by its wire type: a number, or bytes. */
  value(wireType: number): bigint | Buffer {
    switch (wireType) {
      case VARINT:
        return this.varint()
      case BYTES:
        return this.take(Number(this.varint()))
      case FIXED64:
        return this.take(8)
      case FIXED32:
        return this.take(4)
      default:
        throw new RangeError(`wire type ${wireType} of protobuf is not used by Kubernetes`)
    }
  }
}

function readMessage(bytes: Buffer, message: Message, depth: number): Fields {
  if (depth > MAX_DEPTH) throw new RangeError('the protobuf is nested too deep')
  const cursor = new Cursor(bytes)
  const read: Fields = {}
  while (!cursor.done) {
    const tag = Number(cursor.varint())
    const value = cursor.value(tag & 7)
    const field = message[String(tag >>> 3)]
    if (field) add(read, field, value, depth)
  }
  return read
}

function add(read: Fields, [name, type, kind]: Field, value: bigint | Buffer, depth: number): void {
  if (kind === 'map') {
    const entry: Message = { '1': ['key', 'string', 'one'], '2': ['value', type, 'one'] }
    const { key = '', value: content = '' } = readMessage(value as Buffer, entry, depth + 1) as {
      key?: string
      value?: unknown
    }
    read[name] = { ...(read[name] as Fields | undefined), [key]: content }
    return
  }
  const content = readValue(value, type, depth)
  if (kind === 'list') read[name] = [...((read[name] as unknown[] | undefined) ?? []), content ?? '']
  else if (kind === 'embedded') Object.assign(read, content)
  // Go writes an empty text where JSON leaves the field out.
  else if (content !== '' && content !== undefined) read[name] = content
}

function readValue(value: bigint | Buffer, type: string, depth: number): unknown {
  if (typeof value === 'bigint') return type === 'bool' ? value !== 0n : Number(value)
  if (type === 'string') return value.toString('utf8')
  if (type === 'bytes') return value.toString('base64')
  if (type === 'double') return value.readDoubleLE()
  if (type === 'envelope.type') return readMessage(value, TYPE_META, depth + 1)
  const read = readMessage(value, MESSAGES[type] ?? {}, depth + 1)
  const special = SPECIAL[type]
  return special ? special(read) : read
}

const time = (read: Fields): string | undefined => {
  const ms = Number(read.seconds ?? 0) * 1000
  return read.seconds === undefined ? undefined : new Date(ms).toISOString()
}

/** Messages whose JSON form is one value. */
const SPECIAL: Readonly<Record<string, (read: Fields) => unknown>> = {
  'meta.v1.Time': time,
  'meta.v1.MicroTime': time,
  'authorization.v1.ExtraValue': (read) => read.items ?? [],
  'resource.Quantity': (read) => read.string,
  'intstr.IntOrString': (read) => (read.type === 1 ? (read.strVal ?? '') : (read.intVal ?? 0)),
}
