import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import {
  agentCallSchema,
  approvalSchema,
  bundleSchema,
  cycleOptionsSchema,
  InputError,
  type AgentCall,
  type Approval,
  type Bundle,
  type CycleOptions,
} from '@ordeal/shared'
import { z } from 'zod'

const indexSchema = z.object({ artefacts: z.array(z.object({ kind: z.string(), file: z.string() })) })

/** The calls of agents that a folder of results holds, in the order in which they were made. */
export async function readCalls(dir: string): Promise<AgentCall[]> {
  const { artefacts } = await readDocument(dir, 'index.json', indexSchema)
  const files = artefacts.filter(({ kind }) => kind === 'agent-call').map(({ file }) => file)
  return Promise.all(files.map((file) => readDocument(dir, file, agentCallSchema)))
}

/** What people decided in a cycle, in order. */
export async function readApprovals(dir: string): Promise<Approval[]> {
  const { artefacts } = await readDocument(dir, 'index.json', indexSchema)
  const files = artefacts.filter(({ kind }) => kind === 'approval').map(({ file }) => file)
  return Promise.all(files.map((file) => readDocument(dir, file, approvalSchema)))
}

/** What a cycle was asked for: its files, without credentials, and its settings. */
export async function readRequest(dir: string): Promise<{ input: Bundle; options: CycleOptions }> {
  const [input, options] = await Promise.all([
    readDocument(dir, 'input.json', bundleSchema),
    readDocument(dir, 'options.json', cycleOptionsSchema),
  ])
  return { input, options }
}

async function readDocument<T>(dir: string, file: string, schema: z.ZodType<T>): Promise<T> {
  const path = join(dir, 'artefacts', file)
  const text = await readFile(path, 'utf8').catch(async (error: NodeJS.ErrnoException) => {
    const there = await readdir(dir).catch(() => null)
    throw new InputError(
      there === null ? 'there is no such folder' : `it has no artefacts/${file} (${error.code ?? 'unreadable'})`,
      dir,
      'Give the folder that `ordeal run` wrote its results to',
    )
  })
  const parsed = schema.safeParse(JSON.parse(text))
  if (parsed.success) return parsed.data
  throw new InputError(`artefacts/${file} is not what this version of Ordeal writes`, dir)
}
