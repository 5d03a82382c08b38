import { spawn } from 'node:child_process'
import { createEmbeddedServer } from '../embedded-server.js'
import type { EmbeddedServer } from '../server.js'

let server: EmbeddedServer

beforeAll(async () => {
  server = await createEmbeddedServer({ port: 0, host: '127.0.0.1' })
  const body = JSON.stringify({ id: 'k', seed: 1, mode: 'wall' })
  expect((await fetch(`${server.url}/clusters`, { method: 'POST', body })).status).toBe(201)
})
afterAll(() => server.close())

interface Run {
  code: number | null
  out: string
  err: string
}

/** Runs the real kubectl; `until` ends it as soon as its output fits. */
function kubectl(args: string[], options: { input?: string; until?: RegExp } = {}): Promise<Run> {
  return new Promise((resolve, reject) => {
    const child = spawn('kubectl', ['--server', `${server.url}/clusters/k`, ...args], {
      env: {
        ...process.env,
        KUBECONFIG: '/dev/null',
        HTTP_PROXY: '',
        HTTPS_PROXY: '',
        http_proxy: '',
        https_proxy: '',
      },
    })
    const run: Run = { code: null, out: '', err: '' }
    child.stdout.on('data', (data: Buffer) => {
      run.out += data.toString()
      if (options.until?.test(run.out)) child.kill()
    })
    child.stderr.on('data', (data: Buffer) => (run.err += data.toString()))
    child.once('error', (cause) => {
      reject(new Error('this spec runs the real kubectl: put it on PATH (see CONTRIBUTING.md)', { cause }))
    })
    child.once('close', (code) => resolve({ ...run, code }))
    child.stdin.end(options.input ?? '')
  })
}

const manifest = `
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  replicas: 2
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      containers:
      - {name: web, image: "nginx:1.27", ports: [{containerPort: 80}]}
---
apiVersion: v1
kind: Service
metadata: {name: web}
spec: {selector: {app: web}, ports: [{port: 80}]}
`
const SECONDS = 1_000

describe('the real kubectl', () => {
  it(
    'applies, waits, shows, describes, changes and deletes',
    async () => {
      const apply = await kubectl(['apply', '-f', '-'], { input: manifest })
      expect(apply).toMatchObject({ code: 0, out: 'deployment.apps/web created\nservice/web created\n' })
      const again = await kubectl(['apply', '-f', '-'], { input: manifest.replace('replicas: 2', 'replicas: 3') })
      expect(again).toMatchObject({ code: 0, out: 'deployment.apps/web configured\nservice/web unchanged\n' })
      expect(await kubectl(['rollout', 'status', 'deployment/web', '--timeout', '30s'])).toMatchObject({ code: 0 })

      const table = await kubectl(['get', 'pods', '-o', 'wide'])
      expect(table.out).toMatch(/^NAME +READY +STATUS +RESTARTS +AGE +IP +NODE +NOMINATED NODE +READINESS GATES\n/)
      expect(
        table.out.match(/^web-\S+ +1\/1 +Running +0 +\d+s +10\.244\.\S+ +node-\d +<none> +<none>$/gm),
      ).toHaveLength(3)
      const services = await kubectl(['get', 'services'])
      expect(services.out).toMatch(/^web +ClusterIP +10\.96\.\S+ +<none> +80\/TCP +\d+s$/m)

      const name = /^(web-\S+)/m.exec(table.out)?.[1] ?? ''
      expect((await kubectl(['describe', 'pod', name])).out).toMatch(
        /Normal +Scheduled .*Successfully assigned default/,
      )
      expect(await kubectl(['logs', name])).toMatchObject({ code: 0 })
      expect((await kubectl(['scale', 'deployment/web', '--replicas', '1'])).out).toBe('deployment.apps/web scaled\n')
      expect((await kubectl(['set', 'image', 'deployment/web', 'web=nginx:1.28'])).code).toBe(0)
      const removed = await kubectl(['delete', '-f', '-'], { input: manifest })
      expect(removed.out).toBe('deployment.apps "web" deleted\nservice "web" deleted\n')
    },
    60 * SECONDS,
  )

  it(
    'watches',
    async () => {
      const watching = kubectl(['get', 'pods', '-A', '--watch'], { until: /watched .*Running/ })
      const made = await kubectl(['run', 'watched', '--image', 'nginx:1.27'])
      expect(made.out).toBe('pod/watched created\n')
      expect((await watching).out).toMatch(/default +watched +0\/1 +ContainerCreating/)
      expect((await kubectl(['delete', 'pod', 'watched', '--now'])).out).toBe('pod "watched" deleted\n')
    },
    60 * SECONDS,
  )

  it(
    'is told what is wrong with a manifest',
    async () => {
      const wrong = manifest
        .replace('containers:', 'readinessGates: [{ conditionType: a }]\n      containers:')
        .replace('port: 80', 'prt: 80')
      const { code, err } = await kubectl(['apply', '-f', '-'], { input: wrong })
      expect(code).toBe(1)
      expect(err).toContain('not modelled by the embedded cluster: spec.template.spec.readinessGates')
      expect(err).toContain('unknown field "spec.ports[0].prt"')
    },
    30 * SECONDS,
  )

  it(
    'asks what it may do, as others too',
    async () => {
      expect((await kubectl(['auth', 'can-i', 'delete', 'nodes'])).out).toBe('yes\n')
      const as = ['--as', 'system:serviceaccount:default:reader']
      expect(await kubectl(['auth', 'can-i', 'list', 'pods', ...as])).toMatchObject({ code: 1, out: 'no\n' })
      const rule = ['create', 'role', 'read', '--verb', 'list', '--resource', 'pods']
      expect((await kubectl(rule)).code).toBe(0)
      const bind = ['create', 'rolebinding', 'read', '--role', 'read', '--serviceaccount', 'default:reader']
      expect((await kubectl(bind)).code).toBe(0)
      expect((await kubectl(['auth', 'can-i', 'list', 'pods', ...as])).out).toBe('yes\n')
      expect((await kubectl(['auth', 'can-i', '--list', ...as])).out).toMatch(/^pods +\[\] +\[\] +\[list\]$/m)
      expect((await kubectl(['get', 'secrets', ...as])).err).toContain('cannot list resource "secrets" in API group ""')
      expect((await kubectl(['auth', 'whoami', '-o', 'jsonpath={.status.userInfo.username}'])).out).toBe('admin')
    },
    30 * SECONDS,
  )

  it(
    'creates from its own arguments',
    async () => {
      expect((await kubectl(['create', 'namespace', 'made'])).out).toBe('namespace/made created\n')
      const map = await kubectl([
        'create',
        'configmap',
        'c',
        '--from-literal',
        'a=b',
        '-n',
        'made',
        '-o',
        'jsonpath={.data}',
      ])
      expect(map.out).toBe('{"a":"b"}')
      expect((await kubectl(['delete', 'namespace', 'made'])).out).toBe('namespace "made" deleted\n')
    },
    30 * SECONDS,
  )
})
