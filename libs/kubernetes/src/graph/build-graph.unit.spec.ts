import { type Graph, graphSchema } from '@ordeal/shared'
import { readPlainProject } from '../input/read-project.js'
import { buildGraph, requireWorkload } from './build-graph.js'

const graphOf = (...documents: string[]): Graph => {
  const bundle = { files: [{ path: 'app.yaml', content: documents.join('---\n') }] }
  return graphSchema.parse(buildGraph(readPlainProject(bundle, { subpath: null, profile: null, values: [] })))
}

interface Shape {
  kind?: string
  env?: Record<string, string>
  spec?: string
  container?: string
  pod?: string
}

const workload = (
  name: string,
  { kind = 'Deployment', env = {}, spec = '', container = '', pod = '' }: Shape = {},
): string => `
apiVersion: apps/v1
kind: ${kind}
metadata: {name: ${name}}
spec:
  ${spec}
  selector: {matchLabels: {app: ${name}}}
  template:
    metadata: {labels: {app: ${name}, tier: x}}
    spec:
      ${pod}
      containers:
        - name: main
          image: example/${name}:1
          ports: [{containerPort: 8080}]
          env: ${JSON.stringify(Object.entries(env).map(([n, value]) => ({ name: n, value })))}
          ${container}
`
const service = (name: string, spec = ''): string => `
apiVersion: v1
kind: Service
metadata: {name: ${name}}
spec:
  ${spec}
  selector: {app: ${name}}
  ports: [{port: 80, targetPort: 8080}]
`
const edges = (graph: Graph): string[] => graph.edges.map((e) => `${e.from} → ${e.to}`)

describe('services', () => {
  it('name the protocol of a port that is not TCP', () => {
    const dns = service('dns').replace(/ports: .*/, 'ports: [{port: 53, protocol: UDP}, {port: 53, protocol: TCP}]')
    expect(graphOf(workload('dns'), dns).services[0]?.ports).toEqual([
      { port: 53, targetPort: 53, protocol: 'UDP' },
      { port: 53, targetPort: 53 },
    ])
  })
})

describe('workloads', () => {
  it('tell what faults, probes and fixes need', () => {
    const graph = graphOf(
      workload('web', { spec: 'replicas: 3', container: 'readinessProbe: {tcpSocket: {port: 8080}}' }),
    )
    expect(graph.workloads).toEqual([
      {
        id: 'Deployment/web',
        podLabels: { app: 'web', tier: 'x' },
        selector: { app: 'web' },
        replicas: 3,
        stateful: false,
        managed: true,
        readiness: true,
        images: ['example/web:1'],
        source: { file: 'app.yaml', line: 2 },
      },
    ])
  })

  it('are one pod and not ready by themselves unless they say otherwise', () => {
    expect(graphOf(workload('web')).workloads[0]).toMatchObject({ replicas: 1, readiness: false })
  })

  it('say when their pods must all run on one node', () => {
    expect(graphOf(workload('web', { pod: 'nodeName: n1' })).workloads[0]).toMatchObject({ together: true })
    expect(graphOf(workload('web')).workloads[0]).not.toHaveProperty('together')
  })

  it('may be bare Pods, which nothing brings back', () => {
    const pod =
      'apiVersion: v1\nkind: Pod\nmetadata: {name: p, labels: {app: p}}\nspec: {containers: [{name: c, image: nginx}]}\n'
    expect(graphOf(pod).workloads[0]).toMatchObject({
      id: 'Pod/p',
      managed: false,
      selector: { app: 'p' },
      images: ['nginx'],
    })
  })

  it('are told apart by all their labels when their selectors overlap', () => {
    const second = workload('web').replaceAll('name: web', 'name: canary').replace('tier: x', 'tier: z')
    expect(graphOf(workload('web'), second).workloads.map((w) => w.selector)).toEqual([
      { app: 'web', tier: 'x' },
      { app: 'web', tier: 'z' },
    ])
  })

  it.each([
    ['a claim template', { kind: 'StatefulSet', spec: 'volumeClaimTemplates: [{metadata: {name: d}}]' }, true],
    ['a claim of its own', { pod: 'volumes: [{name: d, persistentVolumeClaim: {claimName: own}}]' }, true],
    [
      'a claim that all nodes share',
      { pod: 'volumes: [{name: d, persistentVolumeClaim: {claimName: shared}}]' },
      false,
    ],
    ['no volume', { kind: 'StatefulSet' }, false],
    [
      'a directory of the node to write to',
      {
        kind: 'StatefulSet',
        pod: 'volumes: [{name: d, hostPath: {path: /mnt/d}}]',
        container: 'volumeMounts: [{name: d, mountPath: /data}]',
      },
      true,
    ],
    [
      'a directory of the node to read',
      {
        kind: 'StatefulSet',
        pod: 'volumes: [{name: d, hostPath: {path: /etc}}]',
        container: 'volumeMounts: [{name: d, mountPath: /data, readOnly: true}]',
      },
      false,
    ],
    ['a scratch volume', { pod: 'volumes: [{name: d, emptyDir: {}}]' }, false],
  ])('with %s are stateful: %s', (_, shape, stateful) => {
    const claim = (name: string, mode: string): string =>
      `apiVersion: v1\nkind: PersistentVolumeClaim\nmetadata: {name: ${name}}\nspec: {accessModes: [${mode}]}\n`
    const graph = graphOf(workload('web', shape), claim('own', 'ReadWriteOnce'), claim('shared', 'ReadWriteMany'))
    expect(graph.workloads[0]?.stateful).toBe(stateful)
  })

  it('of a known database are stateful even without a volume', () => {
    const graph = graphOf(workload('web').replace('example/web:1', 'registry.example/library/redis:7-alpine'))
    expect(graph.workloads[0]?.stateful).toBe(true)
  })

  it('must be there', () => {
    expect(() => requireWorkload(graphOf(service('web')))).toThrow(/no workload/)
    expect(() => requireWorkload(graphOf(workload('web')))).not.toThrow()
  })
})

describe('edges', () => {
  it.each([
    ['a URL', 'TARGET', 'http://db/list'],
    ['a list of URLs', 'CALLS', 'http://other/list,http://db/count'],
    ['a list of alternatives', 'CALLS', 'http://other|http://db'],
    ['a connection string', 'X', 'postgres://user:12345@db:5432/db'],
    ['a Go connection string', 'X', 'user:secret@tcp(db:3306)/app'],
    ['host and port', 'X', 'db:80'],
    ['a host setting', 'DB_HOST', 'db'],
    ['an address list', 'redis.addrs', 'x;db'],
    ['a name within the cluster', 'X', 'db.shop.svc.cluster.local'],
    ['a pod of a StatefulSet', 'X', 'http://db-0.db.shop.svc:80'],
    ['a variable of Kubernetes', 'X', '$(DB_SERVICE_HOST):$(DB_SERVICE_PORT)'],
  ])('are seen in %s', (_, name, value) => {
    expect(edges(graphOf(workload('web', { env: { [name]: value } }), service('db')))).toEqual([
      'Deployment/web → Service/db',
    ])
  })

  it.each([
    ['a path', 'DATA_URL', '/var/lib/db/files'],
    ['a file', 'DB_HOST_FILE', '/run/db'],
    ['a host on the internet', 'URL', 'https://db.example.com'],
    ['a user of a URL', 'URL', 'http://db:pass@elsewhere/'],
    ['a path of a URL', 'URL', 'http://elsewhere/db'],
    ['an image', 'IMAGE', 'library/db:7'],
    ['another word', 'MODE', 'db'],
    ['the name of a database', 'MYSQL_DATABASE', 'db'],
    ['a user', 'DB_USER', 'db'],
    ['a part of a word', 'HOST', 'db-archive'],
  ])('are not seen in %s', (_, name, value) => {
    expect(edges(graphOf(workload('web', { env: { [name]: value } }), service('db')))).toEqual([])
  })

  it('are seen in arguments, start-up containers, ConfigMaps and Secrets', () => {
    const graph = graphOf(
      workload('a', { container: 'args: [--backend=db, --verbose]' }),
      workload('b', { container: 'command: [run, --upstream, db]' }),
      workload('c', { pod: 'initContainers: [{name: wait, image: x, command: [sh, -c, "nc -z db:80"]}]' }),
      workload('d', { container: 'envFrom: [{configMapRef: {name: settings}}]' }),
      workload('e', { pod: 'volumes: [{name: v, secret: {secretName: keys}}]' }),
      'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: settings}\ndata: {DB_HOST: db}\n',
      `apiVersion: v1\nkind: Secret\nmetadata: {name: keys}\ndata: {url: ${Buffer.from('amqp://u:hush@db').toString('base64')}}\n`,
      service('db'),
    )
    expect(edges(graph)).toEqual(['a', 'b', 'c', 'd', 'e'].map((n) => `Deployment/${n} → Service/db`))
    expect(JSON.stringify(graph)).not.toContain('hush')
  })

  it('do not lead back to the workload itself', () => {
    expect(edges(graphOf(workload('web', { env: { SELF_URL: 'http://web' } }), service('web')))).toEqual([])
  })
})

describe('likely edges', () => {
  const named = (name: string, image: string): string => workload(name).replace(/image: .*/, `image: ${image}`)
  const likely = (graph: Graph): string[] =>
    graph.edges.map((e) => `${e.from} → ${e.to} (${e.confidence}): ${e.evidence}`)

  it('are seen in what a known image calls by default, unless a setting says so already', () => {
    const shown = named('blog', 'wordpress:6').replace('env: []', 'env: [{name: WORDPRESS_DB_HOST, value: mysql}]')
    const mysql = [named('mysql', 'mysql:8.4'), service('mysql')]
    expect(likely(graphOf(named('blog', 'wordpress:6'), ...mysql))).toEqual([
      'Deployment/blog → Service/mysql (0.7): its image calls mysql by default',
    ])
    expect(likely(graphOf(shown, ...mysql))).toEqual([
      'Deployment/blog → Service/mysql (0.85): env WORDPRESS_DB_HOST of container main names mysql',
    ])
  })

  it('are seen in the name of a store that nobody else names', () => {
    const store = [named('carts-db', 'mongo:7'), service('carts-db')]
    const edge = 'Deployment/carts → Service/carts-db (0.6): carts-db is named after it'
    expect(likely(graphOf(workload('carts'), ...store))).toEqual([edge])
    const other = workload('orders', { env: { MONGO_URL: 'mongodb://carts-db' } })
    expect(likely(graphOf(workload('carts'), other, ...store))).not.toContain(edge)
  })

  it('are seen in credentials for the only store of a kind', () => {
    const web = workload('web', { env: { PGPASSWORD: 'x', REDIS_DB: '2' } })
    const stores = ['a', 'b'].flatMap((name) => [named(`cache-${name}`, 'redis:7'), service(`cache-${name}`)])
    expect(likely(graphOf(web, named('sql', 'postgres:16'), service('sql'), ...stores))).toEqual([
      'Deployment/web → Service/sql (0.6): env PGPASSWORD is for a system like sql',
    ])
  })

  it('are seen in who may call by a NetworkPolicy, on either side', () => {
    const policy = (spec: string): string =>
      `apiVersion: networking.k8s.io/v1\nkind: NetworkPolicy\nmetadata: {name: p}\nspec: ${spec}\n`
    const app = [workload('web'), service('web'), workload('api'), service('api')]
    const edge = ['Deployment/web → Service/api (0.5): NetworkPolicy/p lets it through']
    const peer = (app: string): string => `podSelector: {matchLabels: {app: ${app}}}`
    expect(likely(graphOf(...app, policy(`{${peer('api')}, ingress: [{from: [{${peer('web')}}]}]}`)))).toEqual(edge)
    expect(likely(graphOf(...app, policy(`{${peer('web')}, egress: [{to: [{${peer('api')}}]}]}`)))).toEqual(edge)
    const elsewhere = `{${peer('api')}, ingress: [{from: [{namespaceSelector: {}, ${peer('web')}}]}]}`
    expect(likely(graphOf(...app, policy(elsewhere)))).toEqual([])
  })
})

describe('entry points', () => {
  const ingress =
    'apiVersion: networking.k8s.io/v1\nkind: Ingress\nmetadata: {name: i}\nspec: {defaultBackend: {service: {name: api}}}\n'

  it('are the services that nothing else depends on', () => {
    const graph = graphOf(
      workload('web', { env: { URL: 'http://api' } }),
      service('web'),
      workload('api'),
      service('api'),
      service('stray'),
    )
    expect(graph.entryPoints).toEqual(['Service/web'])
  })

  it('are also those that are exposed', () => {
    const web = workload('web', { env: { URL: 'http://api' } })
    expect(graphOf(web, service('web'), workload('api'), service('api'), ingress).entryPoints).toEqual([
      'Service/api',
      'Service/web',
    ])
    expect(graphOf(web, service('web'), workload('api'), service('api', 'type: NodePort')).entryPoints).toEqual([
      'Service/api',
      'Service/web',
    ])
  })

  it('are all services where each depends on another', () => {
    const graph = graphOf(
      ...[workload('a', { env: { URL: 'http://b' } }), service('a')],
      ...[workload('b', { env: { URL: 'http://a' } }), service('b')],
    )
    expect(graph.entryPoints).toEqual(['Service/a', 'Service/b'])
  })

  it('leave out the inner service of what is exposed by another', () => {
    const outer = service('web', 'type: LoadBalancer').replace('name: web}', 'name: web-outside}')
    expect(graphOf(workload('web'), service('web'), outer).entryPoints).toEqual(['Service/web-outside'])
  })

  it('are not what nobody is seen to call where something is exposed, nor a store or its exporter', () => {
    const door = [workload('web'), service('web', 'type: NodePort')]
    expect(graphOf(...door, workload('api'), service('api')).entryPoints).toEqual(['Service/web'])
    const store = [workload('db').replace('example/db:1', 'postgres:16'), service('db')]
    const metrics = service('web-metrics').replace('port: 80', 'port: 9113')
    expect(graphOf(workload('web'), service('web'), ...store, metrics).entryPoints).toEqual(['Service/web'])
  })

  it('are also services that miss by a label the pods they are meant for', () => {
    const missing = service('web').replace('app: web', 'app: wep')
    expect(graphOf(workload('web'), missing).entryPoints).toEqual(['Service/web'])
    expect(graphOf(workload('web'), missing, service('web').replace('name: web', 'name: www')).entryPoints).toEqual([
      'Service/www',
    ])
    const elsewhere = missing.replace('targetPort: 8080', 'targetPort: 9999')
    expect(graphOf(workload('web'), elsewhere).entryPoints).toEqual([])
  })

  it('leave out the headless twin of a service', () => {
    const twin = service('web', 'clusterIP: None').replace('name: web}', 'name: web-pods}')
    expect(graphOf(workload('web'), service('web'), twin).entryPoints).toEqual(['Service/web'])
  })
})
