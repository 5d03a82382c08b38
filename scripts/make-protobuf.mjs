// Extracts the field numbers of Kubernetes' protobuf messages for the definitions that make-schemas.mjs wrote, since
// `kubectl create` sends its objects in that form.
//
//   node scripts/make-protobuf.mjs API-FOLDER APIMACHINERY-FOLDER
//
// The folders are the sources of the Go modules k8s.io/api and k8s.io/apimachinery (`go mod download -json`).
import { existsSync, readFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { root } from './packages.mjs'

const generated = join(root, 'libs/embedded-cluster/src/schema/generated')
const { kinds, definitions } = JSON.parse(readFileSync(join(generated, 'schemas.json'), 'utf8'))
const [api, apimachinery] = process.argv.slice(2)
if (!api || !apimachinery) throw new Error('usage: make-protobuf.mjs API-FOLDER APIMACHINERY-FOLDER')

const SCALARS = ['string', 'bytes', 'bool', 'int32', 'int64', 'double']
const FIELD = /^ {2}(optional|repeated) (\S+) (\w+) = (\d+);$/
const MAP = /^ {2}map<string, (\S+)> (\w+) = (\d+);$/

/** Where the message of a definition is: `core.v1.Pod` in k8s.io/api/core/v1, `meta.v1.Time` in apimachinery. */
function sourceOf(definition) {
  const folder = definition.split('.').slice(0, -1).join('/')
  const places = [join(api, folder), ...['apis', 'api', 'util'].map((part) => join(apimachinery, 'pkg', part, folder))]
  return places.map((place) => join(place, 'generated.proto')).find((file) => existsSync(file))
}

function nameOf(type, definition) {
  if (SCALARS.includes(type)) return type
  if (!type.startsWith('.')) return `${definition.split('.').slice(0, -1).join('.')}.${type}`
  return type.replace(/^\.k8s\.io\.(api|apimachinery\.pkg(\.apis|\.api|\.util)?)\./, '')
}

function messageOf(definition, file) {
  const name = definition.split('.').at(-1)
  const source = readFileSync(file, 'utf8')
  const start = source.indexOf(`\nmessage ${name} {\n`)
  if (start < 0) throw new Error(`no message ${name} in ${file}`)
  const fields = {}
  for (const line of source.slice(start, source.indexOf('\n}', start)).split('\n')) {
    const map = MAP.exec(line)
    const field = FIELD.exec(line)
    if (map) fields[map[3]] = [map[2], nameOf(map[1], definition), 'map']
    if (field) fields[field[4]] = fieldOf(field, definition)
  }
  return fields
}

/** A field that the JSON form does not have is embedded in its object there. */
function fieldOf([, label, type, name], definition) {
  const known = definitions[definition]?.properties?.[name] !== undefined
  const kind = label === 'repeated' ? 'list' : known || !definitions[definition]?.properties ? 'one' : 'embedded'
  return [name, nameOf(type, definition), kind]
}

const messages = {}
const open = [...Object.values(kinds), 'meta.v1.DeleteOptions'].filter((name) => sourceOf(name))
while (open.length) {
  const definition = open.pop()
  // A RawExtension is whatever its writer put there: nobody sends one by hand.
  if (messages[definition] || SCALARS.includes(definition) || definition === 'runtime.RawExtension') continue
  const file = sourceOf(definition)
  if (!file) throw new Error(`no source of ${definition}`)
  messages[definition] = messageOf(definition, file)
  open.push(...Object.values(messages[definition]).map(([, type]) => type))
}
const lines = Object.entries(messages)
  .sort(([a], [b]) => (a < b ? -1 : 1))
  .map(([name, fields]) => `${JSON.stringify(name)}:${JSON.stringify(fields)}`)
await writeFile(join(generated, 'protobuf.json'), `{\n${lines.join(',\n')}\n}\n`)
