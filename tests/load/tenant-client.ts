import { setTimeout as delay } from 'node:timers/promises'

/** A cycle as the gateway answers it; only what load tests look at. */
export interface CycleAnswer {
  readonly id: string
  readonly project: string
  readonly status: string
  readonly outcome: string | null
  readonly problem: string | null
  readonly createdAt: string
  readonly finishedAt: string | null
}

/** A tenant at the gateways' HTTP interface, which it asks in turn. */
export class TenantClient {
  #turn = 0

  readonly #gateways: readonly string[]
  readonly #apiKey: string

  constructor(gateways: readonly string[], apiKey: string) {
    this.#gateways = gateways
    this.#apiKey = apiKey
  }

  /** Any request; the caller looks at the status. */
  fetch(path: string, init: RequestInit = {}): Promise<Response> {
    const gateway = this.#gateways[this.#turn++ % this.#gateways.length]
    const headers = { authorization: `Bearer ${this.#apiKey}`, ...(init.headers as Record<string, string>) }
    return fetch(`${gateway}${path}`, { ...init, headers })
  }

  /** Waits and asks again when the gateway is too busy to answer and says when to come back. */
  async json<T>(path: string, init: RequestInit = {}): Promise<T> {
    const response = await this.fetch(path, init)
    const wait = response.status === 503 ? response.headers.get('retry-after') : null
    if (wait) {
      await delay(Number(wait) * 1000)
      return this.json(path, init)
    }
    if (!response.ok) throw new Error(`${init.method ?? 'GET'} ${path}: ${response.status} ${await response.text()}`)
    return (await response.json()) as T
  }

  start(body: object): Promise<CycleAnswer> {
    const headers = { 'content-type': 'application/json' }
    return this.json('/v1/cycles', { method: 'POST', headers, body: JSON.stringify(body) })
  }

  cycle(id: string): Promise<CycleAnswer> {
    return this.json(`/v1/cycles/${id}`)
  }

  /** Resolves with the cycle when its event stream has ended, which is when it is finished. */
  async finished(id: string): Promise<CycleAnswer> {
    for (;;) {
      const response = await this.fetch(`/v1/cycles/${id}/events`)
      await response.text().catch(() => '')
      const cycle = await this.cycle(id)
      if (cycle.status === 'finished') return cycle
      await delay(200)
    }
  }

  /** All cycles, newest first, page by page. */
  async list(): Promise<CycleAnswer[]> {
    const all: CycleAnswer[] = []
    for (let next: string | null = ''; next !== null;) {
      const page: { cycles: CycleAnswer[]; next: string | null } = await this.json(
        `/v1/cycles?limit=100${next ? `&after=${next}` : ''}`,
      )
      all.push(...page.cycles)
      next = page.next
    }
    return all
  }
}
