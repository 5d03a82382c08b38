/** Groups of the API that Kubernetes itself serves, beside those that end in `.k8s.io`. */
const OWN_GROUPS = /^(v1|(apps|batch|autoscaling|policy|extensions)\/.*|([a-z0-9-]+\.)*k8s\.io\/.*)$/
/** Groups below `k8s.io` that add-ons serve. */
const ADD_ONS =
  /^(gateway\.networking|metrics|custom\.metrics|external\.metrics|snapshot\.storage|autoscaling)\.k8s\.io\/|\.x-k8s\.io\//

/** True for an object of a kind that only clusters with its definition know: of a service mesh, of monitoring, of an operator. */
export const isCustomResource = ({ apiVersion }: { readonly apiVersion: string }): boolean =>
  ADD_ONS.test(apiVersion) || !OWN_GROUPS.test(apiVersion)
