import { unifiedPatch } from '@ordeal/kubernetes'
import { stringify } from 'yaml'

/** A document as people read it. */
const inYaml = (document: unknown): string =>
  // By way of JSON, so that what is undefined is left out and nothing is written as a reference to something above.
  stringify(JSON.parse(JSON.stringify(document)), { aliasDuplicateObjects: false, lineWidth: 110 })

/** What changed from one document to the next, as a unified diff; the whole where nothing was before or nothing changed. */
export function inDiff(name: string, before: unknown, after: unknown): string {
  const [old, now] = [before === null ? '' : inYaml(before), inYaml(after)]
  if (old === '' || old === now) return now
  const bundle = (content: string) => ({ files: [{ path: `${name}.yaml`, content }] })
  return unifiedPatch(bundle(old), bundle(now))
}

/** The document with `mask` applied to each text in it. */
export function maskTexts<T>(document: T, mask: (text: string) => string): T {
  const masked = (value: unknown): unknown => {
    if (typeof value === 'string') return mask(value)
    if (Array.isArray(value)) return value.map(masked)
    if (typeof value !== 'object' || value === null) return value
    return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, masked(inner)]))
  }
  return masked(document) as T
}
