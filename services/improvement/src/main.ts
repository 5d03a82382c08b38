import { runMain } from '@ordeal/shared/runtime'
import { improvementService } from './improvement.service.js'

await runMain('improvement', () => ({ definition: improvementService }))
