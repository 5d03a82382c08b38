// Prints what models are asked in one cycle: calls, the longest chain of them, and tokens, for an application of two
// manifests and for a shop of 29 with 14 services. Tokens are counted by the tokenizer that models use, from the requests
// that reach a scripted model over HTTP. `node bench/agents.mjs`; exits with 1 when a budget is exceeded.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { countTokens } from '../libs/agents/dist/model/count-tokens.js'
import { startModelServer } from '../libs/agents/dist/testing/index.js'
import { root } from '../scripts/packages.mjs'

// What the field's only full-cycle tool sends (issue of this project: 12,000 tokens a call), and the share of it to keep to.
const BUDGETS = { 'two manifests': 0.2 * 74_000, 'shop of 29 manifests': 0.2 * 347_000 }
const LONGEST_CHAIN = 8

const deployment = (name, replicas, env = {}) => `apiVersion: apps/v1
kind: Deployment
metadata: { name: ${name} }
spec:
  replicas: ${replicas}
  selector: { matchLabels: { app: ${name} } }
  template:
    metadata: { labels: { app: ${name} } }
    spec:
      containers:
        - name: ${name}
          image: ordeal/testapp:1
          ports: [{ containerPort: 8080 }]
          env: [${Object.entries(env)
            .map(([key, value]) => `{ name: ${key}, value: "${value}" }`)
            .join(', ')}]
          readinessProbe: { httpGet: { path: /healthz, port: 8080 }, periodSeconds: 2 }
          resources: { requests: { cpu: 20m, memory: 32Mi }, limits: { memory: 128Mi } }
`
const service = (name, type = 'ClusterIP') => `apiVersion: v1
kind: Service
metadata: { name: ${name} }
spec: { type: ${type}, selector: { app: ${name} }, ports: [{ port: 80, targetPort: 8080 }] }
`
const SHOP = [
  'front',
  'cart',
  'catalogue',
  'checkout',
  'payment',
  'shipping',
  'email',
  'currency',
  'ads',
  'reviews',
  'search',
  'users',
  'orders',
  'stock',
]
const CALLS = {
  front: ['cart', 'catalogue', 'checkout', 'ads'],
  checkout: ['payment', 'shipping', 'email', 'currency', 'orders'],
  catalogue: ['search', 'reviews', 'stock'],
  cart: ['users'],
}

/** A pod that takes longer to replace than users put up with, so that the cycle goes all its way. */
const SLOW = { STARTUP: '10s' }

const applications = {
  'two manifests': { 'web.yaml': deployment('web', 1, SLOW), 'service.yaml': service('web') },
  'shop of 29 manifests': {
    ...Object.fromEntries(
      SHOP.flatMap((name) => [
        [
          `${name}.yaml`,
          deployment(name, name === 'payment' ? 1 : 2, {
            ...(name === 'payment' ? SLOW : {}),
            ...(CALLS[name] ? { CALLS: CALLS[name].map((c) => `http://${c}`).join(',') } : {}),
          }),
        ],
        [`${name}-service.yaml`, service(name, name === 'front' ? 'LoadBalancer' : 'ClusterIP')],
      ]),
    ),
    'settings.yaml': 'apiVersion: v1\nkind: ConfigMap\nmetadata: { name: settings }\ndata: { theme: plain }\n',
  },
}

const PLAIN = {
  object: ({ properties = {} }) => Object.fromEntries(Object.entries(properties).map(([k, s]) => [k, plain(s)])),
  array: ({ items, minItems }) => (minItems ? [plain(items)] : []),
  string: () => 'fine',
  number: ({ minimum = 0 }) => minimum,
  integer: ({ minimum = 0 }) => minimum,
  boolean: () => false,
}

/** An answer that adds nothing: every list empty, every text a word, every number its least. */
function plain(schema) {
  if (schema.anyOf) return plain(schema.anyOf.find((s) => s.type === 'null') ?? schema.anyOf[0])
  if (schema.enum) return schema.enum[0]
  return PLAIN[schema.type]?.(schema) ?? null
}

async function measure(name, files) {
  const folder = await mkdtemp(join(tmpdir(), 'ordeal-bench-agents-'))
  await chmod(folder, 0o1777)
  const requests = []
  const server = await startModelServer((request) => {
    const schema = request.response_format.json_schema.schema
    const answer = plain(schema)
    if (request.agent === 'diagnosis')
      answer.component = /at one of ([A-Za-z]+\/[a-z0-9-]+)/.exec(request.messages.at(-1).content)?.[1]
    requests.push({ agent: request.agent, sent: [...request.messages, { content: JSON.stringify(schema) }] })
    return { say: JSON.stringify(answer) }
  })
  try {
    await mkdir(join(folder, 'app'))
    for (const [file, content] of Object.entries(files)) await writeFile(join(folder, 'app', file), content)
    const args = [
      join(root, 'cli/bin/ordeal.mjs'),
      'run',
      join(folder, 'app'),
      '--model',
      'bench',
      '--out',
      join(folder, 'out'),
    ]
    const env = { ...process.env, ORDEAL_MODEL_URL: server.url, XDG_STATE_HOME: join(folder, 'state'), NO_COLOR: '1' }
    const child = spawn(process.execPath, args, { env, stdio: 'ignore' })
    const [code] = await once(child, 'close')
    if (code !== 0 && code !== 2) throw new Error(`the cycle on ${name} ended with exit ${code}`)
  } finally {
    await server.close()
    await rm(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 })
  }
  return Promise.all(requests.map(async ({ agent, sent }) => ({ agent, tokens: await countTokens(sent) })))
}

/** Questions that are asked at once count once. */
const AT_ONCE = [
  ['instruction-filter', 'manifest-summary', 'application-guess', 'weaknesses'],
  ['completeness', 'probe-writing'],
  ['threshold', 'fault-scenario'],
  ['fault-parameters', 'timeline'],
]
function chainOf(requests) {
  const first = [...new Set(requests.map((r) => r.agent))]
  return new Set(first.map((agent) => AT_ONCE.findIndex((group) => group.includes(agent)) + 1 || agent)).size
}

let exceeded = false
for (const [name, files] of Object.entries(applications)) {
  const requests = await measure(name, files)
  const tokens = requests.reduce((sum, r) => sum + r.tokens, 0)
  const [budget, chain] = [BUDGETS[name], chainOf(requests)]
  exceeded ||= tokens > budget || chain > LONGEST_CHAIN
  console.log(
    `${name}: ${requests.length} calls, ${chain} of at most ${LONGEST_CHAIN} in a row (first pass); ` +
      `${tokens} input tokens, ${Math.round((100 * tokens) / budget)} % of ${budget}`,
  )
  const byAgent = Map.groupBy(requests, (r) => r.agent)
  for (const [agent, calls] of byAgent)
    console.log(`  ${agent}: ${calls.length} × ${Math.round(calls.reduce((s, c) => s + c.tokens, 0) / calls.length)}`)
}
if (exceeded) process.exitCode = 1
