import { Controller, Get, Inject, Param, Query, UseGuards } from '@nestjs/common'
import { artefactId, cycleId, outcomeSchema, resultsSchema, type Results } from '@ordeal/shared'
import { createPostgresArtefacts } from '@ordeal/shared/runtime'
import { z } from 'zod'
import { ApiKeyGuard } from '../api/api-key.guard.js'
import { type CyclePage, type CycleView } from '../api/contract.js'
import { Asking, type Principal } from '../api/principal.js'
import { parseRequest, ProblemError } from '../api/problems.js'
import { selectCycles, selectResultsId } from '../db/select-cycles.sql.js'
import { PORTS, type GatewayPorts } from '../ports.js'
import { requireCycle } from './require-cycle.js'

const pageQuery = z.object({
  limit: z.coerce.number().int().min(1).max(100).default(20),
  after: cycleId.optional(),
  project: z.string().max(63).optional(),
})

/** What has become of cycles. */
@Controller('v1/cycles')
@UseGuards(ApiKeyGuard)
export class ReadCyclesController {
  constructor(@Inject(PORTS) private readonly ports: GatewayPorts) {}

  @Get()
  async list(@Asking() { tenantId }: Principal, @Query() query: unknown): Promise<CyclePage> {
    const { limit, after, project } = parseRequest(pageQuery, query)
    return this.ports.store.withTenant(tenantId, (tx) =>
      selectCycles(tx, { limit, after: after ?? null, project: project ?? null }),
    )
  }

  @Get(':id')
  async one(@Asking() { tenantId }: Principal, @Param('id') id: string): Promise<CycleView> {
    return this.ports.store.withTenant(tenantId, (tx) => requireCycle(tx, id))
  }

  /** The results, with the outcome that the cycle ended with: a clean-up that failed comes after they were written. */
  @Get(':id/results')
  async results(@Asking() { tenantId }: Principal, @Param('id') id: string): Promise<Results> {
    const [cycle, resultsId] = await this.ports.store.withTenant(tenantId, async (tx) => [
      await requireCycle(tx, id),
      await selectResultsId(tx, id),
    ])
    if (!resultsId) throw new ProblemError('not-there-yet', `Cycle ${id} has no results; it is ${cycle.status}`)
    const artefacts = createPostgresArtefacts(this.ports.store, { tenantId, cycleId: cycleId.parse(id) })
    const results = await artefacts.get(artefactId.parse(resultsId), resultsSchema)
    const outcome = outcomeSchema.nullable().parse(cycle.outcome)
    if (outcome === null || outcome === results.cycle.outcome) return results
    return { ...results, cycle: { ...results.cycle, outcome, message: cycle.problem ?? results.cycle.message } }
  }
}
