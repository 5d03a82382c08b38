// What Ordeal keeps of the definitions of Chaos Mesh: the structure of the seven kinds' specs and of a Workflow's.

export const KINDS = {
  PodChaos: 'podChaos',
  NetworkChaos: 'networkChaos',
  DNSChaos: 'dnsChaos',
  HTTPChaos: 'httpChaos',
  StressChaos: 'stressChaos',
  IOChaos: 'ioChaos',
  TimeChaos: 'timeChaos',
}
const OF_A_TEMPLATE = ['name', 'templateType', 'deadline', 'children']

/** The names of the definitions that `trimDefinitions` reads. */
export const DEFINITIONS = [...Object.keys(KINDS), 'Workflow'].map((kind) => {
  const plural = kind === 'Workflow' ? 'workflows' : kind.toLowerCase()
  return `${plural}.chaos-mesh.org`
})

/** Trims the CustomResourceDefinitions of a cluster with Chaos Mesh. Throws when a template differs from its kind. */
export function trimDefinitions(crds) {
  const specs = Object.fromEntries(crds.map((crd) => [crd.spec.names.kind, specOf(crd)]))
  const { entry, templates } = specs.Workflow.properties
  const { properties, required } = templates.items
  for (const [kind, field] of Object.entries(KINDS)) {
    if (JSON.stringify(properties[field]) !== JSON.stringify(specs[kind]))
      throw new Error(`${field} differs from ${kind}`)
  }
  const plain = OF_A_TEMPLATE.map((name) => [name, properties[name]])
  const faults = Object.entries(KINDS).map(([kind, field]) => [field, { $ref: `#/kinds/${kind}` }])
  const template = { type: 'object', required, properties: Object.fromEntries([...plain, ...faults]) }
  return {
    kinds: Object.fromEntries(Object.keys(KINDS).map((kind) => [kind, specs[kind]])),
    workflow: {
      type: 'object',
      required: specs.Workflow.required,
      properties: { entry, templates: { type: 'array', items: template } },
    },
  }
}

const specOf = (crd) => withoutProse(crd.spec.versions[0].schema.openAPIV3Schema.properties.spec)

/** In a fixed order, so that two clusters compare. */
function withoutProse(node) {
  if (Array.isArray(node)) return node.map(withoutProse)
  if (typeof node !== 'object' || node === null) return node
  const fields = Object.entries(node).filter(([name, value]) => name !== 'description' || typeof value !== 'string')
  return Object.fromEntries(fields.sort(([a], [b]) => a.localeCompare(b)).map(([k, v]) => [k, withoutProse(v)]))
}
