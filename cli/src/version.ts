import { createRequire } from 'node:module'
import { z } from 'zod'

const manifest = z.object({ version: z.string() })

/** Version of this command line. */
export const version = manifest.parse(createRequire(import.meta.url)('../package.json')).version
