import { cycleOptionsSchema } from '@ordeal/shared'
import { type ClusterScoped, requireConsent } from './cluster-scoped.js'

const options = (allowClusterScoped: boolean) => cycleOptionsSchema.parse({ allowClusterScoped })
const scoped = (refusal: string | null): ClusterScoped => ({
  object: 'ClusterRole/r',
  file: 'app.yaml',
  line: 7,
  refusal,
})

describe('consent to objects of the whole cluster', () => {
  it('is asked for by name and place', () => {
    expect(() => requireConsent([scoped(null)], options(false))).toThrow(
      /app\.yaml:7: ClusterRole\/r\. .*Consent with --allow-cluster-scoped/s,
    )
    expect(() => requireConsent([scoped(null)], options(true))).not.toThrow()
    expect(() => requireConsent([], options(false))).not.toThrow()
  })
  it('does not help where they are refused', () => {
    expect(() => requireConsent([scoped('it writes')], options(true))).toThrow(
      /ClusterRole\/r: it writes.*Leave them out/s,
    )
  })
})
