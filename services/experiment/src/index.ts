export { experimentService } from './experiment.service.js'
export { clusterScopedOf, refusalOf } from './sandbox/cluster-scoped.js'
export { poolOf, poolRoles } from './place/pool-manifests.js'
export { type ExperimentSettings } from './settings.js'
