import { RefusedError, type Pod } from '@ordeal/kubernetes'
import { manifestsSchema, required, type Graph, type Hypothesis } from '@ordeal/shared'
import { awaitFigures } from '../evidence/await-figures.js'
import { effectProbes, type EffectProbes } from '../evidence/effect-probes.js'
import { retireWitness, startWitness } from '../evidence/witness.js'
import { atEntryPoints } from '../prober/entry-points.js'
import { loadPath } from '../prober/access.js'
import { retireProber, type RunningProber } from '../prober/prober-pod.js'
import { probesOf } from '../prober/probes.js'
import { deployedRevision, noteRevision } from '../sandbox/namespaces.js'
import { type Sandbox } from '../sandbox/open-sandbox.js'
import { listPods } from '../sandbox/owners.js'
import { prepareObjects } from '../sandbox/prepare-objects.js'
import { rollOut } from '../sandbox/roll-out.js'
import { settle } from '../sandbox/settle.js'
import { undoWhatIsLeft } from '../undo/undo-ledger.js'
import { placeOf, refuse, refuseForeign, type Problem } from './refuse.js'
import { notRecovered, removeLeftovers } from './remove-faults.js'
import { resolveTargets, type Targets } from './targets.js'

/** A revision that works and whose targets are known: a run may begin. */
export interface Ready {
  readonly problem: null
  readonly prober: RunningProber
  /** Looks at targets from the other side of faults that have two. */
  readonly witness: RunningProber | null
  readonly targets: readonly Targets[]
  readonly pods: readonly Pod[]
}
export type Brought = Ready | { readonly problem: Problem }

/** Rolls the revision out, waits until it works with the run's prober watching, and resolves the faults' targets. */
export async function bringRevision(sandbox: Sandbox, graph: Graph, hypothesis: Hypothesis): Promise<Brought> {
  const { revision } = sandbox.context
  const faults = hypothesis.scenario.faults.flat()
  const left = await removeLeftovers(sandbox)
  if (left.length) return { problem: notRecovered(left) }
  const found = await undoWhatIsLeft(sandbox)
  if (found.left.length) return { problem: { reason: 'not-recovered', message: found.left.join('; ') } }
  const objects = await prepareRevision(sandbox, revision)
  sandbox.context.progress({ kind: 'step', message: `r${revision}: rolling out` })
  const rejected = await tryToRollOut(sandbox, objects)
  if (rejected) return { problem: rejected }
  const proberName = `prober-r${revision}`
  await retireProber(sandbox, proberName)
  await retireWitness(sandbox)
  const lookingAt = async () => probesAt(sandbox, await resolveTargets(sandbox, faults), graph)
  const settled = await settle(sandbox, {
    objects,
    proberName,
    proberConfig: async () => ({
      probes: [...(await probesOf(sandbox, hypothesis.steadyStates)), ...(await lookingAt()).prober],
    }),
    entryPoints: atEntryPoints(hypothesis.steadyStates, graph),
  })
  if (!settled.settled) return { problem: { reason: 'not-settled', message: settled.cause } }
  const targets = await resolveTargets(sandbox, faults)
  const problem = refuse(targets, await placeOf(sandbox, faults)) ?? refuseForeign(sandbox, targets, objects)
  if (problem) await settled.prober.stop()
  if (problem) return { problem }
  const looking = await lookingAt()
  const witness = await startWitness(sandbox, looking.witness)
  await awaitFigures(sandbox, settled.prober, looking.prober)
  return { problem: null, prober: settled.prober, witness, targets, pods: await listPods(sandbox) }
}

async function probesAt(sandbox: Sandbox, targets: readonly Targets[], graph: Graph): Promise<EffectProbes> {
  const stressed = targets.filter(({ fault }) => fault.kind === 'StressChaos').map(({ fault }) => fault.target.selector)
  const paths = await Promise.all(stressed.map((labels) => loadPath(sandbox, labels)))
  return effectProbes(targets, graph, (selector) => paths[stressed.indexOf(selector)] ?? null)
}

async function prepareRevision(sandbox: Sandbox, revision: number): ReturnType<typeof prepareObjects> {
  const manifests = await sandbox.context.artefacts.latest('manifests', manifestsSchema, revision)
  return prepareObjects(sandbox, required(manifests, `manifests of revision ${revision}`))
}

async function tryToRollOut(
  sandbox: Sandbox,
  objects: Awaited<ReturnType<typeof prepareObjects>>,
): Promise<Problem | null> {
  const { context } = sandbox
  try {
    const deployed = await deployedRevision(sandbox)
    await rollOut(sandbox, await prepareRevision(sandbox, deployed), objects)
    await noteRevision(sandbox, context.revision)
    return null
  } catch (error) {
    if (!(error instanceof RefusedError)) throw error
    return { reason: 'rejected-by-cluster', message: error.message }
  }
}
