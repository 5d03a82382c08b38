import { Body, Controller, Delete, Get, HttpCode, Inject, Param, Post, UseGuards } from '@nestjs/common'
import { ApiKeyGuard } from '../api/api-key.guard.js'
import { type ClusterView, registerClusterSchema } from '../api/contract.js'
import { credentialOf } from '../api/kubeconfig.js'
import { Asking, type Principal, requireRole } from '../api/principal.js'
import { parseRequest, ProblemError } from '../api/problems.js'
import { deleteCluster, insertCluster, selectClusters } from '../db/clusters.sql.js'
import { PORTS, type GatewayPorts } from '../ports.js'
import { sealCluster } from './cluster-seal.js'

/** A tenant's registered clusters, in the hands of its administrators. What opens them is never given back. */
@Controller('v1/clusters')
@UseGuards(ApiKeyGuard)
export class ManageClustersController {
  constructor(@Inject(PORTS) private readonly ports: GatewayPorts) {}

  @Post()
  async register(@Asking() who: Principal, @Body() body: unknown): Promise<ClusterView> {
    requireRole(who, 'admin')
    const { name, kubeconfig } = parseRequest(registerClusterSchema, body)
    const credential = credentialOf(kubeconfig)
    const sealed = sealCluster(this.ports.cipher, { tenantId: who.tenantId, name }, credential)
    const { server, namespace = null } = credential
    const record = { name, server, namespace, sealed }
    const added = await this.ports.store.withTenant(who.tenantId, (tx) => insertCluster(tx, who.tenantId, record))
    if (!added) throw new ProblemError('exists', `There is a cluster ${name} already; remove it first`)
    return added
  }

  @Get()
  async list(@Asking() who: Principal): Promise<{ clusters: ClusterView[] }> {
    return { clusters: await this.ports.store.withTenant(who.tenantId, selectClusters) }
  }

  /** Cycles that run go on to their end: each has what opens its cluster, and forgets it then. */
  @Delete(':name')
  @HttpCode(204)
  async remove(@Asking() who: Principal, @Param('name') name: string): Promise<void> {
    requireRole(who, 'admin')
    const known = await this.ports.store.withTenant(who.tenantId, (tx) => deleteCluster(tx, name))
    if (!known) throw new ProblemError('not-found', `There is no cluster ${name.slice(0, 64)}`)
  }
}
