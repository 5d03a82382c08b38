import { runMain } from '@ordeal/shared/runtime'
import { analysisService } from './analysis.service.js'

await runMain('analysis', () => ({ definition: analysisService }))
