import { Counter, Gauge, Histogram, Registry } from 'prom-client'

/** What one service counts, in the text format that Prometheus scrapes. */
export interface Metrics {
  /** A message was settled. */
  settled(event: string, how: 'ack' | 'duplicate' | 'retry' | 'dead'): void
  /** Messages of the outbox were published. */
  published(count: number): void
  /** A phase left its runner after `ms`. */
  phaseEnded(phase: string, how: string, ms: number): void
  /** Phases were taken back whose holder had vanished. */
  leasesLost(count: number): void
  /** Adds a value that is read when scraped. */
  gauge(name: string, help: string, read: () => Promise<Record<string, number>> | Record<string, number>): void
  text(): Promise<string>
}

const SECONDS = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 600, 1800]

/** A registry of its own for each service, so that five in one process keep apart. */
export function createMetrics(service: string): Metrics {
  const registry = new Registry()
  registry.setDefaultLabels({ service })
  const registers = [registry]
  const messages = new Counter({
    name: 'ordeal_messages_total',
    help: 'Messages settled, by event and how',
    labelNames: ['event', 'how'],
    registers,
  })
  const outbox = new Counter({ name: 'ordeal_published_total', help: 'Events published and marked', registers })
  const leases = new Counter({
    name: 'ordeal_leases_lost_total',
    help: 'Phases taken back by this process because their holder had vanished',
    registers,
  })
  const phases = new Histogram({
    name: 'ordeal_phase_seconds',
    help: 'How long phases ran, by phase and how they ended',
    labelNames: ['phase', 'how'],
    buckets: SECONDS,
    registers,
  })
  return {
    settled: (event, how) => messages.inc({ event, how }),
    published: (count) => outbox.inc(count),
    phaseEnded: (phase, how, ms) => phases.observe({ phase, how }, ms / 1000),
    leasesLost: (count) => leases.inc(count),
    gauge: (name, help, read) => {
      const gauge = new Gauge({
        name,
        help,
        labelNames: ['kind'],
        registers,
        async collect() {
          for (const [kind, value] of Object.entries(await read())) this.set({ kind }, value)
        },
      })
      gauge.reset()
    },
    text: () => registry.metrics(),
  }
}
