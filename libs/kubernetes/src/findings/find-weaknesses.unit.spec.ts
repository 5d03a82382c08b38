import { type Finding, findingSchema } from '@ordeal/shared'
import { buildGraph } from '../graph/build-graph.js'
import { readPlainProject } from '../input/read-project.js'
import { findWeaknesses, rules } from './find-weaknesses.js'

const find = (...documents: string[]): Finding[] => {
  const content = documents.map((d) => d.replace(/^\n/, '')).join('---\n')
  const project = readPlainProject(
    { files: [{ path: 'app.yaml', content }] },
    { subpath: null, profile: null, values: [] },
  )
  return findingSchema.array().parse(findWeaknesses(project, buildGraph(project)))
}
const ids = (findings: Finding[]): string[] =>
  findings.map((f) => `${f.severity} ${f.rule.slice(0, 6)} ${f.object}${f.path}`)

const WEB = `
apiVersion: apps/v1
kind: Deployment
metadata:
  name: web
spec:
  replicas: 3
  selector:
    matchLabels: {app: web}
  template:
    metadata:
      labels: {app: web}
    spec:
      topologySpreadConstraints:
        - {maxSkew: 1, topologyKey: kubernetes.io/hostname, whenUnsatisfiable: ScheduleAnyway}
      containers:
        - name: web
          image: example/web:1.4.2
          ports:
            - {name: http, containerPort: 8080}
          readinessProbe:
            httpGet: {path: /ready, port: http}
            periodSeconds: 2
          livenessProbe:
            httpGet: {path: /ready, port: http}
            periodSeconds: 10
          resources:
            requests: {cpu: 50m, memory: 32Mi}
            limits: {memory: 64Mi}
`
const SERVICE = `
apiVersion: v1
kind: Service
metadata:
  name: web
spec:
  selector: {app: web}
  ports:
    - port: 80
      targetPort: http
`
const BUDGET = `
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata:
  name: web
spec:
  minAvailable: 2
  selector:
    matchLabels: {app: web}
`
const well = [WEB, SERVICE, BUDGET]
const others = (name: string): string[] => well.map((d) => d.replaceAll(/(name|app): web\b/g, `$1: ${name}`))
const scaler = (target: string, more: string): string =>
  `apiVersion: autoscaling/v2\nkind: HorizontalPodAutoscaler\nmetadata: {name: web}\nspec: {${more}, scaleTargetRef: {kind: Deployment, name: ${target}}}\n`
const ingress = (service: string, port: number): string =>
  `apiVersion: networking.k8s.io/v1\nkind: Ingress\nmetadata: {name: door}\nspec: {defaultBackend: {service: {name: ${service}, port: {number: ${port}}}}}\n`
const but = (from: string | RegExp, to: string): string[] => {
  const changed = well.map((document) => document.replace(from, to))
  expect(changed).not.toEqual(well)
  return changed
}
const calling = (url: string): string[] =>
  but('          image:', `          env: [{name: API, value: "${url}"}]\n          image:`)
const POD_SPEC = '/spec/template/spec'
const CONTAINER = `${POD_SPEC}/containers/0`

describe('findWeaknesses', () => {
  it('finds nothing in a well-kept application', () => {
    expect(find(...well)).toEqual([])
  })

  it('says where: object, pointer, file and line', () => {
    expect(find(...but('replicas: 3', 'replicas: 1')).find((f) => f.rule === 'ORD002-single-replica')).toEqual({
      rule: 'ORD002-single-replica',
      severity: 'warning',
      object: 'Deployment/web',
      path: '/spec/replicas',
      message: 'One replica: nothing answers while its pod is replaced.',
      file: 'app.yaml',
      line: 6,
    })
  })

  it.each<[string, string[], string[]]>([
    [
      'a single replica',
      but(/ {2}replicas: 3\n/, ''),
      ['warning ORD002 Deployment/web/spec/replicas', 'warning ORD008 PodDisruptionBudget/web/spec/minAvailable'],
    ],
    [
      'Recreate',
      but('  selector:', '  strategy: {type: Recreate}\n  selector:'),
      ['warning ORD004 Deployment/web/spec/strategy/type'],
    ],
    [
      'a roll-out that takes all',
      but('  selector:', '  strategy: {rollingUpdate: {maxUnavailable: 3}}\n  selector:'),
      ['warning ORD005 Deployment/web/spec/strategy/rollingUpdate/maxUnavailable'],
    ],
    [
      'replicas forced together',
      but(
        '    spec:\n',
        '    spec:\n      affinity: {podAffinity: {requiredDuringSchedulingIgnoredDuringExecution: [{topologyKey: kubernetes.io/hostname, labelSelector: {matchLabels: {app: web}}}]}}\n',
      ),
      [
        `warning ORD006 Deployment/web${POD_SPEC}/affinity/podAffinity/requiredDuringSchedulingIgnoredDuringExecution/0`,
      ],
    ],
    [
      'replicas bound to a node by its name',
      but('    spec:\n', '    spec:\n      nodeName: node-1\n'),
      [`warning ORD006 Deployment/web${POD_SPEC}/nodeName`],
    ],
    [
      'replicas bound to a node by its label',
      but('    spec:\n', '    spec:\n      nodeSelector: {kubernetes.io/hostname: node-1}\n'),
      [`warning ORD006 Deployment/web${POD_SPEC}/nodeSelector/kubernetes.io~1hostname`],
    ],
    ['no spread', but(/ {6}topology.*\n.*\n/, ''), [`note ORD007 Deployment/web${POD_SPEC}`]],
    [
      'a budget that blocks',
      but('minAvailable: 2', 'minAvailable: 3'),
      ['warning ORD008 PodDisruptionBudget/web/spec/minAvailable'],
    ],
    [
      'a budget of nothing',
      but('minAvailable: 2', 'maxUnavailable: 0'),
      ['warning ORD008 PodDisruptionBudget/web/spec/maxUnavailable'],
    ],
    ['no budget', but('kind: PodDisruptionBudget', 'kind: Other'), ['note ORD009 Deployment/web/spec']],
    [
      'a grace period that is too short',
      but(
        '          ports:',
        '          lifecycle: {preStop: {exec: {command: [sh, -c, "sleep 40"]}}}\n          ports:',
      ),
      [`warning ORD011 Deployment/web${CONTAINER}/lifecycle/preStop`],
    ],
    [
      'liveness that is readiness',
      but('periodSeconds: 2', 'periodSeconds: 10'),
      [`warning ORD012 Deployment/web${CONTAINER}/livenessProbe`],
    ],
    ['no readiness probe', but(/ {10}readinessProbe:\n.*\n.*\n/, ''), [`warning ORD020 Deployment/web${CONTAINER}`]],
    [
      'a start-up probe alone, and a short one',
      but('readinessProbe', 'startupProbe'),
      [`note ORD020 Deployment/web${CONTAINER}`, `note ORD032 Deployment/web${CONTAINER}/startupProbe`],
    ],
    ['no liveness probe', but(/ {10}livenessProbe:\n.*\n.*\n/, ''), [`note ORD021 Deployment/web${CONTAINER}`]],
    [
      'eager liveness',
      but('periodSeconds: 10', 'failureThreshold: 1'),
      [`warning ORD022 Deployment/web${CONTAINER}/livenessProbe`],
    ],
    [
      'no requests',
      but('requests: {cpu: 50m, memory: 32Mi}', 'requests: {}'),
      [`warning ORD023 Deployment/web${CONTAINER}/resources`],
    ],
    ['no memory limit', but('limits: {memory: 64Mi}', 'limits: {}'), [`note ORD024 Deployment/web${CONTAINER}`]],
    ['a short tag', but('web:1.4.2', 'web:1'), [`note ORD025 Deployment/web${CONTAINER}/image`]],
    ['no tag', but('web:1.4.2', 'web'), [`warning ORD025 Deployment/web${CONTAINER}/image`]],
    [
      'a folder of the node',
      but('      containers:', '      volumes: [{name: d, hostPath: {path: /d}}]\n      containers:'),
      [`warning ORD026 Deployment/web${POD_SPEC}/volumes/0/hostPath`],
    ],
    [
      'a selector that matches nothing',
      [WEB, BUDGET, SERVICE.replace('{app: web}', '{app: wbe}')],
      ['error ORD040 Service/web/spec/selector'],
    ],
    [
      'a port that nothing listens on',
      but('targetPort: http', 'targetPort: 9090'),
      ['error ORD041 Service/web/spec/ports/0/targetPort'],
    ],
    [
      'a port name that is not there',
      but('targetPort: http', 'targetPort: htpt'),
      ['error ORD041 Service/web/spec/ports/0/targetPort'],
    ],
    [
      'a Secret that is not there',
      but('      containers:', '      volumes: [{name: d, secret: {secretName: keys}}]\n      containers:'),
      [`note ORD060 Deployment/web${POD_SPEC}/volumes/0`],
    ],
    ['an API of the past', but('policy/v1', 'policy/v1beta1'), ['error ORD061 PodDisruptionBudget/web/apiVersion']],
    [
      'a roll-out that may change nothing',
      but('  selector:', '  strategy: {rollingUpdate: {maxUnavailable: 0, maxSurge: 0%}}\n  selector:'),
      ['error ORD005 Deployment/web/spec/strategy/rollingUpdate/maxUnavailable'],
    ],
    [
      'a budget for nobody',
      [WEB, SERVICE, BUDGET, BUDGET.replace('name: web', 'name: other').replace('{app: web}', '{app: wbe}')],
      ['warning ORD014 PodDisruptionBudget/other/spec/selector'],
    ],
    [
      'two budgets for the same pods',
      [WEB, SERVICE, BUDGET, BUDGET.replace('name: web', 'name: other')],
      ['warning ORD018 PodDisruptionBudget/other/spec/selector'],
    ],
    [
      'an autoscaler without a target',
      [...well, scaler('webb', 'minReplicas: 2')],
      ['error ORD015 HorizontalPodAutoscaler/web/spec/scaleTargetRef'],
    ],
    [
      'a number of replicas that an autoscaler sets',
      [...well, scaler('web', 'minReplicas: 3')],
      ['note ORD016 Deployment/web/spec/replicas'],
    ],
    [
      'a selector that misses its own pods',
      but('    matchLabels: {app: web}\n  template', '    matchLabels: {app: web, tier: x}\n  template'),
      ['error ORD017 Deployment/web/spec/selector/matchLabels'],
    ],
    [
      'no grace period',
      but('      containers:', '      terminationGracePeriodSeconds: 0\n      containers:'),
      [`warning ORD019 Deployment/web${POD_SPEC}/terminationGracePeriodSeconds`],
    ],
    [
      'a probe of a port name that is not there',
      but('port: http}', 'port: htpt}'),
      [`error ORD028 Deployment/web${CONTAINER}/readinessProbe`],
    ],
    [
      'a probe of another port',
      but('port: http}', 'port: 8081}'),
      [`note ORD028 Deployment/web${CONTAINER}/readinessProbe`],
    ],
    [
      'a limit below the request',
      but('limits: {memory: 64Mi}', 'limits: {memory: 16Mi}'),
      [`error ORD029 Deployment/web${CONTAINER}/resources/limits/memory`],
    ],
    [
      'a heap beyond the limit',
      but('          ports:', '          args: [java, -Xmx64m, -jar, x.jar]\n          ports:'),
      [`warning ORD031 Deployment/web${CONTAINER}/resources/limits/memory`],
    ],
    [
      'liveness that asks another service',
      [...well, ...others('db')].map((d) =>
        d.replace(
          /(livenessProbe:\n {12})httpGet: {path: .ready, port: http}/,
          '$1exec: {command: [sh, -c, "nc -z db:80"]}',
        ),
      ),
      [`warning ORD030 Deployment/web${CONTAINER}/livenessProbe/exec`],
    ],
    [
      'a headless port that leads nowhere',
      but('  selector: {app: web}\n  ports', '  clusterIP: None\n  selector: {app: web}\n  ports'),
      ['warning ORD043 Service/web/spec/ports/0/port'],
    ],
    [
      'a route to a port that is not there',
      [...well, ingress('web', 8080)],
      ['error ORD044 Ingress/door/spec/defaultBackend/service'],
    ],
    ['a route to nowhere', [...well, ingress('wbe', 80)], ['warning ORD044 Ingress/door/spec/defaultBackend/service']],
    [
      'traffic to pods that are not ready',
      but('  selector: {app: web}\n  ports', '  publishNotReadyAddresses: true\n  selector: {app: web}\n  ports'),
      ['warning ORD045 Service/web/spec/publishNotReadyAddresses'],
    ],
    [
      'a call to a port that the service lacks',
      calling('http://web:8080/x|http://web/y,https://web:80,http://web.example.com:1,http://localhost:2'),
      [`warning ORD046 Deployment/web${CONTAINER}/env/0/value`],
    ],
    [
      'a call to a name that is nobody’s',
      calling('http://user@wbe/x'),
      [`warning ORD047 Deployment/web${CONTAINER}/env/0/value`],
    ],
    [
      'a call to another namespace',
      calling('http://store.shop.svc.cluster.local:9'),
      [`note ORD047 Deployment/web${CONTAINER}/env/0/value`],
    ],
    [
      'a claim that is not there',
      but('      containers:', '      volumes: [{name: d, persistentVolumeClaim: {claimName: c}}]\n      containers:'),
      ['warning ORD003 Deployment/web/spec/replicas', `warning ORD062 Deployment/web${POD_SPEC}/volumes/0`],
    ],
    [
      'a StatefulSet without its Service, and a missing account',
      but('kind: Deployment', 'kind: StatefulSet').map((d) =>
        d
          .replace('  replicas: 3', '  serviceName: pods\n  replicas: 3')
          .replace('      topology', '      serviceAccountName: a\n      topology'),
      ),
      [`note ORD064 StatefulSet/web${POD_SPEC}/serviceAccountName`, 'warning ORD063 StatefulSet/web/spec/serviceName'],
    ],
    [
      'an API that will go',
      [...well, ingress('web', 80).replace('name: door', 'name: door, annotations: {kubernetes.io/ingress.class: x}')],
      ['note ORD065 Ingress/door/metadata/annotations/kubernetes.io~1ingress.class'],
    ],
  ])('finds %s', (_, documents, expected) => {
    expect(ids(find(...documents)).sort()).toEqual([...expected].sort())
  })

  it('finds a bare Pod', () => {
    const pod = 'apiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec: {containers: [{name: c, image: "x:1.2.3"}]}\n'
    expect(find(pod).map((f) => f.rule)).toContain('ORD001-bare-pod')
  })

  it('finds a missing key of a ConfigMap that is there', () => {
    const env = '          env: [{name: A, valueFrom: {configMapKeyRef: {name: c, key: k}}}]\n          ports:\n'
    const config = 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c}\ndata: {other: x}\n'
    expect(ids(find(...but('          ports:\n', env), config))).toEqual([
      `error ORD060 Deployment/web${CONTAINER}/env/0`,
    ])
    expect(find(...but('          ports:\n', env), config.replace('other', 'k'))).toEqual([])
  })

  it('finds an autoscaler that has nothing to go by and may go down to one', () => {
    const scaler =
      'apiVersion: autoscaling/v2\nkind: HorizontalPodAutoscaler\nmetadata: {name: web}\nspec: {minReplicas: 1, scaleTargetRef: {kind: Deployment, name: web}}\n'
    const found = ids(find(...but(/ {10}resources:[^]*$/, ''), scaler))
    expect(found).toEqual(
      expect.arrayContaining([
        'note ORD010 HorizontalPodAutoscaler/web/spec/minReplicas',
        'warning ORD027 HorizontalPodAutoscaler/web/spec',
      ]),
    )
  })

  it('tells replicas of a database that only look redundant', () => {
    expect(ids(find(...but('example/web:1.4.2', 'redis:7.2.4')))).toEqual([
      'warning ORD003 Deployment/web/spec/replicas',
    ])
  })

  it('tells that a lone database is a weakness that replicas do not cure', () => {
    const lone = [...but('replicas: 3', 'replicas: 1').slice(0, 2)].map((d) =>
      d.replace('example/web:1.4.2', 'mysql:8.0.36'),
    )
    expect(ids(find(...lone))).toEqual(['warning ORD013 Deployment/web/spec/replicas'])
  })

  it('tells workloads that depend on each other in a circle', () => {
    const one = (name: string, calls: string): string[] => {
      const env = `          env: [{name: URL, value: "http://${calls}"}]\n          ports:\n`
      return well.map((d) => d.replace('          ports:\n', env).replaceAll(/(name|app): web\b/g, `$1: ${name}`))
    }
    expect(ids(find(...one('a', 'b'), ...one('b', 'a')))).toEqual([
      'note ORD042 Deployment/a',
      'note ORD042 Deployment/b',
    ])
  })

  it('is less sure of a selector where an operator may make the pods', () => {
    const custom = 'apiVersion: example.org/v1\nkind: Cluster\nmetadata: {name: c}\n'
    expect(ids(find(SERVICE, custom))).toEqual(['note ORD040 Service/web/spec/selector'])
  })
})

describe('rules', () => {
  it('have ids of their own', () => {
    expect(rules.every((r) => /^ORD\d{3}(-[a-z]+)+$/.test(r.id))).toBe(true)
    expect(new Set(rules.map((r) => r.id.slice(0, 6))).size).toBe(rules.length)
  })
})
