import { Controller, Get, Header, Inject, Param, Res, UseGuards } from '@nestjs/common'
import { bundleSchema, type Bundle, cycleId, TerminalError, type Tx } from '@ordeal/shared'
import { createPostgresVault } from '@ordeal/shared/runtime'
import { type FastifyReply } from 'fastify'
import { z } from 'zod'
import { ApiKeyGuard } from '../api/api-key.guard.js'
import { type ArtefactEntry, type ReportFile, reportFiles } from '../api/contract.js'
import { Asking, type Principal } from '../api/principal.js'
import { ProblemError } from '../api/problems.js'
import { selectArtefactBody, selectArtefacts, selectReport } from '../db/select-artefacts.sql.js'
import { PORTS, type GatewayPorts } from '../ports.js'
import { requireCycle } from '../read-cycles/require-cycle.js'

const MEDIA_TYPES: Readonly<Record<ReportFile, string>> = {
  'report.html': 'text/html; charset=utf-8',
  'report.md': 'text/markdown; charset=utf-8',
  'junit.xml': 'application/xml; charset=utf-8',
  'findings.sarif': 'application/sarif+json; charset=utf-8',
}

// A report shows text from manifests: even if a renderer slipped, it could neither call home nor act as this site.
const SANDBOX =
  "sandbox allow-scripts; default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:"

const isReport = (name: string): name is ReportFile => (reportFiles as readonly string[]).includes(name)

/** What a cycle leaves: artefacts, reports, the patch and the improved manifests. */
@Controller('v1/cycles/:id')
@UseGuards(ApiKeyGuard)
export class DocumentsController {
  constructor(@Inject(PORTS) private readonly ports: GatewayPorts) {}

  @Get('artefacts')
  async list(@Asking() who: Principal, @Param('id') id: string): Promise<{ artefacts: ArtefactEntry[] }> {
    return { artefacts: await this.read(who, id, (tx) => selectArtefacts(tx, id)) }
  }

  @Get('artefacts/:artefactId')
  @Header('content-type', 'application/json; charset=utf-8')
  async artefact(
    @Asking() who: Principal,
    @Param('id') id: string,
    @Param('artefactId') artefact: string,
  ): Promise<string> {
    const body = await this.read(who, id, (tx) => selectArtefactBody(tx, id, artefact))
    if (body === null) throw new ProblemError('not-found', `Cycle ${id} has no such artefact`)
    return body
  }

  @Get('files/improved')
  async improved(@Asking() who: Principal, @Param('id') id: string): Promise<Bundle> {
    return this.fromVault(who, id, 'improved', bundleSchema)
  }

  @Get('files/changes.patch')
  @Header('content-type', 'text/x-diff; charset=utf-8')
  async patch(@Asking() who: Principal, @Param('id') id: string): Promise<string> {
    return (await this.fromVault(who, id, 'changes.patch', z.object({ content: z.string() }))).content
  }

  @Get('files/:name')
  async report(
    @Asking() who: Principal,
    @Param('id') id: string,
    @Param('name') name: string,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<string> {
    const content = isReport(name) ? await this.read(who, id, (tx) => selectReport(tx, id, name)) : null
    if (content === null) throw new ProblemError('not-found', `Cycle ${id} has no file of this name`)
    void reply.headers({
      'content-type': MEDIA_TYPES[name as ReportFile],
      'content-security-policy': SANDBOX,
      'x-content-type-options': 'nosniff',
    })
    return content
  }

  private async read<T>({ tenantId }: Principal, id: string, select: (tx: Tx) => Promise<T>): Promise<T> {
    return this.ports.store.withTenant(tenantId, async (tx) => {
      await requireCycle(tx, id)
      return select(tx)
    })
  }

  private async fromVault<T>(who: Principal, id: string, name: string, schema: z.ZodType<T>): Promise<T> {
    const { store, cipher } = this.ports
    await store.withTenant(who.tenantId, (tx) => requireCycle(tx, id))
    const vault = createPostgresVault(store, { tenantId: who.tenantId, cycleId: cycleId.parse(id) }, cipher)
    try {
      return await vault.get(name, schema)
    } catch (error) {
      if (!(error instanceof TerminalError) || error.code !== 'vault-missing') throw error
      throw new ProblemError('not-found', `Cycle ${id} has no ${name}: nothing was changed`)
    }
  }
}
