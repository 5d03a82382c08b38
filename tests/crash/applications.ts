import { type Bundle } from '@ordeal/shared'

/** An application and what a cycle makes of it. */
export interface Application {
  readonly name: string
  readonly input: Bundle
  readonly maxImprovements: number
}

const service = (name: string): string => `
apiVersion: v1
kind: Service
metadata: { name: ${name} }
spec:
  selector: { app: ${name} }
  ports: [{ port: 80, targetPort: 80 }]
`

/** `slowS`: seconds until a new pod is ready, which decide whether the loss of the only one is noticed. */
const deployment = (name: string, replicas: number, slowS: number): string => `
apiVersion: apps/v1
kind: Deployment
metadata: { name: ${name} }
spec:
  replicas: ${replicas}
  selector: { matchLabels: { app: ${name} } }
  template:
    metadata: { labels: { app: ${name} } }
    spec:
      containers:
        - name: web
          image: nginx:1.27
          ports: [{ containerPort: 80 }]
          readinessProbe: { httpGet: { path: /, port: 80 }, periodSeconds: 2, initialDelaySeconds: ${slowS} }
          lifecycle: { preStop: { sleep: { seconds: 5 } } }
`

const pod = (name: string): string => `
apiVersion: v1
kind: Pod
metadata: { name: ${name}, labels: { app: ${name} } }
spec:
  restartPolicy: Never
  containers: [{ name: web, image: 'nginx:1.27', ports: [{ containerPort: 80 }] }]
`

const application = (name: string, maxImprovements: number, ...documents: string[]): Application => ({
  name,
  maxImprovements,
  input: { files: [{ path: 'app.yaml', content: documents.join('---') }] },
})

/** Small ones, each far from where another verdict would begin, for every way in which a cycle ends by itself: held at once, mended, and beyond help. */
export const applications: readonly Application[] = [
  application('kept', 2, deployment('kept', 3, 0), service('kept')),
  application('bare', 3, pod('bare'), service('bare')),
  application('alone', 0, deployment('alone', 1, 20), service('alone')),
]
