const LABEL = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/
const SUBDOMAIN = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/
const SERVICE = /^[a-z]([-a-z0-9]*[a-z0-9])?$/
const QUALIFIED = /^[A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?$/
const PORT_NAME = /^(?=.*[a-z])[a-z0-9]+(-[a-z0-9]+)*$/

/** Why a text is not an RFC 1123 label, or null. */
export function labelNameProblem(text: string): string | null {
  if (text.length > 63) return 'must be no more than 63 characters'
  if (LABEL.test(text)) return null
  return (
    "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end " +
    "with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is " +
    "'[a-z0-9]([-a-z0-9]*[a-z0-9])?')"
  )
}

/** Why a text is not an RFC 1123 subdomain, or null. */
export function subdomainProblem(text: string): string | null {
  if (text.length > 253) return 'must be no more than 253 characters'
  if (SUBDOMAIN.test(text)) return null
  return (
    "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start " +
    "and end with an alphanumeric character (e.g. 'example.com', regex used for validation is " +
    "'[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')"
  )
}

/** Why a text is not an RFC 1035 label (a service's name), or null. */
export function serviceNameProblem(text: string): string | null {
  if (text.length > 63) return 'must be no more than 63 characters'
  if (SERVICE.test(text)) return null
  return (
    "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic " +
    "character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is " +
    "'[a-z]([-a-z0-9]*[a-z0-9])?')"
  )
}

/** Why a text is not the key of a label or annotation (`[prefix/]name`), or null. */
export function qualifiedNameProblem(text: string): string | null {
  const parts = text.split('/')
  const name = parts.at(-1) ?? ''
  if (parts.length > 2) return 'a qualified name has at most one prefix'
  if (parts.length === 2 && subdomainProblem(parts[0] ?? '') !== null) return 'the prefix must be a DNS subdomain'
  if (name.length === 0) return 'name part must be non-empty'
  if (name.length > 63) return 'name part must be no more than 63 characters'
  if (QUALIFIED.test(name)) return null
  return (
    "name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an " +
    "alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is " +
    "'([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')"
  )
}

/** Why a text is not the value of a label, or null. */
export function labelValueProblem(text: string): string | null {
  if (text.length > 63) return 'must be no more than 63 characters'
  if (text === '' || QUALIFIED.test(text)) return null
  return (
    "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start " +
    "and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is " +
    "'(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')"
  )
}

/** Why a text is not the name of a port, or null. */
export function portNameProblem(text: string): string | null {
  if (text.length > 15) return 'must be no more than 15 characters'
  return PORT_NAME.test(text) ? null : 'must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)'
}

/** Why a number is not a port, or null. */
export function portProblem(port: number): string | null {
  return port >= 1 && port <= 65535 ? null : 'must be between 1 and 65535, inclusive'
}
