import { createProber, type Prober, type ProberConfig, type SampleLine } from '@ordeal/prober'
import { VirtualHost } from '../images/virtual-host.js'
import { readList } from '../controllers/read-list.js'
import { type Engine } from '../engine.js'
import { type Kernel } from '../kernel/kernel.js'
import { type StoredObject } from '../store/object.js'
import { type Call, type Caller } from '../traffic/call.js'
import { Peer } from '../traffic/peer.js'
import { type Destination } from '../traffic/routing.js'

/** An address outside of every node's pod network: no fault selects it. */
const STATION_IP = '10.245.0.1'
const OWN_NAMESPACE = 'ordeal-prober'

/** The prober without a pod: it starts at an exact instant, and nothing in the cluster can touch it. */
export class ProbeStation {
  readonly kernel: Kernel
  private readonly peer = new Peer(STATION_IP, 0, OWN_NAMESPACE)
  private readonly prober: Prober
  /** In the order in which they were written. */
  readonly samples: SampleLine[] = []

  constructor(
    private readonly engine: Engine,
    probes: ProberConfig['probes'],
  ) {
    this.kernel = engine.kernel
    engine.network.join(this.peer)
    this.prober = createProber(new VirtualHost(this), { probes })
    this.prober.start()
  }

  /** Ends sampling and leaves the network. */
  close(): void {
    this.prober.stop()
    this.engine.network.leave(this.peer)
  }

  get(to: Destination, timeoutMs: number, caller: Caller): Call {
    return this.engine.network.get({ from: this.peer, to, timeoutMs }, caller)
  }

  list(path: string): StoredObject[] {
    return readList(this.engine.store, path)
  }

  log(line: string): void {
    this.samples.push(JSON.parse(line) as SampleLine)
  }
}
