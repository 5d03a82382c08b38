import { type Container, type Pod } from '../controllers/objects.js'
import { pod, TestCluster } from '../engine-fixture.spec.js'
import { ContainerConfigError, environmentOf } from './environment.js'

const FACTS = { podIP: '10.244.0.2', hostIP: '10.0.0.11' }

function read(container: Record<string, unknown>): Record<string, string> {
  const cluster = new TestCluster()
  const object = (kind: string, name: string, data: object) =>
    cluster.apply({ apiVersion: 'v1', kind, metadata: { name }, data: { ...data } })
  object('ConfigMap', 'settings', { colour: 'blue', size: '3' })
  object('Secret', 'keys', { token: Buffer.from('s3cret').toString('base64') })
  const web = cluster.apply<Pod>(pod('web', { container }))
  const spec = web.spec.containers[0] as Container
  return Object.fromEntries(environmentOf(cluster.store, web, spec, FACTS))
}

describe('the environment of a container', () => {
  it('takes whole objects first, then single variables', () => {
    const envFrom = [{ prefix: 'SET_', configMapRef: { name: 'settings' } }, { secretRef: { name: 'keys' } }]
    expect(read({ envFrom, env: [{ name: 'SET_size', value: '4' }] })).toEqual({
      SET_colour: 'blue',
      SET_size: '4',
      token: 's3cret',
    })
  })

  it('reads keys and fields of the pod', () => {
    const from = (name: string, valueFrom: object) => ({ name, valueFrom })
    const field = (fieldPath: string) => ({ fieldRef: { fieldPath } })
    const env = [
      from('COLOUR', { configMapKeyRef: { name: 'settings', key: 'colour' } }),
      from('TOKEN', { secretKeyRef: { name: 'keys', key: 'token' } }),
      from('NONE', { secretKeyRef: { name: 'keys', key: 'other', optional: true } }),
      from('NAME', field('metadata.name')),
      from('APP', field("metadata.labels['app']")),
      from('IP', field('status.podIP')),
    ]
    expect(read({ env })).toEqual({ COLOUR: 'blue', TOKEN: 's3cret', NAME: 'web', APP: 'web', IP: '10.244.0.2' })
  })

  it('replaces references to earlier variables only', () => {
    const env = [
      { name: 'HOST', value: 'db' },
      { name: 'URL', value: 'http://$(HOST):$(PORT)/$$(HOST)' },
      { name: 'PORT', value: '80' },
    ]
    expect(read({ env }).URL).toBe('http://db:$(PORT)/$(HOST)')
  })

  it('cannot be made from what is not there', () => {
    const missing = (valueFrom: object) => () => read({ env: [{ name: 'X', valueFrom }] })
    const cases = [
      [{ configMapKeyRef: { name: 'nope', key: 'a' } }, 'configmap "nope" not found'],
      [{ secretKeyRef: { name: 'keys', key: 'a' } }, "couldn't find key a in Secret app/keys"],
    ] as const
    for (const [valueFrom, message] of cases) {
      expect(missing(valueFrom)).toThrow(ContainerConfigError)
      expect(missing(valueFrom)).toThrow(message)
    }
    expect(() => read({ envFrom: [{ secretRef: { name: 'nope' } }] })).toThrow('secret "nope" not found')
  })
})
