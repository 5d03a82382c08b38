import { execFile } from 'node:child_process'
import { promisify } from 'node:util'

/** The programs of Chaos Mesh that a spec may stop, as long as it lets them go on. */
export type ChaosProgram = 'chaos-daemon' | 'chaos-controller-manager'

/** Where the test run has started the cluster itself (tests/setup/real-cluster.ts); else nobody's programs are stopped. */
export const ownsCluster = (): boolean => process.env.ORDEAL_TEST_CLUSTER !== undefined

/** Sends a signal to a program of Chaos Mesh: STOP freezes it, CONT lets it go on, KILL ends it until it is restarted. */
export async function signalChaosMesh(name: ChaosProgram, signal: 'STOP' | 'CONT' | 'KILL'): Promise<void> {
  const pid = await exec('pgrep', '-f', `^[^ ]*/bin/${name}( |$)`)
  await exec('kill', `-${signal}`, pid.trim())
}

async function exec(...command: string[]): Promise<string> {
  const program = process.env.ORDEAL_TEST_CLUSTER
  if (!program) throw new Error('ORDEAL_TEST_CLUSTER is not set: no program of this cluster may be stopped')
  return (await promisify(execFile)(program, ['exec', ...command])).stdout
}
