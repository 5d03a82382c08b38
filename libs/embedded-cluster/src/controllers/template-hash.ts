/** Characters of Kubernetes' safe names, by the code of the digit that each stands for. */
const SAFE = 'bcdfghjklmnpqrstvwxz2456789'

/**
 * The value of `pod-template-hash`: FNV-1a over the template, written with safe characters. It differs from upstream's,
 * which hashes Go's own dump of the object; only that equal templates give equal hashes matters.
 */
export function templateHash(template: unknown): string {
  let hash = 0x811c9dc5
  const text = JSON.stringify(template)
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193)
  return [...String(hash >>> 0)].map((digit) => SAFE[digit.charCodeAt(0) % SAFE.length]).join('')
}
