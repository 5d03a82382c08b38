import { withDefaults } from './defaults.js'

// What a real 1.34 server answers for the same objects, but for the token volume of its service accounts.
describe('withDefaults', () => {
  it('completes a pod', () => {
    const pod = {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'p' },
      spec: {
        containers: [
          {
            name: 'a',
            image: 'nginx',
            ports: [{ containerPort: 80 }],
            resources: { limits: { cpu: '100m', memory: '64Mi' } },
            livenessProbe: { httpGet: { port: 80 } },
            readinessProbe: { tcpSocket: { port: 80 }, periodSeconds: 0 },
            env: [{ name: 'A', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } }],
          },
        ],
        volumes: [{ name: 'c', configMap: { name: 'c' } }],
      },
    }
    const times = { timeoutSeconds: 1, periodSeconds: 10, successThreshold: 1, failureThreshold: 3 }
    const tolerations = ['not-ready', 'unreachable'].map((state) => ({
      key: `node.kubernetes.io/${state}`,
      operator: 'Exists',
      effect: 'NoExecute',
      tolerationSeconds: 300,
    }))
    expect(withDefaults(pod)).toEqual({
      ...pod,
      spec: {
        containers: [
          {
            name: 'a',
            image: 'nginx',
            imagePullPolicy: 'Always',
            ports: [{ containerPort: 80, protocol: 'TCP' }],
            resources: { limits: { cpu: '100m', memory: '64Mi' }, requests: { cpu: '100m', memory: '64Mi' } },
            livenessProbe: { httpGet: { path: '/', port: 80, scheme: 'HTTP' }, ...times },
            readinessProbe: { tcpSocket: { port: 80 }, ...times },
            env: [{ name: 'A', valueFrom: { fieldRef: { apiVersion: 'v1', fieldPath: 'metadata.name' } } }],
            terminationMessagePath: '/dev/termination-log',
            terminationMessagePolicy: 'File',
          },
        ],
        volumes: [{ name: 'c', configMap: { name: 'c', defaultMode: 420 } }],
        restartPolicy: 'Always',
        terminationGracePeriodSeconds: 30,
        dnsPolicy: 'ClusterFirst',
        schedulerName: 'default-scheduler',
        securityContext: {},
        serviceAccountName: 'default',
        serviceAccount: 'default',
        enableServiceLinks: true,
        priority: 0,
        preemptionPolicy: 'PreemptLowerPriority',
        tolerations,
      },
      status: { phase: 'Pending', qosClass: 'Guaranteed' },
    })
  })

  it.each([
    ['nginx', 'Always'],
    ['nginx:latest', 'Always'],
    ['nginx:1.27', 'IfNotPresent'],
    ['registry:5000/nginx', 'Always'],
    ['nginx@sha256:00', 'IfNotPresent'],
  ])('pulls %s %s', (image, imagePullPolicy) => {
    const template = { spec: { containers: [{ name: 'a', image }] } }
    const made = withDefaults({ apiVersion: 'apps/v1', kind: 'Deployment', spec: { template } })
    expect(made).toMatchObject({ spec: { template: { spec: { containers: [{ imagePullPolicy }] } } } })
    expect(made).not.toHaveProperty('spec.template.spec.enableServiceLinks')
  })

  it.each([
    [undefined, { type: 'RollingUpdate', rollingUpdate: { maxSurge: '25%', maxUnavailable: '25%' } }],
    [
      { rollingUpdate: { maxSurge: 1 } },
      { type: 'RollingUpdate', rollingUpdate: { maxSurge: 1, maxUnavailable: '25%' } },
    ],
    [{ type: 'Recreate' }, { type: 'Recreate' }],
  ])('completes a strategy: %j', (strategy, expected) => {
    const made = withDefaults({ apiVersion: 'apps/v1', kind: 'Deployment', spec: { strategy } })
    expect(made.spec.strategy).toEqual(expected)
  })

  it('leaves what is given, and the object that it was given', () => {
    const object = { apiVersion: 'apps/v1', kind: 'Deployment', spec: { replicas: 0, revisionHistoryLimit: 1 } }
    const made = withDefaults(object)
    expect(made.spec).toMatchObject({ replicas: 0, revisionHistoryLimit: 1, progressDeadlineSeconds: 600 })
    expect(object.spec).toEqual({ replicas: 0, revisionHistoryLimit: 1 })
  })
})
