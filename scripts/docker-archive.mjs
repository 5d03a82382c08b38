// Writes container images of one layer as a docker archive (`docker load`, `ctr images import`), without any daemon.
import { createHash } from 'node:crypto'

const BLOCK = 512

/**
 * The archive's bytes; the same files give the same bytes. `config` is the image's `config` as Docker has it
 * (Entrypoint, User, Env, …); `tag` its full name.
 */
export function dockerArchive({ tag, files, config, architecture }) {
  const layer = tar(withFolders(files))
  const digest = createHash('sha256').update(layer).digest('hex')
  const image = {
    architecture,
    os: 'linux',
    created: '1970-01-01T00:00:00Z',
    config,
    rootfs: { type: 'layers', diff_ids: [`sha256:${digest}`] },
    history: [{ created: '1970-01-01T00:00:00Z' }],
  }
  const manifest = [{ Config: 'config.json', RepoTags: [tag], Layers: ['layer.tar'] }]
  return tar([
    { path: 'manifest.json', body: Buffer.from(JSON.stringify(manifest)) },
    { path: 'config.json', body: Buffer.from(JSON.stringify(image)) },
    { path: 'layer.tar', body: layer },
  ])
}

/** The files, each after the folders that it lies in. */
function withFolders(files) {
  const folders = new Set()
  for (const { path } of files) {
    const parts = path.split('/').slice(0, -1)
    parts.forEach((_, index) => folders.add(parts.slice(0, index + 1).join('/')))
  }
  const entries = [...folders].filter(Boolean).map((path) => ({ path, folder: true, body: Buffer.alloc(0) }))
  return [...entries, ...files]
    .map((file) => ({ ...file, path: file.path.replace(/^\//, '') }))
    .sort((a, b) => (a.path < b.path ? -1 : 1))
}

function tar(entries) {
  const blocks = entries.flatMap(({ body, ...entry }) => {
    const padding = Buffer.alloc((BLOCK - (body.length % BLOCK)) % BLOCK)
    return [header({ ...entry, size: body.length }), body, padding]
  })
  return Buffer.concat([...blocks, Buffer.alloc(2 * BLOCK)])
}

const octal = (value, width) => `${value.toString(8).padStart(width - 1, '0')}\0`

/** A POSIX ustar header. */
function header({ path, size, folder = false, program = false }) {
  const { name, prefix } = splitPath(folder ? `${path}/` : path)
  const block = Buffer.alloc(BLOCK)
  const fields = [
    [0, name],
    [100, octal(folder || program ? 0o755 : 0o644, 8)],
    [108, octal(0, 8)],
    [116, octal(0, 8)],
    [124, octal(size, 12)],
    [136, octal(0, 12)],
    [148, ' '.repeat(8)],
    [156, folder ? '5' : '0'],
    [257, 'ustar\x0000'],
    [345, prefix],
  ]
  for (const [offset, text] of fields) block.write(text, offset, 'latin1')
  block.write(
    `${octal(
      block.reduce((sum, byte) => sum + byte, 0),
      7,
    )} `,
    148,
    'latin1',
  )
  return block
}

/** ustar has 100 bytes for the name and 155 for the folders before it. */
function splitPath(path) {
  if (path.length <= 100) return { name: path, prefix: '' }
  const cut = path.indexOf('/', path.length - 101)
  if (cut < 0 || cut > 155) throw new Error(`${path} is too long for a tar archive`)
  return { name: path.slice(cut + 1), prefix: path.slice(0, cut) }
}
