import { addressIn, atLeastInfo, passOn } from './log-lines.js'

const line = (level: number, message: string, more = {}): string => JSON.stringify({ level, message, ...more })
const RUNS = line(30, 'the service runs', { url: 'http://127.0.0.1:4000' })

describe('lines of a service’s log', () => {
  it('give its address when it says that it runs, and only then', () => {
    expect(addressIn(RUNS)).toBe('http://127.0.0.1:4000')
    expect(addressIn(line(30, 'stopping', { url: 'http://127.0.0.1:4000' }))).toBeNull()
    expect(addressIn('the service runs')).toBeNull()
    expect(addressIn('{"level":')).toBeNull()
  })

  it.each([
    ['error', [line(50, 'dead'), 'Segmentation fault']],
    ['warn', [line(40, 'slow'), line(50, 'dead'), 'Segmentation fault']],
    ['silent', []],
  ] as const)('are passed on from level %s, with whatever is no log line', (level, expected) => {
    const written: string[] = []
    const hear = passOn(level, (text) => written.push(text))
    for (const one of [RUNS, line(40, 'slow'), line(50, 'dead'), 'Segmentation fault']) hear(one)
    expect(written).toEqual(expected.map((one) => `${one}\n`))
  })

  it('are asked for at a level that tells the address, whatever is shown', () => {
    expect([atLeastInfo('silent'), atLeastInfo('error'), atLeastInfo('debug')]).toEqual(['info', 'info', 'debug'])
  })
})
