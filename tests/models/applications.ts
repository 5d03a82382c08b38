import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { resultsSchema, type Results } from '@ordeal/shared'
import { ordeal } from '../e2e/ordeal.js'

/** An application to send through cycles, with the arguments that it is to be run with. */
export interface Application {
  readonly name: string
  readonly path: string
  readonly args: readonly string[]
}

/** The applications of a folder, by name. One that is a case (`case.json` beside `app/`) brings its arguments. */
export async function applicationsIn(folder: string): Promise<Application[]> {
  const entries = await readdir(folder, { withFileTypes: true })
  const names = entries.filter((entry) => entry.isDirectory()).map((entry) => entry.name)
  return Promise.all(
    names.toSorted().map(async (name) => {
      const dir = join(folder, name)
      const text = await readFile(join(dir, 'case.json'), 'utf8').catch(() => null)
      if (text === null) return { name, path: dir, args: [] }
      return { name, path: join(dir, 'app'), args: (JSON.parse(text) as { args: string[] }).args }
    }),
  )
}

/** How a cycle ended: with results, or refused before it began with what stderr says. */
export interface Ended {
  readonly code: number | null
  readonly results: Results | null
  readonly stderr: string
  readonly ms: number
}

/** Runs a cycle on an application, as a user would; `out` must not be there yet. */
export async function runCycle(
  { path, args }: Application,
  { model, out, stateHome }: { model: string; out: string; stateHome: string },
): Promise<Ended> {
  const started = performance.now()
  const { code, stderr } = await ordeal(
    ['run', path, ...args, '--seed', '1', '--model', model, '--out', out],
    stateHome,
  )
  const text = await readFile(join(out, 'results.json'), 'utf8').catch(() => null)
  const results = text === null ? null : resultsSchema.parse(JSON.parse(text))
  return { code, results, stderr, ms: Math.round(performance.now() - started) }
}
