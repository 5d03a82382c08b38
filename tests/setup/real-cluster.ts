import { execFile } from 'node:child_process'
import { access } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'

/**
 * A real Kubernetes with Chaos Mesh for the specs of level `cluster`. Either one that is there (ORDEAL_TEST_CONTEXT names
 * its context; its nodes must have the images ordeal/prober:1 and ordeal/testapp:1), or one that the program
 * ORDEAL_TEST_CLUSTER starts (`up` prints the path of a kubeconfig, `status` tells whether it runs, `load FILE` hands it
 * an image, `exec CMD…` runs a program beside Chaos Mesh's, `down` ends it).
 */
declare global {
  /** Set by globalSetup, for globalTeardown: ends what was started, and nothing else. */
  var ordealEndTestCluster: (() => Promise<void>) | undefined
}

const ROOT = resolve(import.meta.dirname, '../..')
const DEFAULT_PROGRAM = join(ROOT, '../shared/cluster/cluster.sh')
const DEFAULT_CONTEXT = 'testcluster'
/** The first start may have to build a whole Kubernetes. */
const START_MS = 30 * 60_000

const run = async (program: string, ...args: string[]): Promise<string> => {
  const { stdout } = await promisify(execFile)(program, args, { timeout: START_MS, maxBuffer: 1 << 26 })
  return stdout
}

/** Jest's globalSetup. Throws when the cluster does not start: a test that is left out unseen is worth nothing. */
export default async function startCluster(): Promise<void> {
  if (process.env.ORDEAL_TEST_CONTEXT) return
  const program = process.env.ORDEAL_TEST_CLUSTER ?? DEFAULT_PROGRAM
  await access(program).catch((cause: unknown) => {
    const remedy = 'name such a program with ORDEAL_TEST_CLUSTER, or a cluster that is there with ORDEAL_TEST_CONTEXT'
    throw new Error(`no program that starts a cluster at ${program}; ${remedy}`, { cause })
  })
  const wasUp = await run(program, 'status').then(
    () => true,
    () => false,
  )
  if (!wasUp) globalThis.ordealEndTestCluster = async () => void (await run(program, 'down'))
  const kubeconfig = (await run(program, 'up')).trim().split('\n').at(-1) ?? ''
  await run(process.execPath, join(ROOT, 'scripts/prober-image.mjs'))
  await run(program, 'load', join(ROOT, 'dist/prober-image.tar'))
  process.env.KUBECONFIG = kubeconfig
  process.env.ORDEAL_TEST_CLUSTER = program
  process.env.ORDEAL_TEST_CONTEXT = DEFAULT_CONTEXT
}
