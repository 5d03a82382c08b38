import { RefusedError, type ClusterObject, type Pod } from '@ordeal/kubernetes'
import { parseSamples, PROBER_ENV, type ProberConfig, type SampleLine } from '@ordeal/prober'
import { coerceError, DeadlineError, TerminalError } from '@ordeal/shared'
import { isOwn, type Sandbox } from '../sandbox/open-sandbox.js'
import { allowReading, type ProberRights } from './access.js'
import { createSkewMeter, onClusterClock } from './clock-skew.js'
import { measured } from './measured-samples.js'
import { remedyFor, stateOf } from './prober-state.js'

/** Thrown when the cluster does not take the prober, it does not run, stopped, or wrote something else than samples. */
export class ProberLostError extends TerminalError {
  constructor(message: string, cause?: unknown) {
    super('prober-lost', message, { cause })
  }
}

/** A prober at work. */
export interface RunningProber {
  readonly name: string
  /** Of its pod. */
  readonly uid: string
  /** Everything it has measured until now, in the order in which the samples were due, by the cluster's clock. */
  samples(): Promise<SampleLine[]>
  /** Throws ProberLostError unless it has run without a break since it was started. */
  assertAlive(): Promise<void>
  stop(): Promise<void>
}

const START_MS = 120_000

/** Starts a prober in its own namespace, or finds the one that an earlier attempt started, and waits until it runs. */
export async function startProber(sandbox: Sandbox, name: string, config: ProberConfig): Promise<RunningProber> {
  const { cluster, context, proberNamespace } = sandbox
  const created = await place(sandbox, name, config)
  const read = () => cluster.objects.get<Pod>(created)
  const watch = [await cluster.objects.path({ apiVersion: 'v1', kind: 'Pod', namespace: proberNamespace })]
  const check = async () => {
    const pod = await read()
    if (!pod || hasEnded(pod)) {
      throw new ProberLostError(`the prober ended at its start: ${stateOf(pod)}. ${remedyFor(pod, name)}`)
    }
    return pod.status?.phase === 'Running' || undefined
  }
  try {
    await cluster.clock.waitFor({ what: 'a running prober', withinMs: START_MS, watch, check }, context.signal)
  } catch (error) {
    if (!(error instanceof DeadlineError)) throw error
    const pod = await read()
    throw new ProberLostError(`the prober does not start: ${stateOf(pod)}. ${remedyFor(pod, name)}`, error)
  }
  return findProber(sandbox, { name, uid: created.metadata.uid ?? '' })
}

/** A quota, a webhook or the rules for pods may be against a prober, which says nothing of the application. */
async function place(sandbox: Sandbox, name: string, config: ProberConfig): Promise<ClusterObject> {
  const { cluster, labels } = sandbox
  try {
    const rights = await allowReading(sandbox)
    return await cluster.objects.adopt(proberPod(sandbox, name, config, rights), isOwn(labels))
  } catch (error) {
    if (!(error instanceof RefusedError)) throw error
    const remedy = `Let namespace ${sandbox.proberNamespace} have it`
    throw new ProberLostError(`the cluster does not take the prober ${name}: ${error.message}. ${remedy}`, error)
  }
}

/** A prober that was started before, by this attempt or an earlier one; whether it still runs is for `assertAlive` to say. */
export function findProber(
  { cluster, proberNamespace }: Sandbox,
  { name, uid }: Pick<RunningProber, 'name' | 'uid'>,
): RunningProber {
  const ref = { apiVersion: 'v1', kind: 'Pod', metadata: { name, namespace: proberNamespace } }
  const meter = createSkewMeter()
  return {
    name,
    uid,
    samples: async () => {
      const askedAt = await cluster.clock.now()
      const lines = await readLines(() => cluster.objects.log({ namespace: proberNamespace, name }))
      meter.note({ askedAt, answeredAt: await cluster.clock.now(), lines })
      return onClusterClock(measured(lines), meter.skewMs())
    },
    assertAlive: async () => {
      const pod = await cluster.objects.get<Pod>(ref)
      if (pod && pod.metadata.uid === uid && !hasEnded(pod) && restartsOf(pod) === 0) return
      throw new ProberLostError(`the prober did not run through: ${stateOf(pod)}. ${remedyFor(pod, name)}`)
    },
    stop: async () => {
      await cluster.objects.remove(ref, { graceSeconds: 0 })
    },
  }
}

/** Removes the prober of an attempt that was cut short, and waits until its name is free. */
export async function retireProber({ cluster, context, proberNamespace }: Sandbox, name: string): Promise<void> {
  const ref = { apiVersion: 'v1', kind: 'Pod', metadata: { name, namespace: proberNamespace } }
  if (!(await cluster.objects.remove(ref, { graceSeconds: 0 }))) return
  const watch = [await cluster.objects.path({ apiVersion: 'v1', kind: 'Pod', namespace: proberNamespace })]
  const check = async () => ((await cluster.objects.get(ref)) ? undefined : true)
  await cluster.clock.waitFor({ what: 'the end of an old prober', withinMs: START_MS, watch, check }, context.signal)
}

function proberPod(
  { proberNamespace, proberImage, labels }: Sandbox,
  name: string,
  config: ProberConfig,
  { pod, container }: ProberRights,
): ClusterObject {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, namespace: proberNamespace, labels },
    spec: {
      restartPolicy: 'Never',
      ...pod,
      containers: [
        {
          name: 'prober',
          image: proberImage,
          env: [{ name: PROBER_ENV, value: JSON.stringify(config) }],
          ...container,
        },
      ],
    },
  }
}

async function readLines(readLog: () => Promise<string>): Promise<SampleLine[]> {
  try {
    return parseSamples(await readLog())
  } catch (error) {
    if (error instanceof TerminalError && !(error instanceof RefusedError)) throw error
    throw new ProberLostError(`the prober's samples cannot be read: ${coerceError(error).message}`, error)
  }
}

const hasEnded = (pod: Pod): boolean => pod.status?.phase === 'Failed' || pod.status?.phase === 'Succeeded'

const restartsOf = (pod: Pod): number =>
  (pod.status?.containerStatuses ?? []).reduce((sum, status) => sum + status.restartCount, 0)
