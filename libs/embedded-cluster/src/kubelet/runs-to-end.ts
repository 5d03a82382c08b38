import { type Container, type Pod } from '../controllers/objects.js'

/** Whether a container is one that ends by itself when its work is done, as far as its pod shows that. */
export function runsToEnd({ spec }: Pod, container: Container): boolean {
  if (spec.initContainers?.includes(container)) return container.restartPolicy === undefined
  const { readinessProbe, livenessProbe, startupProbe, ports = [] } = container
  const serves = readinessProbe ?? livenessProbe ?? startupProbe
  return (spec.restartPolicy ?? 'Always') !== 'Always' && !serves && ports.length === 0
}
