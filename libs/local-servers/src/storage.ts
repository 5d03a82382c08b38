import { mkdir, mkdtemp } from 'node:fs/promises'
import { dirname, join } from 'node:path'

/** Where a server's data lie: in `dir`, kept between starts, or in a folder that goes when the server ends. */
export type Storage = { readonly dir: string } | { readonly temporary: true }

/** A storage made ready. `removeAtEnd` is null for data that stay. */
export interface OpenStorage {
  readonly dir: string
  readonly removeAtEnd: string | null
}

/** Makes the folder of a storage, readable by its owner only. `name` helps to recognise a temporary one. */
export async function openStorage(storage: Storage, tempDir: string, name: string): Promise<OpenStorage> {
  if ('dir' in storage) {
    // Folders above it stay open to enter: the server may run as another user.
    await mkdir(dirname(storage.dir), { recursive: true, mode: 0o755 })
    await mkdir(storage.dir, { recursive: true, mode: 0o700 })
    return { dir: storage.dir, removeAtEnd: null }
  }
  const dir = await mkdtemp(join(tempDir, `ordeal-${name}-`))
  return { dir, removeAtEnd: dir }
}
