import fc from 'fast-check'
import { readProtobuf } from './protobuf.js'
import { definitionName } from './schemas.js'

/** A field of protobuf: its number and a text, bytes or a number. */
function field(number: number, value: string | Buffer | number): Buffer {
  if (typeof value === 'number') return Buffer.concat([varint(number << 3), varint(value)])
  const bytes = Buffer.from(value)
  return Buffer.concat([varint((number << 3) | 2), varint(bytes.length), bytes])
}

function varint(value: number): Buffer {
  const bytes: number[] = []
  let rest = value
  while (rest >= 0x80) {
    bytes.push((rest & 0x7f) | 0x80)
    rest = Math.floor(rest / 128)
  }
  return Buffer.from([...bytes, rest])
}

const message = (...fields: Buffer[]): Buffer => Buffer.concat(fields)
const object = (kind: string, raw: Buffer): Buffer =>
  message(Buffer.from('k8s\0'), field(1, message(field(1, 'v1'), field(2, kind))), field(2, raw))
const read = (bytes: Buffer): unknown => readProtobuf(bytes, definitionName)

describe('readProtobuf', () => {
  it('reads objects, maps, lists and what Go embeds', () => {
    const probe = message(
      field(1, message(field(2, message(field(1, '/'), field(2, message(field(1, 0), field(2, 80))))))),
      field(3, 5),
    )
    const limits = message(field(1, 'cpu'), field(2, message(field(1, '100m'))))
    const container = message(field(1, 'c'), field(2, 'nginx'), field(8, field(1, limits)), field(11, probe))
    const metadata = message(
      field(1, 'a'),
      field(2, ''),
      field(8, message()),
      field(11, message(field(1, 'app'), field(2, 'web'))),
    )
    expect(read(object('Pod', message(field(1, metadata), field(2, field(2, container)))))).toEqual({
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'a', labels: { app: 'web' } },
      spec: {
        containers: [
          {
            name: 'c',
            image: 'nginx',
            resources: { limits: { cpu: '100m' } },
            readinessProbe: { httpGet: { path: '/', port: 80 }, timeoutSeconds: 5 },
          },
        ],
      },
    })
  })

  it('keeps bytes as base64', () => {
    const data = message(field(1, 'key'), field(2, Buffer.from([0, 255])))
    expect(read(object('Secret', field(2, data)))).toMatchObject({ data: { key: 'AP8=' } })
  })

  it('refuses what is no object of Kubernetes, or none that is known', () => {
    expect(() => read(Buffer.from('{}'))).toThrow('no protobuf of Kubernetes')
    expect(() => read(object('Lease', Buffer.alloc(0)))).toThrow('v1 Lease cannot be read in protobuf')
  })

  it('reads any bytes, or says what is wrong with them', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
        try {
          expect(read(object('Pod', Buffer.from(bytes)))).toMatchObject({ kind: 'Pod' })
        } catch (error) {
          expect(error).toBeInstanceOf(RangeError)
        }
      }),
      { numRuns: 2_000 },
    )
  })
})
