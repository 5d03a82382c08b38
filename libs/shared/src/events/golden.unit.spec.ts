import { readdirSync, readFileSync } from 'node:fs'
import { catalogue } from './catalogue.js'
import { decodeEnvelope } from './envelope.js'

/** One message of each version of each event, as it was once sent: `<event>.v<version>.json`. They never change. */
const folder = new URL('../../test/golden/', import.meta.url)
const files = readdirSync(folder)

describe('golden messages', () => {
  it('exist for the current version of every event', () => {
    const current = Object.entries(catalogue).map(([key, { version }]) => `${key}.v${version}.json`)
    expect(current.filter((file) => !files.includes(file))).toEqual([])
  })

  it.each(files)('%s is read, nothing of it lost', (file) => {
    const text = readFileSync(new URL(file, folder), 'utf8')
    const envelope = decodeEnvelope(text)
    expect(file).toBe(`${envelope.type}.v${envelope.version}.json`)
    expect(envelope).toEqual(JSON.parse(text))
  })

  it('refuse a member that is missing', () => {
    const message = JSON.parse(readFileSync(new URL('cycle.requested.v1.json', folder), 'utf8')) as Record<
      string,
      unknown
    >
    for (const member of Object.keys(message)) {
      const { [member]: _, ...rest } = message
      expect(() => decodeEnvelope(JSON.stringify(rest))).toThrow('cannot read a message')
    }
  })
})
