import { stringify } from 'yaml'
import { EXIT, type ExitCode } from '../exit-code.js'
import { type Host } from '../host.js'

export interface PoolArguments {
  readonly tenant: string
  readonly namespaces: number
  readonly custom: readonly string[]
  readonly chaosNamespace: string
}

/**
 * `ordeal pool`: the manifests by which an administrator gives a tenant an account and a pool of namespaces, with the
 * rights that cycles use and no others. Nothing is applied.
 */
export async function pool(options: PoolArguments, { terminal }: Host): Promise<ExitCode> {
  const { poolOf, poolRoles } = await import('@ordeal/experiment')
  const documents = [...poolRoles(), ...poolOf(options)].map((object) =>
    stringify(object, { aliasDuplicateObjects: false }),
  )
  terminal.out.write(documents.join('---\n'))
  return EXIT.good
}
