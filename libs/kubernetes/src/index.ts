export {
  idOf,
  type Json,
  type JsonMap,
  type KubernetesObject,
  mapAt,
  mapsAt,
  nameOf,
  numberAt,
  selects,
  textAt,
  textsAt,
} from './input/kubernetes-object.js'
export { matchesSelector } from './input/label-selector.js'
export { autoscalersOf, containersOf, podSpecPath } from './graph/pod-template.js'
export { isCustomResource } from './input/custom-resource.js'
export { formatPointer, parsePointer, valueAt, withValueAt } from './input/json-pointer.js'
export { type Form, type ObjectSource, type Project, type ProjectOptions, type SourcedObject } from './input/project.js'
export { readBundle } from './input/read-bundle.js'
export { readProject } from './input/read-project.js'
export { writeBundle } from './input/write-bundle.js'
export { buildGraph, requireWorkload } from './graph/build-graph.js'
export { counterpartOf, graphOfObjects } from './graph/revised-graph.js'
export { applyChanges, type Applied } from './patch/apply-changes.js'
export { applyToObjects } from './patch/apply-to-objects.js'
export { parseQuantity } from './input/quantity.js'
export { differencesBetween } from './patch/object-difference.js'
export { revisionCost } from './patch/revision-cost.js'
export { requireSameObjects } from './patch/same-rendering.js'
export { unifiedPatch } from './patch/unified-patch.js'
export * from './cluster/index.js'
export { type Operation, OperationError, type Write } from './functional/operation.js'
export { planOperation, type Scene as FunctionalScene } from './functional/plan-operation.js'
export { conceal, redact, type Redacted, restore, secretsWithFiles } from './redaction/redact.js'
export { redactText } from './redaction/redact-text.js'
export { type Secrets } from './redaction/references.js'
export { findWeaknesses, rules } from './findings/find-weaknesses.js'
export { findingsAsSarif } from './findings/sarif.js'
export { type Link, type LinkKind, linksOf } from './graph/links.js'
export { graphAround, type Slice, sliceAround } from './graph/slice.js'
