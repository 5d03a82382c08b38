import { heapOf } from './heap-settings.js'

describe('the heap of a container', () => {
  it.each([
    ['of a JVM', { args: ['-Xms1g', '-Xmx2g'] }, 2 ** 31],
    ['of a JVM, the last one', { command: ['java', '-Xmx1g', '-Xmx512m'] }, 2 ** 29],
    ['of a JVM by its environment', { env: [{ name: 'JAVA_OPTS', value: '-XX:+UseG1GC -Xmx256M' }] }, 2 ** 28],
    ['of Node', { args: ['node', '--max-old-space-size=4096', 'x.js'] }, 2 ** 32],
    ['of Redis', { args: ['--maxmemory', '100mb'] }, 100 * 2 ** 20],
    ['of Go', { env: [{ name: 'GOMEMLIMIT', value: '750MiB' }] }, 750 * 2 ** 20],
  ])('is told %s', (_, container, bytes) => {
    expect(heapOf(container)?.bytes).toBe(bytes)
  })

  it('is unknown where nothing tells it, or in shares', () => {
    expect(heapOf({ args: ['-XX:MaxRAMPercentage=75', '-Xmxyz'], env: [{ name: 'X', valueFrom: {} }] })).toBeNull()
  })
})
