import { type Labels, matchesSelector } from '../schema/selectors.js'
import { type Change } from '../store/object.js'
import { type ObjectStore } from '../store/store.js'
import { keyOf, type Service } from './objects.js'

/** Finds the services that select a pod, without looking at all of them. */
export class ServiceIndex {
  /** Selectors by service, by one of their labels: a pod that lacks it cannot be meant. */
  private readonly byLabel = new Map<string, Map<string, Labels>>()

  constructor(store: ObjectStore) {
    store.subscribe('services', this, 'changed')
  }

  changed({ type, object, old }: Change): void {
    if (old) this.drop(old as Service)
    if (type !== 'DELETED') this.add(object as Service)
  }

  /** Keys of the services of a namespace that select pods with these labels. */
  selecting(namespace: string, labels: Labels = {}): string[] {
    return Object.entries(labels).flatMap(([label, value]) => {
      const services = this.byLabel.get(termOf(namespace, label, value)) ?? []
      return [...services].flatMap(([key, matchLabels]) => (matchesSelector({ matchLabels }, labels) ? [key] : []))
    })
  }

  private add(service: Service): void {
    const term = termFor(service)
    if (term === null) return
    const services = this.byLabel.get(term) ?? new Map<string, Labels>()
    this.byLabel.set(term, services.set(keyOf(service), service.spec.selector ?? {}))
  }

  private drop(service: Service): void {
    const term = termFor(service)
    const services = term === null ? undefined : this.byLabel.get(term)
    services?.delete(keyOf(service))
    if (term !== null && services?.size === 0) this.byLabel.delete(term)
  }
}

/** Null for a service that selects no pods. */
function termFor({ metadata, spec }: Service): string | null {
  const [label] = Object.entries(spec.selector ?? {})
  return label ? termOf(metadata.namespace ?? '', ...label) : null
}

const termOf = (namespace: string, label: string, value: string): string => `${namespace}|${label}=${value}`
