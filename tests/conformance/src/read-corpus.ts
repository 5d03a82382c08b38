import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parse } from 'yaml'
import { z } from 'zod'
import { type Scenario, scenarioSchema } from './scenario.js'

/** A scenario whose text still has `${ns}` in it. */
export interface Written {
  readonly name: string
  readonly scenario: Scenario
  /** The scenario for a namespace. */
  readonly in: (namespace: string) => Scenario
}

/**
 * Every scenario of a folder: each document of its YAML files is one. A first document that begins with `shared:` stands
 * before each of the others, which may so use its anchors. Throws for a scenario that is wrong or named twice.
 */
export async function readCorpus(folder: string): Promise<readonly Written[]> {
  const files = (await readdir(folder)).filter((file) => file.endsWith('.yaml')).sort()
  const written = (await Promise.all(files.map(async (file) => readFileOf(join(folder, file))))).flat()
  const names = written.map(({ name }) => name)
  const twice = names.find((name, index) => names.indexOf(name) !== index)
  if (twice) throw new Error(`${folder}: two scenarios are named ${twice}`)
  return written
}

async function readFileOf(path: string): Promise<Written[]> {
  const [first = '', ...rest] = (await readFile(path, 'utf8')).split(/^---\n/m)
  const texts = first.startsWith('shared:') ? rest.map((text) => `${first}${text}`) : [first, ...rest]
  return texts.map((text) => readScenario(path, text))
}

function readScenario(path: string, yaml: string): Written {
  const { shared: _, ...plain } = parse(yaml, { merge: true }) as Record<string, unknown>
  const text = JSON.stringify(plain)
  const read = (namespace: string) => parseScenario(path, text.replaceAll('${ns}', namespace))
  const scenario = read('ns')
  return { name: scenario.name, scenario, in: read }
}

function parseScenario(path: string, text: string): Scenario {
  const found = scenarioSchema.safeParse(JSON.parse(text))
  if (found.success) return found.data
  throw new Error(`${path}: ${text.slice(0, 60)}…: ${z.prettifyError(found.error)}`)
}
