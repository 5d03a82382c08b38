export { experimentService } from './experiment.service.js'
export { type ExperimentSettings } from './settings.js'
