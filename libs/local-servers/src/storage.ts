import { chown, mkdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { randomName } from '@ordeal/shared'

/** Where a server's data lie: in `dir`, kept between starts, or in a folder that goes when the server ends. */
export type Storage = { readonly dir: string } | { readonly temporary: true }

/** `temporaryDir` is the same folder, yet to be made and to be removed by the supervisor, or null for data that stay. */
export interface OpenStorage {
  readonly dir: string
  readonly temporaryDir: string | null
}

/**
 * Makes the folder of data that stay, readable by `owner` only; a temporary one is only named, because from its first
 * moment on somebody must be there to remove it.
 */
export async function openStorage(
  storage: Storage,
  temporary: { readonly parent: string; readonly name: string },
  owner: { readonly uid: number; readonly gid: number } | null = null,
): Promise<OpenStorage> {
  if ('temporary' in storage) {
    const dir = join(temporary.parent, `ordeal-${temporary.name}-${randomName(8)}`)
    return { dir, temporaryDir: dir }
  }
  // Folders above it stay open to enter: the server may run as another user.
  await mkdir(dirname(storage.dir), { recursive: true, mode: 0o755 })
  await mkdir(storage.dir, { recursive: true, mode: 0o700 })
  if (owner) await chown(storage.dir, owner.uid, owner.gid)
  return { dir: storage.dir, temporaryDir: null }
}
