import { posix } from 'node:path'
import { InputError } from '@ordeal/shared'
import { type TextFile } from './yaml-file.js'

const NAMES = ['kustomization.yaml', 'kustomization.yml', 'Kustomization']

/** The kustomization file of a folder; null where there is none. Throws InputError where there are several. */
export function kustomizationIn(files: readonly TextFile[], folder: string): string | null {
  const paths = NAMES.map((name) => posix.join(folder, name))
  const [found, second] = files.filter((f) => paths.includes(f.path)).map((f) => f.path)
  if (found === undefined) return null
  if (second === undefined) return found
  throw new InputError(`a second kustomization beside ${posix.basename(found)}`, second, 'Kustomize wants one; keep it')
}

export const isKustomization = (path: string): boolean => NAMES.includes(posix.basename(path))
