import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, isAbsolute, join, normalize } from 'node:path'
import { type Bundle, InputError } from '@ordeal/shared'

/** Writes a bundle's files below `folder`, which is made. Throws InputError for a path that leads out of it. */
export async function writeBundle(bundle: Bundle, folder: string): Promise<void> {
  for (const { path, content, encoding } of bundle.files) {
    const target = normalize(path)
    if (isAbsolute(target) || target.split('/').includes('..'))
      throw new InputError('the path leads out of the folder', path)
    await mkdir(dirname(join(folder, target)), { recursive: true })
    await writeFile(join(folder, target), content, encoding ?? 'utf8')
  }
}
