export { analysisService } from './analysis.service.js'
