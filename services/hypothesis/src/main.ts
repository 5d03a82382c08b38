import { createModels, parseModelConfig } from '@ordeal/agents'
import { runMain } from '@ordeal/shared/runtime'
import { hypothesisService } from './hypothesis.service.js'

await runMain('hypothesis', (_, environment, log) => ({
  definition: hypothesisService(createModels(parseModelConfig(environment), log)),
}))
