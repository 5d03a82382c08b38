import { type Cluster } from '../controllers/cluster.js'
import { type Pod } from '../controllers/objects.js'
import { type Timer } from '../kernel/kernel.js'
import { type RandomStream } from '../kernel/random.js'
import { type ContainerRunner } from './container-runner.js'
import { podStatus, type PodReport } from './pod-status.js'
import { RELIST_MS, STATUS_MS } from './pod-timings.js'

interface Reported {
  pod: Pod
  readonly random: RandomStream
  readonly all: readonly ContainerRunner[]
  /** What there is to say of it now. */
  report(current: Pod): PodReport
}

/** Writes a pod's status some time after something has changed; what changes meanwhile goes along. */
export class StatusWriter {
  /** Nothing is written any more. */
  closed = false
  private timer: Timer | null = null

  constructor(
    private readonly cluster: Cluster,
    private readonly worker: Reported,
  ) {}

  /** `relist`: the kubelet has to notice first. */
  changed(when: 'now' | 'relist'): void {
    if (this.closed) return
    const { kernel } = this.cluster
    const [low, high] = when === 'now' ? STATUS_MS : RELIST_MS
    const due = kernel.now + this.worker.random.between(low, high)
    if (this.timer?.pending && this.timer.time <= due) return
    this.timer?.cancel()
    this.timer = kernel.at(due, this, 'write')
  }

  /** For the kernel, and for who cannot wait. */
  write(): void {
    const { store } = this.cluster
    const { metadata } = this.worker.pod
    const current = store.get<Pod>('pods', metadata.namespace ?? '', metadata.name)
    if (this.closed || current?.metadata.uid !== metadata.uid) return
    const status = podStatus(this.worker.report(current))
    this.worker.pod = store.update<Pod>('pods', { ...current, status })
    for (const container of this.worker.all) container.looked()
  }

  close(): void {
    this.closed = true
    this.timer?.cancel()
  }
}
