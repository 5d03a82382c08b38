import { matchesSelector, type LabelSelector } from '../schema/selectors.js'
import { type ObjectStore } from '../store/store.js'
import { type Pod } from './objects.js'

/** Pods of a namespace that a selector matches, oldest first. */
export function podsMatching(store: ObjectStore, namespace: string, selector: LabelSelector | undefined): Pod[] {
  if (!selector) return []
  return store.list<Pod>('pods', namespace).filter((pod) => matchesSelector(selector, pod.metadata.labels))
}
