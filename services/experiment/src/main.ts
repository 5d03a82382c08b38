import { runMain } from '@ordeal/shared/runtime'
import { experimentService } from './experiment.service.js'

await runMain('experiment', ({ embeddedClusterUrl }, environment) => ({
  definition: experimentService({ embeddedUrl: embeddedClusterUrl, kubeconfig: environment.KUBECONFIG ?? null }),
}))
