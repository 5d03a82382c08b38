import { InvalidArgumentError } from 'commander'

/** Reads a tenant's name, of which names of namespaces are made (at most 63 characters with what is added). */
export function tenantName(text: string): string {
  if (/^[a-z0-9]([a-z0-9-]{0,29}[a-z0-9])?$/.test(text)) return text
  throw new InvalidArgumentError('Write at most 31 lower-case letters, digits and dashes.')
}

/** Reads `resource.group`, and adds it to those before. */
export function customResource(text: string, before: readonly string[]): string[] {
  if (/^[a-z0-9-]+(\.[a-z0-9-]+)+$/.test(text)) return [...before, text]
  throw new InvalidArgumentError("Write the plural and the group, such as 'servicemonitors.monitoring.coreos.com'.")
}
