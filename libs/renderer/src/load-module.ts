import { readFile } from 'node:fs/promises'
import { promisify } from 'node:util'
import { brotliDecompress } from 'node:zlib'
import { TerminalError } from '@ordeal/shared'

/** Built by scripts/build-renderer.mjs, which says from what. */
const FILE = new URL('../dist/renderer.wasm.br', import.meta.url)

/** The compiled module. Throws TerminalError `renderer-missing` with the remedy when it was not built. */
export async function loadModule(file: URL = FILE): Promise<WebAssembly.Module> {
  const packed = await readFile(file).catch((cause: unknown) => {
    throw new TerminalError(
      'renderer-missing',
      'Kustomize and Helm are rendered by a module that is not in this build. Run `node scripts/build-renderer.mjs`, which needs Go 1.26, then `npm run build`; or render to plain manifests first',
      { cause },
    )
  })
  return WebAssembly.compile(await promisify(brotliDecompress)(packed))
}
