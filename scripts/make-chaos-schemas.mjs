// Writes the schemas by which faults are checked before a cluster sees them, from the definitions of a real cluster:
//
//   kubectl get crd -o json | node scripts/make-chaos-schemas.mjs 'Chaos Mesh VERSION'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { DEFINITIONS, trimDefinitions } from './chaos-schemas.mjs'
import { root } from './packages.mjs'

const [source] = process.argv.slice(2)
if (!source) throw new Error("usage: kubectl get crd -o json | make-chaos-schemas.mjs 'Chaos Mesh VERSION'")
const { items } = JSON.parse(await text(process.stdin))
const crds = items.filter((crd) => DEFINITIONS.includes(crd.metadata.name))
const target = join(root, 'libs/kubernetes/src/cluster/generated/chaos-schemas.json')
await writeFile(target, `${JSON.stringify({ source, ...trimDefinitions(crds) })}\n`)
