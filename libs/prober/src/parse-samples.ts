import { sampleLineSchema, type SampleLine } from './protocol.js'

/**
 * Reads a prober's log. A last line without its line end may be cut short and is then left out. Throws an Error that
 * names the line for anything else that is not a sample.
 */
export function parseSamples(log: string): SampleLine[] {
  const lines = log.split('\n')
  const last = lines.pop() ?? ''
  const samples = lines.map((line, index) => readLine(line, index + 1))
  const tail = last === '' ? null : readCutLine(last)
  return tail ? [...samples, tail] : samples
}

function readLine(line: string, number: number): SampleLine {
  try {
    return sampleLineSchema.parse(JSON.parse(line))
  } catch (cause) {
    throw new Error(`line ${number} of the prober's log is not a sample: ${line.slice(0, 200)}`, { cause })
  }
}

function readCutLine(line: string): SampleLine | null {
  try {
    return sampleLineSchema.parse(JSON.parse(line))
  } catch {
    return null
  }
}
