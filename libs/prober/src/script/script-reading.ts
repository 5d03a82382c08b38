import {
  type HttpAnswer,
  type HttpTaker,
  type ListAnswer,
  type ListTaker,
  type ProberHost,
  type Task,
} from '../host.js'
import { type ProberConfig } from '../protocol.js'
import { type Effect, type EffectAnswer, type ScriptStep } from './protocol.js'

export type ScriptProbe = Extract<ProberConfig['probes'][number], { kind: 'script' }>

export interface ScriptTaker {
  /** Told once, when the script has come to its end. */
  scripted(step: Exclude<ScriptStep, { kind: 'asks' }>): void
}

/**
 * One reading of a script: it is run from its beginning again and again, each time with one answer more, until it asks for
 * nothing new. What waits between two runs is data (the answers), so that an embedded cluster can be forked meanwhile.
 */
export class ScriptReading implements HttpTaker, ListTaker, Task {
  private readonly answers: EffectAnswer[] = []

  constructor(
    private readonly host: ProberHost,
    private readonly probe: ScriptProbe,
    private readonly taker: ScriptTaker,
    private readonly startedAt: number,
  ) {}

  step(): void {
    const { code } = this.probe
    const step = this.host.script({ code, answers: this.answers, startedAt: this.startedAt })
    if (step.kind === 'asks') this.perform(step.effect)
    else this.taker.scripted(step)
  }

  answered({ status, error, body }: HttpAnswer): void {
    const ok = status !== null && status >= 200 && status <= 399
    this.goOn({ status, ok, error, body: body ?? null })
  }

  listed({ objects, error }: ListAnswer): void {
    if (objects === null) this.taker.scripted({ kind: 'broken', message: error ?? 'the API did not answer' })
    else this.goOn(objects)
  }

  /** It has slept enough. */
  run(): void {
    this.goOn(null)
  }

  private goOn(answer: EffectAnswer): void {
    this.answers.push(answer)
    this.step()
  }

  private perform(effect: Effect): void {
    const { host, probe } = this
    switch (effect.kind) {
      case 'http':
        return host.http({ url: `${probe.url}${effect.path}`, timeoutMs: probe.timeoutMs, read: true }, this)
      case 'list':
        return host.list(`${probe.podsPath}${selectorOf(effect.labels)}`, this)
      case 'sleep':
        host.at(host.now() + effect.ms, this)
        return
      case 'prometheus':
        return this.query(effect.query)
    }
  }

  private query(query: string): void {
    const { host, probe } = this
    if (probe.prometheusUrl === null) {
      return this.taker.scripted({
        kind: 'broken',
        message: 'prom.query: no Prometheus is configured (ordeal.yaml: prometheus)',
      })
    }
    const url = `${probe.prometheusUrl}/api/v1/query?query=${encodeURIComponent(query)}`
    host.http({ url, timeoutMs: probe.timeoutMs, read: true }, new PrometheusAnswer(this, this.taker))
  }

  /** For the answer of Prometheus. */
  measured(value: number | null): void {
    this.goOn(value)
  }
}

class PrometheusAnswer implements HttpTaker {
  constructor(
    private readonly reading: ScriptReading,
    private readonly taker: ScriptTaker,
  ) {}

  answered({ status, error, body }: HttpAnswer): void {
    if (status === 200) return this.reading.measured(firstValue(body ?? ''))
    this.taker.scripted({ kind: 'broken', message: `prom.query: ${error ?? `Prometheus answered ${status}`}` })
  }
}

/** The first number of an instant query's answer; null when it has none. */
function firstValue(body: string): number | null {
  try {
    const { data } = JSON.parse(body) as { data?: { result?: unknown } }
    const found = JSON.stringify(data?.result ?? null).match(/"(-?\d+(?:\.\d+)?(?:e[+-]?\d+)?)"\]/i)?.[1]
    return found === undefined ? null : Number(found)
  } catch {
    return null
  }
}

function selectorOf(labels: Readonly<Record<string, string>> | null): string {
  const pairs = Object.entries(labels ?? {}).map(([key, value]) => `${key}=${value}`)
  return pairs.length > 0 ? `?labelSelector=${encodeURIComponent(pairs.join(','))}` : ''
}
