import { type Pod } from '../controllers/objects.js'
import { type Chaos } from './status.js'

/** The records that a pod stands for: itself, or those of its containers that the fault names (its first by default). */
export function idsOf(chaos: Chaos, pod: Pod): string[] {
  const id = `${pod.metadata.namespace ?? ''}/${pod.metadata.name}`
  if (!isByContainer(chaos)) return [id]
  const names = pod.spec.containers.map(({ name }) => name)
  const wanted = chaos.spec.containerNames?.length ? chaos.spec.containerNames : names.slice(0, 1)
  return names.filter((name) => wanted.includes(name)).map((name) => `${id}/${name}`)
}

const isByContainer = ({ kind, spec }: Chaos): boolean =>
  kind === 'StressChaos' || kind === 'DNSChaos' || spec.action === 'container-kill'
