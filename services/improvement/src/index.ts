export { improvementService } from './improvement.service.js'
