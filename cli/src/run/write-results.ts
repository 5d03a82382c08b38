import { type ArtefactEntry, reportFiles } from '@ordeal/gateway/contract'
import { type Results } from '@ordeal/shared'
import { type GatewayClient } from '../stack/gateway-client.js'
import { allDone } from '../stack/together.js'
import { type OutputFolder } from './output-folder.js'

/** Delivered as files of their own. */
const ELSEWHERE = new Set(['report', 'results'])
const AT_ONCE = 8

const safe = (text: string): string => text.replace(/[^A-Za-z0-9._-]+/g, '-').replace(/^[.-]+/, '') || 'unnamed'

/** Readable file names of artefacts: `graph.json`, `r1-run.json`, `r0-agent-call-diagnosis.json`; numbered where alike. */
export function artefactFiles(entries: readonly ArtefactEntry[]): Map<ArtefactEntry, string> {
  const used = new Map<string, number>([['index', 1]])
  const files = new Map<ArtefactEntry, string>()
  for (const entry of entries.filter(({ kind }) => !ELSEWHERE.has(kind))) {
    const revision = entry.revision === null ? [] : [`r${entry.revision}`]
    const named = entry.name && entry.name !== entry.kind ? [safe(entry.name)] : []
    const base = [...revision, safe(entry.kind), ...named].join('-')
    const before = used.get(base) ?? 0
    used.set(base, before + 1)
    files.set(entry, `${before ? `${base}-${before + 1}` : base}.json`)
  }
  return files
}

async function writeArtefacts(client: GatewayClient, id: string, folder: OutputFolder): Promise<unknown[]> {
  const due = [...artefactFiles(await client.artefacts(id))]
  const index = due.map(([entry, file]) => ({ ...entry, file }))
  const work = due.values()
  const worker = async (): Promise<void> => {
    for (const [entry, file] of work) await folder.write(`artefacts/${file}`, await client.artefact(id, entry.id))
  }
  await allDone(Array.from({ length: AT_ONCE }, worker))
  return index
}

async function writeReports(client: GatewayClient, id: string, folder: OutputFolder): Promise<void> {
  await allDone(
    [...reportFiles, 'changes.patch'].map(async (name) => {
      const content = await client.file(id, name)
      if (content !== null) await folder.write(name, content)
    }),
  )
}

async function writeImproved(client: GatewayClient, id: string, folder: OutputFolder): Promise<void> {
  const bundle = await client.improved(id)
  for (const { path, content, encoding } of bundle?.files ?? []) {
    await folder.write(`improved/${path}`, encoding ? Buffer.from(content, encoding) : content)
  }
}

/** Everything that a cycle leaves, into the folder: results, reports, patch, improved manifests, artefacts; or nothing. */
export async function writeResults(
  client: GatewayClient,
  id: string,
  results: Results,
  folder: OutputFolder,
): Promise<void> {
  try {
    await writeAll(client, id, results, folder)
  } catch (error) {
    await folder.discard()
    throw error
  }
}

async function writeAll(client: GatewayClient, id: string, results: Results, folder: OutputFolder): Promise<void> {
  await folder.write('results.json', `${JSON.stringify(results, null, 2)}\n`)
  const artefacts = writeArtefacts(client, id, folder)
  await allDone([artefacts, writeReports(client, id, folder), writeImproved(client, id, folder)])
  await folder.close(await artefacts)
}
