import { createModels, parseModelConfig } from '@ordeal/agents'
import { runMain } from '@ordeal/shared/runtime'
import { analysisService } from './analysis.service.js'

await runMain('analysis', (_, environment, log) => ({
  definition: analysisService(createModels(parseModelConfig(environment), log)),
}))
