import { once } from 'node:events'
import { mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { StartError } from '../errors.js'
import { EXIT, type ExitCode } from '../exit-code.js'
import { type Host } from '../host.js'
import { listenForInterrupts } from '../interrupts.js'
import { kubeconfigFor } from './kubeconfig.js'

export interface ClusterOptions {
  readonly seed: number
  /** 0 takes any free one. */
  readonly port: number
}

const ID = 'interactive'

/** `ordeal cluster`: one embedded cluster at wall speed, for kubectl, until a signal. */
export async function cluster(options: ClusterOptions, { terminal, config }: Host): Promise<ExitCode> {
  const interrupts = listenForInterrupts(terminal.err)
  const { createEmbeddedServer } = await import('@ordeal/embedded-cluster')
  const server = await createEmbeddedServer({ host: '127.0.0.1', port: options.port })
  const file = join(config.stateDir, `kubeconfig-${process.pid}`)
  try {
    const url = await createInteractive(server.url, options.seed)
    await mkdir(config.stateDir, { recursive: true, mode: 0o700 })
    await writeFile(file, kubeconfigFor(url))
    terminal.out.write(`${url}\n`)
    terminal.err.write(
      `An embedded cluster, at wall speed. Use it with:\n  export KUBECONFIG=${file}\n  kubectl get nodes\n`,
    )
    if (!interrupts.signal.aborted) await once(interrupts.signal, 'abort')
    return EXIT.good
  } finally {
    await rm(file, { force: true })
    await server.close()
    interrupts.release()
  }
}

async function createInteractive(server: string, seed: number): Promise<string> {
  const response = await fetch(`${server}/clusters`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ id: ID, seed, mode: 'wall' }),
  })
  if (!response.ok) throw new StartError(`the embedded cluster was refused: ${await response.text()}`)
  return `${server}/clusters/${ID}`
}
