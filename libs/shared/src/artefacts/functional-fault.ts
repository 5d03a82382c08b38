import { z } from 'zod'
import { actionOf, positive, text } from './fault-fields.js'

/** Name of the service that is meant; without it every service that selects the component's pods. */
const service = text.optional()
const variable = z.strictObject({ variable: text })

/**
 * What people do to applications, rather than what happens to them: changes of objects and operations of the API, beyond
 * Chaos Mesh. None has a duration of its own: how to undo it is written down first.
 */
export const functionalFault = z.discriminatedUnion('action', [
  /** The service sends traffic to a port on which nobody listens. */
  actionOf('Functional', 'wrong-port', z.strictObject({ service })),
  /** The service selects nothing. */
  actionOf('Functional', 'wrong-selector', z.strictObject({ service })),
  /** New pods are probed on a port on which nobody listens. */
  actionOf('Functional', 'bad-probe', z.strictObject({ probe: z.enum(['readiness', 'liveness', 'startup']) })),
  /** New pods lack a variable of the environment. */
  actionOf('Functional', 'missing-env', variable),
  /** New pods want a ConfigMap that is not there. */
  actionOf('Functional', 'missing-config', z.strictObject({})),
  /** New pods have an image that nobody can pull. */
  actionOf('Functional', 'bad-image', z.strictObject({})),
  /** The namespace may have no pod more than it has. */
  actionOf('Functional', 'quota-exhausted', z.strictObject({})),
  /** The node with most of the component's pods is cordoned and drained. */
  actionOf('Functional', 'node-drain', z.strictObject({})),
  actionOf('Functional', 'rolling-restart', z.strictObject({})),
  actionOf('Functional', 'scale-to-zero', z.strictObject({})),
  /** New pods have another value of a variable. */
  actionOf('Functional', 'config-change', variable.extend({ value: z.string() })),
  /** So many requests a second more, from elsewhere, to the component's service. */
  actionOf('Functional', 'excess-load', z.strictObject({ service, requestsPerSecond: positive.max(1000) })),
])
