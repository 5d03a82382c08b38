import { type Labels, type LabelSelector, matchesSelector } from '../schema/selectors.js'
import type { StoredObject } from './object.js'

/** The objects that have a term in common, by uid. */
interface Bucket {
  readonly objects: Map<string, StoredObject>
  /** False once an older object joined late, by a change of its labels or owner. */
  inOrder: boolean
}

/** Finds the objects of one collection by owner and by label, without looking at all of them. */
export class ObjectIndex {
  private readonly buckets = new Map<string, Bucket>()
  /** Numbers in order of creation. */
  private readonly ordinals = new Map<string, number>()
  private created = 0

  put(object: StoredObject, old: StoredObject | null): void {
    const { uid } = object.metadata
    if (!old) this.ordinals.set(uid, this.created++)
    const terms = termsOf(object)
    if (old) for (const term of termsOf(old)) if (!terms.includes(term)) this.leave(term, uid)
    for (const term of terms) this.join(term, object, old === null)
  }

  remove(object: StoredObject, old: StoredObject): void {
    const { uid } = object.metadata
    for (const term of termsOf(old)) this.leave(term, uid)
    this.ordinals.delete(uid)
  }

  /** Those with this controlling owner, or, for null, without any; in order of creation. */
  ownedBy(namespace: string, ownerUid: string | null): StoredObject[] {
    return this.sorted(this.buckets.get(ownerTerm(namespace, ownerUid)))
  }

  /** Those that a selector with `matchLabels` means, in order of creation; null when it has none to look up. */
  matching(namespace: string, selector: LabelSelector): StoredObject[] | null {
    let smallest: Bucket | null = null
    for (const [key, value] of Object.entries(selector.matchLabels ?? {})) {
      const bucket = this.buckets.get(labelTerm(namespace, key, value))
      if (!bucket) return []
      if (!smallest || bucket.objects.size < smallest.objects.size) smallest = bucket
    }
    return smallest && this.sorted(smallest).filter(({ metadata }) => matchesSelector(selector, metadata.labels))
  }

  private join(term: string, object: StoredObject, isNew: boolean): void {
    let bucket = this.buckets.get(term)
    if (!bucket) this.buckets.set(term, (bucket = { objects: new Map(), inOrder: true }))
    if (!isNew && !bucket.objects.has(object.metadata.uid)) bucket.inOrder = false
    bucket.objects.set(object.metadata.uid, object)
  }

  private leave(term: string, uid: string): void {
    const bucket = this.buckets.get(term)
    bucket?.objects.delete(uid)
    if (bucket?.objects.size === 0) this.buckets.delete(term)
  }

  private sorted(bucket: Bucket | undefined): StoredObject[] {
    if (!bucket) return []
    const objects = [...bucket.objects.values()]
    const ordinal = ({ metadata }: StoredObject) => this.ordinals.get(metadata.uid) ?? 0
    return bucket.inOrder ? objects : objects.sort((a, b) => ordinal(a) - ordinal(b))
  }
}

const termsByLabels = new WeakMap<Labels, string[]>()

function termsOf({ metadata }: StoredObject): string[] {
  const { namespace = '', labels, ownerReferences } = metadata
  const owner = ownerReferences?.find(({ controller }) => controller)?.uid ?? null
  return [ownerTerm(namespace, owner), ...(labels ? labelTerms(namespace, labels) : [])]
}

/** Labels are frozen, and shared by the versions of an object. */
function labelTerms(namespace: string, labels: Labels): string[] {
  let terms = termsByLabels.get(labels)
  if (!terms) {
    terms = Object.entries(labels).map(([key, value]) => labelTerm(namespace, key, value))
    termsByLabels.set(labels, terms)
  }
  return terms
}

const ownerTerm = (namespace: string, uid: string | null): string => `${namespace}|owner|${uid ?? ''}`
const labelTerm = (namespace: string, key: string, value: string): string => `${namespace}|${key}=${value}`
