import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import { version } from '../version.js'
import { type GatewayAddress } from './gateway-client.js'

const stateSchema = z.object({ version: z.string(), pid: z.number().int(), url: z.url(), apiKey: z.string() })

/** Where a running `ordeal up` is written down. */
export const stateFile = (stateDir: string): string => join(stateDir, 'up.json')

/** Where a running `ordeal up` of this version says it listens; null when it says nothing. It may be gone all the same. */
export async function readState(stateDir: string): Promise<GatewayAddress | null> {
  try {
    const state = stateSchema.parse(JSON.parse(await readFile(stateFile(stateDir), 'utf8')))
    return state.version === version ? { url: state.url, apiKey: state.apiKey } : null
  } catch {
    return null
  }
}

/** Tells later commands of this user where the services listen. The key in it opens them: nobody else may read it. */
export async function writeState(stateDir: string, address: GatewayAddress): Promise<void> {
  await mkdir(stateDir, { recursive: true, mode: 0o700 })
  const draft = `${stateFile(stateDir)}.${process.pid}`
  const state = { version, pid: process.pid, url: address.url, apiKey: address.apiKey }
  await writeFile(draft, `${JSON.stringify(state)}\n`, { mode: 0o600 })
  await rename(draft, stateFile(stateDir))
}

export async function removeState(stateDir: string): Promise<void> {
  await rm(stateFile(stateDir), { force: true })
}
