import { type Revision } from '@ordeal/shared'
import { autoscalersOf, containersOf, isWorkload, podSpecOf, replicasOf } from '../graph/pod-template.js'
import { idOf, type JsonMap, type KubernetesObject, mapAt, mapsAt } from '../input/kubernetes-object.js'
import { parseQuantity } from '../input/quantity.js'

type Cost = Revision['cost']

/** What one set of objects asks of a cluster beyond another: pods, cores and bytes requested. */
export function revisionCost(before: readonly KubernetesObject[], after: readonly KubernetesObject[]): Cost {
  const [old, now] = [demandOf(before), demandOf(after)]
  return {
    replicas: now.replicas - old.replicas,
    cpu: exact(now.cpu - old.cpu),
    memory: exact(now.memory - old.memory),
  }
}

function demandOf(objects: readonly KubernetesObject[]): Cost {
  const scalers = autoscalersOf(objects)
  return objects.filter(isWorkload).reduce<Cost>(
    (sum, object) => {
      const replicas = replicasOf(object, scalers.get(idOf(object)))
      const cpu = sum.cpu + replicas * requested(object, 'cpu')
      return { replicas: sum.replicas + replicas, cpu, memory: sum.memory + replicas * requested(object, 'memory') }
    },
    { replicas: 0, cpu: 0, memory: 0 },
  )
}

/** What a pod requests: its containers and those that run beside them for good. A limit alone counts as a request. */
function requested(object: KubernetesObject, resource: 'cpu' | 'memory'): number {
  const beside = mapsAt(podSpecOf(object), 'initContainers').filter((c) => c.restartPolicy === 'Always')
  return [...containersOf(object), ...beside].reduce((sum, container) => sum + ofContainer(container, resource), 0)
}

function ofContainer(container: JsonMap, resource: string): number {
  const resources = mapAt(container, 'resources')
  const quantity = mapAt(resources, 'requests')[resource] ?? mapAt(resources, 'limits')[resource]
  return typeof quantity === 'string' || typeof quantity === 'number' ? parseQuantity(quantity) : 0
}

/** Without the dust that sums of fractions leave. */
const exact = (value: number): number => Number(value.toFixed(9))
