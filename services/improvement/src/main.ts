import { createModels, parseModelConfig } from '@ordeal/agents'
import { runMain } from '@ordeal/shared/runtime'
import { improvementService } from './improvement.service.js'

await runMain('improvement', (_, environment, log) => ({
  definition: improvementService(createModels(parseModelConfig(environment), log)),
}))
