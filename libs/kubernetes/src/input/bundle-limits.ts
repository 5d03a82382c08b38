import { InputError } from '@ordeal/shared'

const MiB = 1024 * 1024
/** Bounds of an input. A manifest over its bound is an error; another file over it is left out. */
export const LIMITS = {
  manifestBytes: 5 * MiB,
  otherBytes: MiB / 4,
  /** A packed sub-chart. */
  packedBytes: 2 * MiB,
  totalBytes: 20 * MiB,
  files: 5000,
  entries: 50_000,
  depth: 24,
  /** Of an archive: packed, unpacked, and how many times larger it may become. */
  archiveBytes: 20 * MiB,
  unpackedBytes: 200 * MiB,
  ratio: 200,
}

export const megabytes = (bytes: number): string => `${(bytes / MiB).toFixed(1).replace(/\.0$/, '')} MB`

const MANIFEST = /\.(ya?ml|json)$/i
/** Helm keeps sub-charts so. */
const PACKED_CHART = /(^|\/)charts\/[^/]+\.tgz$/

/** Folders of tools, and of programs, in which no manifest is meant for a cluster. */
const IGNORED = new Set(['.git', 'node_modules', '.terraform', '.venv', '__pycache__'])

export const isIgnored = (name: string): boolean => IGNORED.has(name)

/** Of how many bytes a file may be, and whether being larger is an error. */
function boundOf(path: string): { bytes: number; isError: boolean } {
  if (MANIFEST.test(path)) return { bytes: LIMITS.manifestBytes, isError: true }
  if (PACKED_CHART.test(path)) return { bytes: LIMITS.packedBytes, isError: true }
  return { bytes: LIMITS.otherBytes, isError: false }
}

/** Whether a file of this size is read. Throws InputError for a manifest that is too large. */
export function isTaken(path: string, size: number): boolean {
  const { bytes, isError } = boundOf(path)
  if (size <= bytes) return true
  if (!isError) return false
  const what = MANIFEST.test(path) ? 'a manifest' : 'a packed chart'
  const message = `${megabytes(size)} is too large for ${what}; at most ${megabytes(bytes)}`
  throw new InputError(message, path, 'Leave out what is no manifest, or split it')
}

/**
 * A file as a bundle has it: its text, byte order mark kept; a packed chart in base64; null for what is no text and no
 * manifest either. Throws InputError for a manifest that is no UTF-8.
 */
export function bundleFile(path: string, bytes: Buffer): { path: string; content: string; encoding?: 'base64' } | null {
  if (PACKED_CHART.test(path)) return { path, content: bytes.toString('base64'), encoding: 'base64' }
  const content = textOf(bytes)
  if (content !== null) return { path, content }
  if (MANIFEST.test(path)) throw new InputError('not UTF-8 text', path, 'Save it as UTF-8')
  return null
}

function textOf(bytes: Buffer): string | null {
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
    return text.includes('\0') ? null : text
  } catch {
    return null
  }
}
