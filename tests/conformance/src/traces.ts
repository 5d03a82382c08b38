import { readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { formatTrace, parseTrace, type Trace } from './trace.js'

const fileOf = (folder: string, scenario: string): string => join(folder, `${scenario}.yaml`)

/** The recorded trace of a scenario; null when there is none. */
export async function readTrace(folder: string, scenario: string): Promise<Trace | null> {
  try {
    return parseTrace(await readFile(fileOf(folder, scenario), 'utf8'))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null
    throw error
  }
}

export const writeTrace = (folder: string, trace: Trace): Promise<void> =>
  writeFile(fileOf(folder, trace.scenario), formatTrace(trace))

/** Traces of scenarios that are no more. */
export async function strayTraces(folder: string, scenarios: readonly string[]): Promise<string[]> {
  const names = (await readdir(folder)).map((file) => file.replace(/\.yaml$/, ''))
  return names.filter((name) => !scenarios.includes(name))
}

export async function removeTraces(folder: string, scenarios: readonly string[]): Promise<void> {
  for (const scenario of scenarios) await rm(fileOf(folder, scenario))
}
