import { readFile } from 'node:fs/promises'
import { coerceError } from '@ordeal/shared'
import { parse } from 'yaml'
import { z } from 'zod'
import { UsageError } from '../errors.js'

type Document = z.infer<ReturnType<typeof z.json>>

/** A replacement from a file of JSON or YAML. Throws UsageError for one that cannot be read. */
export async function readDocument(file: string): Promise<Document> {
  const text = await readFile(file, 'utf8').catch((error: unknown) => {
    throw new UsageError(`--file ${file}: ${coerceError(error).message}`, 'Give a file of JSON or YAML')
  })
  try {
    return z.json().parse(parse(text))
  } catch (error) {
    throw new UsageError(`--file ${file} is neither JSON nor YAML: ${coerceError(error).message}`)
  }
}
