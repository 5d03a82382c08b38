import { runMain } from '@ordeal/shared/runtime'
import { hypothesisService } from './hypothesis.service.js'

await runMain('hypothesis', () => ({ definition: hypothesisService }))
