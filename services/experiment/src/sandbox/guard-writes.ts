import { type Objects } from '@ordeal/kubernetes'

/** Postgres cannot fence the Kubernetes API, so the runner's own lease is checked before each write there. */
export const guardWrites = (objects: Objects, assertLease: () => void): Objects => ({
  ...objects,
  create: async (object, options) => {
    assertLease()
    return objects.create(object, options)
  },
  adopt: async (object, owned) => {
    assertLease()
    return objects.adopt(object, owned)
  },
  patch: async (ref, patch, options) => {
    assertLease()
    return objects.patch(ref, patch, options)
  },
  evict: async (pod) => {
    assertLease()
    return objects.evict(pod)
  },
  remove: async (ref, options) => {
    assertLease()
    return objects.remove(ref, options)
  },
})
