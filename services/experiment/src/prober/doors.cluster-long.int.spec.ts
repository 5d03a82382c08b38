import { deploymentApp } from '../testing/applications.js'
import { type Application, type Cycle } from '../testing/cycle.js'
import { reachRealCluster, startRealCycle } from '../testing/real-cycle.js'

/** Until the wait for a controller is over, on a machine that may be busy. */
const CYCLE_MS = 400_000

/** A service behind an Ingress, which its check is to take. */
function behindIngress(): Application {
  const app = deploymentApp('front', 1)
  const backend = { service: { name: 'front', port: { number: 80 } } }
  const rule = { host: 'shop.test', http: { paths: [{ path: '/', pathType: 'Prefix', backend }] } }
  const ingress = {
    apiVersion: 'networking.k8s.io/v1',
    kind: 'Ingress',
    metadata: { name: 'door' },
    spec: { rules: [rule] },
  }
  const through = { ingress: 'Ingress/door', host: 'shop.test' }
  const steadyStates = app.steadyStates.map((state) =>
    state.probe.kind === 'http' ? { ...state, probe: { ...state.probe, through } } : state,
  )
  return { ...app, objects: [...app.objects, ingress], steadyStates }
}

describe('an Ingress on a real cluster without a controller for it', () => {
  let cycle: Cycle | undefined
  afterAll(async () => expect(await cycle?.cleanUp()).toBeNull(), CYCLE_MS)

  it(
    'is gone around, and that is told',
    async () => {
      await reachRealCluster()
      cycle = await startRealCycle(behindIngress())
      expect(await cycle.measure()).toMatchObject({
        settled: true,
        steadyStates: [
          {
            id: 'front-answers',
            around: 'no controller gave it an address in 65 s',
            baseline: { failed: 0 },
            negativeControl: { failed: true },
          },
          { id: 'front-ready' },
        ],
      })
    },
    CYCLE_MS,
  )
})
