// What reading an input costs, by form and size: node bench/inputs.mjs [OBJECTS…]
// CPU time of the whole process, which a busy machine blurs less than wall time; the first reading of a form starts the
// renderer. Run `npm run build` before.
import { readProject } from '@ordeal/kubernetes'

const pair = (i) => `apiVersion: apps/v1
kind: Deployment
metadata: {name: app-${i}}
spec:
  selector: {matchLabels: {app: app-${i}}}
  template:
    metadata: {labels: {app: app-${i}}}
    spec:
      containers:
        - {name: c, image: "example/app:1.2.3", env: [{name: NEXT, value: "http://app-${i + 1}"}]}
---
apiVersion: v1
kind: Service
metadata: {name: app-${i}}
spec: {selector: {app: app-${i}}, ports: [{port: 80}]}
`
const FORMS = {
  raw: () => [],
  helm: () => [{ path: 'Chart.yaml', content: 'apiVersion: v2\nname: bench\nversion: 0.1.0\n' }],
  kustomize: (paths) => [{ path: 'kustomization.yaml', content: JSON.stringify({ resources: paths }) }],
}

function bundleOf(form, objects) {
  const folder = form === 'helm' ? 'templates/' : ''
  const files = Array.from({ length: objects / 2 }, (_, i) => ({ path: `${folder}f${i}.yaml`, content: pair(i) }))
  return { files: [...files, ...FORMS[form](files.map((f) => f.path))] }
}

const OPTIONS = { subpath: null, profile: null, values: [] }
const sizes = process.argv.slice(2).map(Number)
for (const form of Object.keys(FORMS)) {
  for (const size of sizes.length ? sizes : [128, 128, 2000]) {
    const before = process.cpuUsage()
    const { objects } = await readProject(bundleOf(form, size), OPTIONS)
    const { user, system } = process.cpuUsage(before)
    const memory = Math.round(process.resourceUsage().maxRSS / 1000)
    console.log(`${form}: ${objects.length} objects, ${Math.round((user + system) / 1000)} ms of CPU, ${memory} MB`)
  }
}
