import {
  isMap,
  type Json,
  type JsonMap,
  type KubernetesObject,
  mapAt,
  mapsAt,
  textAt,
} from '../input/kubernetes-object.js'
import { containersOf, podSpecOf } from './pod-template.js'

/** A text that a workload gets from outside. `where` says where it stands, without its value, which may be secret. */
export interface Setting {
  readonly name: string
  readonly text: string
  readonly where: string
}

type Find = (kind: string, name: string | null) => KubernetesObject | undefined

/** Every text that configures a workload: env, commands and arguments, and the ConfigMaps and Secrets it reads. */
export function settingsOf(workload: KubernetesObject, byId: ReadonlyMap<string, KubernetesObject>): Setting[] {
  const find: Find = (kind, name) => byId.get(`${kind}/${name}`)
  const containers = [...containersOf(workload), ...mapsAt(podSpecOf(workload), 'initContainers')]
  return [...containers.flatMap((container) => containerSettings(container, find)), ...volumeSettings(workload, find)]
}

function containerSettings(container: JsonMap, find: Find): Setting[] {
  const of = `of container ${textAt(container, 'name') ?? '?'}`
  return [
    ...mapsAt(container, 'env').flatMap((entry) => envSetting(entry, of, find)),
    ...mapsAt(container, 'envFrom').flatMap((entry) => envFromSettings(entry, find)),
    ...argumentSettings(container, of),
  ]
}

function envSetting(entry: JsonMap, of: string, find: Find): Setting[] {
  const name = textAt(entry, 'name') ?? ''
  const text = textAt(entry, 'value') ?? referenced(entry, find)
  return text === null ? [] : [{ name, text, where: `env ${name} ${of}` }]
}

function referenced(entry: JsonMap, find: Find): string | null {
  const configMap = mapAt(entry, 'valueFrom', 'configMapKeyRef')
  const secret = mapAt(entry, 'valueFrom', 'secretKeyRef')
  const key = textAt(configMap, 'key') ?? textAt(secret, 'key') ?? ''
  return (
    dataOf(find('ConfigMap', textAt(configMap, 'name')))[key] ??
    dataOf(find('Secret', textAt(secret, 'name')))[key] ??
    null
  )
}

function envFromSettings(entry: JsonMap, find: Find): Setting[] {
  const sources = [
    find('ConfigMap', textAt(mapAt(entry, 'configMapRef'), 'name')),
    find('Secret', textAt(mapAt(entry, 'secretRef'), 'name')),
  ]
  return sources.flatMap((source) => dataSettings(source))
}

/** `--backend cart` and `--backend=cart` are settings named `--backend`. */
function argumentSettings(container: JsonMap, of: string): Setting[] {
  const words = [...texts(container.command), ...texts(container.args)]
  return words.map((word, index) => {
    const flag = /^(-[\w.-]+)=/.exec(word)?.[1]
    const before = words[index - 1] ?? ''
    return {
      name: flag ?? (before.startsWith('-') ? before : ''),
      text: word.slice(flag ? flag.length + 1 : 0),
      where: `an argument ${of}`,
    }
  })
}

const texts = (value: Json | undefined): string[] =>
  Array.isArray(value) ? value.filter((item) => typeof item === 'string') : []

function volumeSettings(workload: KubernetesObject, find: Find): Setting[] {
  return mapsAt(podSpecOf(workload), 'volumes')
    .flatMap((volume) => [volume, ...mapsAt(mapAt(volume, 'projected'), 'sources')])
    .flatMap((volume) => {
      const [configMap, secret] = [mapAt(volume, 'configMap'), mapAt(volume, 'secret')]
      const secretName = textAt(secret, 'secretName') ?? textAt(secret, 'name')
      return [find('ConfigMap', textAt(configMap, 'name')), find('Secret', secretName)].flatMap(dataSettings)
    })
}

const dataSettings = (source: KubernetesObject | undefined): Setting[] =>
  Object.entries(dataOf(source)).map(([name, text]) => ({
    name,
    text,
    where: `${name} of ${source?.kind}/${source?.metadata.name}`,
  }))

/** Keys and texts of a ConfigMap or a Secret; what is no text once decoded stays out by finding no host in it. */
function dataOf(source: KubernetesObject | undefined): Record<string, string> {
  if (!source) return {}
  const decode = (text: string): string => (source.kind === 'Secret' ? Buffer.from(text, 'base64').toString() : text)
  const entries = Object.entries(mapAt(source, 'data')).flatMap(([key, value]): [string, string][] =>
    typeof value === 'string' ? [[key, decode(value)]] : [],
  )
  const plain = isMap(source.stringData) ? Object.entries(source.stringData) : []
  return Object.fromEntries([...entries, ...plain.filter((e): e is [string, string] => typeof e[1] === 'string')])
}
