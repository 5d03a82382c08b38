/** Keeps a claim until no pod uses it. */
export const CLAIM_PROTECTION = 'kubernetes.io/pvc-protection'
