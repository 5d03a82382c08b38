import { readPlainProject } from '../input/read-project.js'
import { buildGraph } from './build-graph.js'
import { type Link, linksOf } from './links.js'

const object = (apiVersion: string, kind: string, name: string, rest: string): string =>
  `apiVersion: ${apiVersion}\nkind: ${kind}\nmetadata: {name: ${name}}\n${rest}\n`

const WEB = object(
  'apps/v1',
  'Deployment',
  'web',
  `spec:
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      serviceAccountName: web
      containers:
        - name: web
          image: x:1
          envFrom: [{configMapRef: {name: settings}}]
          env: [{name: A, valueFrom: {secretKeyRef: {name: keys, key: a}}}]
      volumes:
        - {name: data, persistentVolumeClaim: {claimName: data}}
        - {name: all, projected: {sources: [{configMap: {name: settings}}, {secret: {name: ghost}}]}}`,
)
const SERVICE = object('v1', 'Service', 'web', 'spec: {selector: {app: web}, ports: [{port: 80, name: http}]}')

function links(...documents: string[]): string[] {
  const content = documents.join('---\n')
  const project = readPlainProject(
    { files: [{ path: 'a.yaml', content }] },
    { subpath: null, profile: null, values: [] },
  )
  const found = linksOf(
    buildGraph(project),
    project.objects.map((o) => o.object),
  )
  return found.map(({ from, kind, to, evidence }: Link) => `${from} ${kind} ${to} (${evidence})`)
}

describe('links', () => {
  it('tell what a workload refers to, each once, and only what is there', () => {
    expect(
      links(
        WEB,
        object('v1', 'ConfigMap', 'settings', 'data: {a: b}'),
        object('v1', 'Secret', 'keys', 'stringData: {a: b}'),
        object('v1', 'PersistentVolumeClaim', 'data', 'spec: {}'),
        object('v1', 'ServiceAccount', 'web', ''),
      ),
    ).toEqual([
      'Secret/keys configures Deployment/web (env A)',
      'ConfigMap/settings configures Deployment/web (envFrom, volume all)',
      'PersistentVolumeClaim/data stores Deployment/web (volume data)',
      'ServiceAccount/web configures Deployment/web (account)',
    ])
  })

  it('tell what selects, scales, protects and shields it', () => {
    const selector = '{matchLabels: {app: web}}'
    expect(
      links(
        WEB,
        SERVICE,
        object('policy/v1', 'PodDisruptionBudget', 'web', `spec: {selector: ${selector}}`),
        object('networking.k8s.io/v1', 'NetworkPolicy', 'web', `spec: {podSelector: ${selector}}`),
        object(
          'autoscaling/v2',
          'HorizontalPodAutoscaler',
          'web',
          'spec: {scaleTargetRef: {kind: Deployment, name: web}}',
        ),
      ),
    ).toEqual([
      'Service/web selects Deployment/web (its selector)',
      'HorizontalPodAutoscaler/web scales Deployment/web (its scaleTargetRef)',
      'PodDisruptionBudget/web protects Deployment/web (its pod selector)',
      'NetworkPolicy/web shields Deployment/web (its pod selector)',
    ])
  })

  it.each([
    [
      'Ingress',
      'networking.k8s.io/v1',
      'rules: [{http: {paths: [{backend: {service: {name: web, port: {name: http}}}}]}}]',
    ],
    ['Ingress', 'networking.k8s.io/v1beta1', 'backend: {serviceName: web, servicePort: 80}'],
    ['HTTPRoute', 'gateway.networking.k8s.io/v1', 'rules: [{backendRefs: [{name: web, port: 80}]}]'],
    [
      'VirtualService',
      'networking.istio.io/v1',
      'http: [{route: [{destination: {host: web.shop.svc.cluster.local}}]}]',
    ],
    ['IngressRoute', 'traefik.io/v1alpha1', 'routes: [{services: [{name: web, port: 80}]}]'],
    ['HTTPProxy', 'projectcontour.io/v1', 'routes: [{services: [{name: web, port: 80}]}]'],
    ['Mapping', 'getambassador.io/v3alpha1', 'service: "http://web:80"'],
    ['Route', 'route.openshift.io/v1', 'to: {kind: Service, name: web}'],
  ])('tell where a %s leads', (kind, apiVersion, spec) => {
    expect(links(WEB, SERVICE, object(apiVersion, kind, 'door', `spec: {${spec}}`))).toContain(
      `${kind}/door routes Service/web (a backend of it)`,
    )
  })

  it.each([
    ['of another namespace', 'rules: [{backendRefs: [{name: web, namespace: other}]}]'],
    ['of another kind', 'rules: [{backendRefs: [{name: web, kind: Bucket, group: x}]}]'],
  ])('do not take a backend %s for a service', (_, spec) => {
    const route = object('gateway.networking.k8s.io/v1', 'HTTPRoute', 'door', `spec: {${spec}}`)
    expect(links(WEB, SERVICE, route)).toEqual(['Service/web selects Deployment/web (its selector)'])
  })
})
