import { posix } from 'node:path'

/**
 * Changes that a chart has no value for stand in a Kustomization beside its templates, in `post-render/`, which is laid
 * over what the chart renders: by Ordeal, and by `helm` with a post-renderer. `docs/helm.md` says how.
 */
const POST_RENDER_INPUT = 'rendered.yaml'

/** The kustomization that is laid over what a chart renders. */
export const postRenderFile = (chart: string): string => posix.join(chart, 'post-render', 'kustomization.yaml')

/** The text with which that kustomization begins; patches follow. */
export const postRenderStart = `\
# Laid over what the chart renders, for what it has no value for. By hand, from the folder of the chart:
#   helm template RELEASE . > post-render/${POST_RENDER_INPUT}
#   kubectl apply -k post-render
# or as a post-renderer of \`helm install\` and \`helm upgrade\`.
apiVersion: kustomize.config.k8s.io/v1beta1
kind: Kustomization
resources:
  - ${POST_RENDER_INPUT}
`
