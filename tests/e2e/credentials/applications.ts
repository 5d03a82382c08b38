/** Credentials as people leave them in manifests, by where: made up, each of them found nowhere else. */
export const CREDENTIALS = {
  secretData: 'moonflower-secret-data-1',
  secretStringData: 'moonflower-string-data-2',
  envByName: 'rosebud-env-by-name-3',
  envByEntropy: 'q9Zk3Xv7Lw2Pt8Rn5Bc1Ym6Hd4',
  urlPassword: 'tulip-url-pass-4',
  urlToken: 'ghp_Aq7Bz9Cx1Dv3Ew5Fy7Gu9Ht2Ij4Kl6Mn8Op',
  urlQuery: 'aster-access-token-5',
  urlPath: 'Xk29Qp47Lm81Zt63Wn05Rb',
  argAssigned: 'daisy-arg-assigned-6',
  argSeparate: 'daisy-arg-separate-7',
  argHeader: 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJvcmRlYWwifQ.c2lnbmF0dXJl',
  configText: 'lilac-config-text-8',
  configJson: 'lilac-config-json-9',
  privateKey: 'MIIEowIBAAKCAQEAq2w3e4r5t6z7u8i9o0pAsDfGhJk',
  annotation: 'poppy-annotation-10',
  annotationProse: 'glpat-x8Yq2Wv5Tn7Kd3Lm9Zp4',
  comment: 'orchid-in-a-comment-11',
  commentToken: 'sk-proj-Zt5Rw8Qk2Lx9Vn4Bm7Hc3Jd6',
  customResource: 'violet-custom-resource-12',
  helmUsed: 'lotus-helm-used-13',
  helmUnused: 'lotus-helm-unused-14',
  literal: 'iris-literal-15',
  envFile: 'iris-env-file-16',
} as const

const c = CREDENTIALS
const base64 = (text: string): string => Buffer.from(text).toString('base64')

const workload = (name: string, more: { env?: string; args?: string; annotations?: string } = {}): string => `
# The old admin had password: ${c.comment}
# and before that ${c.commentToken}, which still works
apiVersion: apps/v1
kind: Deployment
metadata:
  name: ${name}
  annotations:
    owner: the team that runs it
${more.annotations ?? ''}
spec:
  replicas: 1
  selector: { matchLabels: { app: ${name} } }
  template:
    metadata: { labels: { app: ${name} } }
    spec:
      containers:
        - name: main
          image: ordeal/testapp:1
          ports: [{ containerPort: 8080 }]
          readinessProbe: { httpGet: { path: /healthz, port: 8080 }, periodSeconds: 2 } # was: token=${c.comment}
          env:
            - { name: STARTUP, value: "9s" }
${more.env ?? ''}
${more.args ?? ''}
---
apiVersion: v1
kind: Service
metadata: { name: ${name} }
spec: { selector: { app: ${name} }, ports: [{ port: 80, targetPort: 8080 }] }
`

const PLAIN = `${workload('diary', {
  annotations: `
    last-applied: '{"auth":{"token":"${c.annotation}"}}'
    encoded: ${base64(c.envByName)}
    note: rotate ${c.annotationProse} before winter`,
  env: `
            - { name: DB_PASSWORD, value: ${c.envByName} }
            - { name: SESSION_SEED, value: ${c.envByEntropy} }
            - { name: DATABASE, value: "postgres://diary:${c.urlPassword}@db.internal:5432/diary" }
            - { name: UPSTREAM, value: "https://${c.urlToken}@git.internal/team/repo" }
            - { name: FEED, value: "https://feed.internal/list?access_token=${c.urlQuery}&page=2" }
            - { name: HOOK, value: "https://hooks.internal/services/T01/B02/${c.urlPath}" }
            - { name: FROM_SECRET, valueFrom: { secretKeyRef: { name: diary-keys, key: signing } } }`,
  args: `
          args:
            - --api-key=${c.argAssigned}
            - --password
            - ${c.argSeparate}
            - "--header"
            - "Authorization: Bearer ${c.argHeader}"`,
})}---
apiVersion: v1
kind: Secret
metadata: { name: diary-keys }
data: { signing: ${base64(c.secretData)} }
stringData: { other: ${c.secretStringData} }
---
apiVersion: v1
kind: ConfigMap
metadata: { name: diary-settings }
data:
  app.conf: |
    user = diary
    password = "${c.configText}"
  app.json: '{"region": "eu", "apiKey": "${c.configJson}"}'
  key.pem: |
    -----BEGIN PRIVATE KEY-----
    ${c.privateKey}
    -----END PRIVATE KEY-----
---
apiVersion: example.com/v1
kind: Backup
metadata: { name: nightly }
spec: { target: diary, auth: { user: backup, password: ${c.customResource} } }
`

const CHART = {
  'Chart.yaml': 'apiVersion: v2\nname: diary\nversion: 0.1.0\n',
  'values.yaml': `replicaCount: 1\nauth:\n  password: ${c.helmUsed}\nlegacy:\n  adminPassword: ${c.helmUnused}\n`,
  'templates/app.yaml': workload('chart', {
    env: '            - { name: CHART_PASSWORD, value: "{{ .Values.auth.password }}" }',
  }).replace('replicas: 1', 'replicas: {{ .Values.replicaCount }}'),
  'templates/secret.yaml': `apiVersion: v1
kind: Secret
metadata: { name: chart-keys }
data: { password: {{ .Values.auth.password | b64enc }} }
`,
}

const OVERLAY = {
  'kustomization.yaml': `resources: [app.yaml]
secretGenerator:
  - name: overlay-keys
    literals: [password=${c.literal}]
    envs: [keys.env]
`,
  'keys.env': `ACCESS_TOKEN=${c.envFile}\n`,
  'app.yaml': workload('overlay'),
}

/** Applications with credentials in them, as files by name. */
export const APPLICATIONS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  manifests: { 'diary.yaml': PLAIN },
  helm: CHART,
  kustomize: OVERLAY,
}
