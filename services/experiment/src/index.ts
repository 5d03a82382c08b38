export { experimentService } from './experiment.service.js'
export { poolOf, poolRoles } from './place/pool-manifests.js'
export { type ExperimentSettings } from './settings.js'
