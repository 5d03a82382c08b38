import { type Admission } from './admit.js'
import { refuse } from './refuse.js'

/** The account that a pod names must be there; every namespace is taken to have `default`. */
export const checkServiceAccount: Admission = (store, pod) => {
  const { serviceAccountName: name = 'default' } = pod.spec as { serviceAccountName?: string }
  const namespace = pod.metadata.namespace ?? ''
  if (name === 'default' || store.get('serviceaccounts', namespace, name)) return pod
  throw refuse('pods', pod, `error looking up service account ${namespace}/${name}: serviceaccount "${name}" not found`)
}
