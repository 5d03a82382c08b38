import { z } from 'zod'

/** `Kind/name` of an object as rendered. */
export const objectId = z.string().regex(/^[A-Za-z][A-Za-z0-9]*\/[a-z0-9]([a-z0-9.:-]*[a-z0-9])?$/, "not 'Kind/name'")

const labels = z.record(z.string(), z.string())

/** Where an object or a field stands in the user's own files; `line` counts from 1. */
export const sourcePlace = z.object({ file: z.string(), line: z.number().int().positive() })

export const workload = z.object({
  id: objectId,
  /** Labels its pods carry: what services and faults select by. It outlives a change of the workload's kind. */
  podLabels: labels,
  /** Labels that tell this workload's pods from all others of the application (a subset of podLabels). */
  selector: labels,
  replicas: z.number().int().nonnegative(),
  /** True when a pod holds state of its own (a volume claim): more replicas are then no redundancy. */
  stateful: z.boolean(),
  /** True when something recreates a lost pod (false for a bare Pod). */
  managed: z.boolean(),
  /** True when every serving container tells when it is ready. */
  readiness: z.boolean(),
  /** True when its pods must all run on one node; left out where they need not. */
  together: z.literal(true).optional(),
  images: z.array(z.string()),
  source: sourcePlace,
})

export const service = z.object({
  id: objectId,
  selector: labels,
  ports: z.array(
    z.object({
      port: z.number().int(),
      targetPort: z.union([z.number().int(), z.string()]),
      /** Left out for TCP. */
      protocol: z.enum(['UDP', 'SCTP']).optional(),
    }),
  ),
  /** Workloads whose pods it selects. */
  workloads: z.array(objectId),
  source: sourcePlace,
})

/** A dependency of a workload on a service, with what shows it and how sure that is (0–1). */
export const edge = z.object({
  from: objectId,
  to: objectId,
  evidence: z.string(),
  confidence: z.number().min(0).max(1),
})

/** A rule of an Ingress: requests for `host` at `path`, and below it unless it is `exact`, go to a port of a service. */
export const route = z.object({
  ingress: objectId,
  /** Null for every host. */
  host: z.string().nullable(),
  path: z.string(),
  exact: z.boolean(),
  service: objectId,
  port: z.number().int(),
  /** Why the answer to a plain request along it need not be the application's; absent where it is. */
  opaque: z.string().optional(),
})

/** What depends on what in the application, as its manifests show. */
export const graphSchema = z.object({
  application: z.string(),
  workloads: z.array(workload),
  services: z.array(service),
  edges: z.array(edge),
  /** How Ingresses lead to services; absent where none does. */
  routes: z.array(route).min(1).optional(),
  /** Services that users meet first. */
  entryPoints: z.array(objectId),
})

export type Workload = z.infer<typeof workload>
export type Service = z.infer<typeof service>
export type Route = z.infer<typeof route>
export type Graph = z.infer<typeof graphSchema>
export type SourcePlace = z.infer<typeof sourcePlace>

/** True when nothing stands in for a pod that is lost: there is no other. A DaemonSet has one on each node. */
export const standsAlone = ({ id, replicas }: Pick<Workload, 'id' | 'replicas'>): boolean =>
  replicas <= 1 && !id.startsWith('DaemonSet/')

/** A static weakness of a manifest. `path` is a JSON pointer into the object. */
export const findingSchema = z.object({
  rule: z.string(),
  severity: z.enum(['error', 'warning', 'note']),
  object: objectId,
  path: z.string(),
  message: z.string(),
  file: z.string(),
  line: z.number().int().positive(),
})
export type Finding = z.infer<typeof findingSchema>
