import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { z } from 'zod'
import { version } from '../version.js'
import { type GatewayAddress } from './gateway-client.js'

const stateSchema = z.object({ version: z.string(), pid: z.number().int(), url: z.url(), apiKey: z.string() })

/** Where a running `ordeal up` is written down. */
export const stateFile = (stateDir: string): string => join(stateDir, 'up.json')

/** Where the services of an `ordeal run` on its own are written down while its cycle goes on. */
const runStateFile = (stateDir: string, cycle: string): string => join(stateDir, 'runs', `${cycle}.json`)

/** Where a running `ordeal up` of this version says it listens; null when it says nothing. It may be gone all the same. */
export const readState = (stateDir: string): Promise<GatewayAddress | null> => readAddress(stateFile(stateDir))

/** The same of the `ordeal run` that walks a cycle by itself. */
export const readRunState = (stateDir: string, cycle: string): Promise<GatewayAddress | null> =>
  readAddress(runStateFile(stateDir, cycle))

async function readAddress(file: string): Promise<GatewayAddress | null> {
  try {
    const state = stateSchema.parse(JSON.parse(await readFile(file, 'utf8')))
    return state.version === version ? { url: state.url, apiKey: state.apiKey } : null
  } catch {
    return null
  }
}

/** Tells later commands of this user where the services listen. The key in it opens them: nobody else may read it. */
export const writeState = (stateDir: string, address: GatewayAddress): Promise<void> =>
  writeAddress(stateFile(stateDir), address)

/** The same for the cycle that an `ordeal run` walks by itself. */
export const writeRunState = (stateDir: string, cycle: string, address: GatewayAddress): Promise<void> =>
  writeAddress(runStateFile(stateDir, cycle), address)

async function writeAddress(file: string, address: GatewayAddress): Promise<void> {
  await mkdir(dirname(file), { recursive: true, mode: 0o700 })
  const draft = `${file}.${process.pid}`
  const state = { version, pid: process.pid, url: address.url, apiKey: address.apiKey }
  await writeFile(draft, `${JSON.stringify(state)}\n`, { mode: 0o600 })
  await rename(draft, file)
}

export async function removeState(stateDir: string): Promise<void> {
  await rm(stateFile(stateDir), { force: true })
}

export async function removeRunState(stateDir: string, cycle: string): Promise<void> {
  await rm(runStateFile(stateDir, cycle), { force: true })
}
