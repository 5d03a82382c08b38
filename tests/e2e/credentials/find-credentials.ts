import { readdir, readFile } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { CREDENTIALS } from './applications.js'

/** Every way in which a text may be written down: as it is, in base64 at any offset, in a URL, in JSON, in hexadecimal. */
function formsOf(value: string): string[] {
  const bytes = Buffer.from(value)
  // Behind one or two other bytes base64 looks otherwise; its first and last characters hang on the neighbours.
  const shifted = [0, 1, 2].map((n) => {
    const text = Buffer.concat([Buffer.alloc(n), bytes])
      .toString('base64')
      .replace(/=+$/, '')
    return text.slice(n === 0 ? 0 : n + 1, -1)
  })
  const json = JSON.stringify(value).slice(1, -1)
  return [...new Set([value, json, encodeURIComponent(value), bytes.toString('hex'), ...shifted])]
}

const FORMS = Object.entries(CREDENTIALS).map(([name, value]) => ({ name, forms: formsOf(value) }))

/** Names of the credentials that a text holds in any form. */
export const credentialsIn = (text: string): string[] =>
  FORMS.filter(({ forms }) => forms.some((form) => text.includes(form))).map(({ name }) => name)

/** `file: name` for every credential in a file below a folder; the user's own files are left out. */
export async function credentialsBelow(dir: string, own: RegExp): Promise<string[]> {
  const entries = await readdir(dir, { recursive: true, withFileTypes: true })
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name))
  const found = await Promise.all(
    files
      .filter((file) => !own.test(relative(dir, file)))
      .map(async (file) =>
        credentialsIn(await readFile(file, 'latin1')).map((name) => `${relative(dir, file)}: ${name}`),
      ),
  )
  return found.flat().toSorted()
}
