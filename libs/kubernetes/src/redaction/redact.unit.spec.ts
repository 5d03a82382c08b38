import fc from 'fast-check'
import { type Json, type KubernetesObject } from '../input/kubernetes-object.js'
import { conceal, redact, restore, secretsWithFiles } from './redact.js'
import { redactText } from './redact-text.js'

const base64 = (text: string): string => Buffer.from(text).toString('base64')
const object = (kind: string, rest: Record<string, Json>): KubernetesObject => ({
  apiVersion: 'v1',
  kind,
  metadata: { name: 'x' },
  ...rest,
})
const pod = (env: Record<string, string>, more: Record<string, Json> = {}): KubernetesObject =>
  object('Pod', {
    spec: {
      containers: [
        {
          name: 'c',
          image: 'postgres:16',
          env: Object.entries(env).map(([name, value]) => ({ name, value })),
          ...more,
        },
      ],
    },
  })

/** The texts that are no longer to be seen in the objects, and that restoring brings them back. */
const redacted = (...objects: KubernetesObject[]): { shown: string; secrets: string[] } => {
  const result = redact(objects)
  expect(restore(result.objects, result.secrets)).toEqual(objects)
  expect(Object.keys(result.secrets).every((key, i) => key === `ordeal-secret:${i + 1}`)).toBe(true)
  return { shown: JSON.stringify(result.objects), secrets: Object.values(result.secrets) }
}

describe('redact', () => {
  it('takes the values of a Secret and leaves it valid', () => {
    const { objects, secrets } = redact([
      object('Secret', { data: { a: base64('moonflower'), b: '' }, stringData: { c: 'rosebud' } }),
    ])
    expect(objects[0]).toMatchObject({
      data: { a: base64('ordeal-secret:1'), b: '' },
      stringData: { c: 'ordeal-secret:2' },
    })
    expect(secrets).toEqual({ 'ordeal-secret:1': base64('moonflower'), 'ordeal-secret:2': 'rosebud' })
  })

  it.each([
    ['DB_PASSWORD', 'hunter2'],
    ['apiKey', '12345'],
    ['API_TOKEN', 'tok-9f3b1c77aa52'],
    ['JWT', 'a b c d'],
    ['Authorization', 'Basic abcdef'],
    ['X', 'ghp_abcdefghijklmnopqrst0123456789ABCDEF'],
    ['X', '4f9c2b7e81d05a6399fe02c417ab58d3'],
    ['X', 'dGhpcyBpcyBhIHNlY3JldCB0b2tlbiE5MQ=='],
    ['X', '-----BEGIN RSA PRIVATE KEY-----\nMIIEow\n-----END RSA PRIVATE KEY-----\n'],
  ])('takes the env value %s=%s', (name, value) => {
    expect(redacted(pod({ [name]: value })).secrets).toEqual([value])
  })

  it.each([
    ['PASSWORD_FILE', '/run/secrets/db'],
    ['TOKEN_TTL', '3600'],
    ['DB_PASSWORD', '$(OTHER)'],
    ['SECRET_ENABLED', 'true'],
    ['PASSWORD', ''],
    ['MAX_TOKENS', '4096'],
    ['MODE', 'production'],
    ['URL', 'http://catalogue-store:8080/list'],
    ['CALLS', 'http://auth-a|http://auth-b,http://c'],
    ['IMAGE', 'registry.example/team/checkout-service:2024.11.3'],
    ['CLASS', 'org/example/SomeVeryLongClassName2'],
    ['NAME', 'checkout-service-canary-2'],
    ['BYPASS', 'x'],
  ])('leaves %s=%s', (name, value) => {
    expect(redacted(pod({ [name]: value })).secrets).toEqual([])
  })

  it.each([
    ['URL', 'postgres://app:s3cret@db:5432/app', 'postgres://app:ordeal-secret:1;@db:5432/app'],
    ['DSN', 'app:s3cret@tcp(db:3306)/app', 'app:ordeal-secret:1;@tcp(db:3306)/app'],
    ['OPTS', 'host=db;password=s3cret;user=app', 'host=db;password=ordeal-secret:1;;user=app'],
    ['FEED', 'https://x/list?access_token=s3cret&page=2', 'https://x/list?access_token=ordeal-secret:1;&page=2'],
    ['HEADER', 'Authorization: Bearer s3cret', 'Authorization: Bearer ordeal-secret:1;'],
  ])('takes only the password out of %s=%s', (name, value, shown) => {
    const result = redact([pod({ [name]: value })])
    expect(JSON.stringify(result.objects)).toContain(shown)
    expect(redacted(pod({ [name]: value })).secrets).toEqual(['s3cret'])
  })

  it('takes credentials from arguments, ConfigMaps and probes', () => {
    const { shown, secrets } = redacted(
      pod({}, { args: ['--user', 'app', '--password', 'hush-one', '--token=hush-two', '-v'] }),
      object('ConfigMap', { data: { 'app.conf': 'user = app\npassword = "hush-three"\n', API_KEY: 'hush-four' } }),
      pod({}, { livenessProbe: { httpGet: { httpHeaders: [{ name: 'X-Auth-Token', value: 'hush-five' }] } } }),
    )
    expect(secrets).toEqual(['hush-one', 'hush-two', 'hush-three', 'hush-four', 'hush-five'])
    expect(shown).not.toContain('hush')
    expect(shown).toContain('user = app')
  })

  it.each([
    ['rotate ghp_Aq7Bz9Cx1Dv3Ew5Fy7Gu9Ht2Ij4Kl6Mn8Op soon', 'rotate ordeal-secret:1; soon'],
    ['https://ghp_Aq7Bz9Cx1Dv3Ew5Fy7Gu9Ht2Ij4@git/x', 'https://ordeal-secret:1;@git/x'],
    ['https://hooks/T1/Xk29Qp47Lm81Zt63Wn05Rb', 'https://hooks/T1/ordeal-secret:1;'],
  ])('takes what has the shape of a token out of a longer text: %s', (note, shown) => {
    const annotated = { ...pod({}), metadata: { name: 'x', annotations: { note } } }
    expect(JSON.stringify(redact([annotated]).objects)).toContain(shown)
    redacted(annotated)
  })

  it.each([
    'nginx@sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
    'see https://example.com/docs/how-to-run-the-checkout-service-2 for more',
    'Basic checks are made by the team',
  ])('leaves %j as it is', (note) => {
    expect(redacted({ ...pod({}), metadata: { name: 'x', annotations: { note } } }).secrets).toEqual([])
  })

  it('takes a field of a custom resource that is called as credentials are, but not what refers to one', () => {
    const own = object('Backup', {
      spec: { auth: { password: 'hush-six' }, secretName: 'keys', tokenSecretRef: 'keys' },
    })
    expect(redacted(own).secrets).toEqual(['hush-six'])
  })

  it('takes copies that are encoded', () => {
    const secret = object('Secret', { data: { a: base64('moonflower') } })
    const told = {
      ...pod({}),
      metadata: { name: 'x', annotations: { plain: 'moonflower', twice: base64('moonflower') } },
    }
    expect(redacted(secret, told).shown).not.toContain('moonflower')
  })

  it('takes copies in free text, but leaves an image that happens to have the name', () => {
    const secret = pod({ DB_PASSWORD: 'postgres' })
    const annotated = { ...secret, metadata: { name: 'x', annotations: { last: JSON.stringify(secret) } } }
    const { shown } = redacted(annotated)
    expect(shown).toContain('"image":"postgres:16"')
    expect(shown).not.toMatch(/DB_PASSWORD\W+value\W+postgres/)
  })

  it('gives equal values one reference, so that they can still be seen to be equal', () => {
    expect(redacted(pod({ A_TOKEN: 'same', B_TOKEN: 'same', C_TOKEN: 'other' })).secrets).toEqual(['same', 'other'])
  })

  const text = fc.oneof(
    fc.string({ unit: 'grapheme' }),
    fc.constantFrom(
      'ordeal-secret:1',
      'x ordeal-secret:2; y',
      base64('ordeal-secret:1'),
      base64('ordeal-secret:1x'),
      'ordeal-secret:',
      'secret=ordeal',
      'password=a;b',
      'p://u:v@w',
      'ordeal-secret',
    ),
  )
  const word = fc.constantFrom('password', 'data', 'name', 'value', 'args', '--token', 'annotations', 'stringData', 'x')
  const { tree } = fc.letrec<{ tree: Json }>((tie) => ({
    tree: fc.oneof(
      { depthSize: 'small' },
      text,
      fc.integer(),
      fc.constant(null),
      fc.array(tie('tree'), { maxLength: 4 }),
      fc.dictionary(word, tie('tree'), { maxKeys: 4, noNullPrototype: true }),
    ),
  }))
  const anything = fc.array(
    fc.record({
      kind: fc.constantFrom('Secret', 'ConfigMap', 'Pod'),
      body: fc.dictionary(word, tree, { maxKeys: 4, noNullPrototype: true }),
    }),
    { maxLength: 4 },
  )

  it('is undone by restore, whatever the objects hold', () => {
    fc.assert(
      fc.property(anything, (list) => {
        const objects = list.map(({ kind, body }) => object(kind, body))
        const result = redact(objects)
        expect(restore(result.objects, result.secrets)).toEqual(objects)
      }),
      { numRuns: 500 },
    )
  })
})

describe('redactText', () => {
  const secrets = {
    'ordeal-secret:1': 'hunter2-rosebud',
    'ordeal-secret:2': base64('moon "flower"'),
    'ordeal-secret:3': 'abc',
  }

  it.each([
    ['as it is', 'login hunter2-rosebud failed'],
    ['as base64', `login ${base64('hunter2-rosebud')} failed`],
    ['decoded', 'login moon "flower" failed'],
    ['in JSON', `login ${JSON.stringify('moon "flower"').slice(1, -1)} failed`],
    ['in a URL', 'login moon%20%22flower%22 failed'],
  ])('masks a credential %s', (_, line) => {
    expect(redactText(line, secrets)).toBe('login •••• failed')
  })

  it('leaves text alone that holds none, and values too short to tell', () => {
    expect(redactText('abc ordeal-secret:1 hunter', secrets)).toBe('abc ordeal-secret:1 hunter')
  })

  it('masks each line of a key', () => {
    const key = '-----BEGIN PRIVATE KEY-----\nMIIEowIBAAKCAQEA1\nq2w3e4r5t6z7u8i9o\n-----END PRIVATE KEY-----\n'
    expect(redactText('  got q2w3e4r5t6z7u8i9o here', { 'ordeal-secret:1': key })).toBe('  got •••• here')
  })

  it('lets no value through that it knows', () => {
    fc.assert(
      fc.property(
        fc.array(fc.string({ minLength: 4 }), { minLength: 1, maxLength: 5 }),
        fc.string(),
        fc.string(),
        (values, a, b) => {
          const known = Object.fromEntries(values.map((v, i) => [`ordeal-secret:${i}`, v]))
          fc.pre(values.every((v) => !v.includes('•')))
          const [first = ''] = values
          expect(redactText(`${a}${first}${b}`, known).replaceAll('••••', '')).not.toBe(`${a}${first}${b}`)
        },
      ),
    )
  })
})

describe('conceal', () => {
  const secrets = { 'ordeal-secret:1': 'hunter2', 'ordeal-secret:2': 'hunter2-rosebud', 'ordeal-secret:3': 'ab' }

  it('takes known credentials out again, whole and within longer texts, the longest first', () => {
    const made = { a: 'hunter2-rosebud', b: ['x://u:hunter2-rosebud@db', 'hunter2'], c: 'ab', d: 'absent' }
    const shown = conceal(made, secrets)
    expect(shown).toEqual({
      a: 'ordeal-secret:2',
      b: ['x://u:ordeal-secret:2;@db', 'ordeal-secret:1'],
      c: 'ordeal-secret:3',
      d: 'absent',
    })
    expect(restore(shown, secrets)).toEqual(made)
  })
})

describe('secretsWithFiles', () => {
  const known = redact([pod({ DB_PASSWORD: 'hunter2-rosebud' })])
  const found = (file: string): string[] => Object.values(secretsWithFiles(known, [file])).slice(1)

  it.each([
    ['# the old one had password: orchid-1', ['orchid-1']],
    ['legacy:\n  adminPassword: lotus-2\n', ['lotus-2']],
    ['-----BEGIN PRIVATE KEY-----\nMIIEow\n-----END PRIVATE KEY-----', [expect.stringContaining('MIIEow')]],
  ])('finds what stands only in a file: %s', (file, values) => {
    expect(found(file)).toEqual(values)
  })

  it.each([
    'env:\n  - name: DB_PASSWORD\n    value: hunter2-rosebud',
    'password: {{ .Values.auth.password }}',
    'password:\n  valueFrom: somewhere-else',
    'image: postgres:16 # password: postgres',
  ])('finds nothing where nothing is hidden: %s', (file) => {
    expect(found(file)).toEqual([])
  })
})
