import fc from 'fast-check'
import { type Bundle, type Change } from '@ordeal/shared'
import { stringify } from 'yaml'
import { formatPointer, valueAt } from '../input/json-pointer.js'
import { isMap, type Json, type JsonMap, type KubernetesObject } from '../input/kubernetes-object.js'
import { readPlainProject } from '../input/read-project.js'
import { applyChanges } from './apply-changes.js'

const OPTIONS = { subpath: null, profile: null, values: [] }

const name = fc.stringMatching(/^[a-z][a-z0-9]{0,8}$/)
const text = fc.oneof(
  fc.stringMatching(/^[ -~]{0,16}$/),
  fc.constantFrom('on', '0755', '# no comment', 'a: b', '---\n', 'two\nlines\n', '{{ x }}', 'ü', ''),
)
const leaf: fc.Arbitrary<Json> = fc.oneof(fc.integer(), fc.boolean(), text)
const { node } = fc.letrec<{ node: Json }>((tie) => ({
  node: fc.oneof(
    { depthSize: 'small' },
    leaf,
    fc.array(tie('node'), { minLength: 1, maxLength: 3 }),
    fc.dictionary(name, tie('node'), { minKeys: 1, maxKeys: 4, noNullPrototype: true }),
  ),
}))
const manifest = fc
  .record({
    kind: fc.constantFrom('Deployment', 'Service', 'ConfigMap', 'Widget'),
    name,
    spec: fc.dictionary(name, node, { minKeys: 1, maxKeys: 5, noNullPrototype: true }),
  })
  .map(({ kind, name: own, spec }): KubernetesObject => ({ apiVersion: 'v1', kind, metadata: { name: own }, spec }))
const file = fc.record({
  objects: fc.uniqueArray(manifest, {
    minLength: 1,
    maxLength: 4,
    selector: (o) => `${o.kind}/${o.metadata.name}`,
  }),
  indent: fc.constantFrom(2, 4),
  isFlow: fc.boolean(),
  isList: fc.boolean(),
  newline: fc.constantFrom('\n', '\r\n'),
  head: fc.constantFrom('', '\uFEFF', '---\n', '# of the team\n---\n'),
})

function printed({
  objects,
  indent,
  isFlow,
  isList,
  newline,
  head,
}: typeof file extends fc.Arbitrary<infer T> ? T : never): string {
  const print = (value: Json): string =>
    stringify(value, {
      version: '1.1',
      compat: 'core',
      lineWidth: 0,
      indent,
      ...(isFlow ? { collectionStyle: 'flow' } : {}),
    })
  const whole = isList
    ? print({ apiVersion: 'v1', kind: 'List', items: objects })
    : objects.map((o) => `# one\n${print(o)}`).join('---\n')
  return (head + whole).replaceAll('\n', newline)
}

/** Every leaf below `spec` of an object, as a path. */
function leaves(value: Json | undefined, path: readonly string[]): string[][] {
  if (isMap(value)) return Object.entries(value).flatMap(([key, item]) => leaves(item, [...path, key]))
  if (Array.isArray(value)) return value.flatMap((item, index) => leaves(item, [...path, String(index)]))
  return value === undefined ? [] : [[...path]]
}

describe('an edit of any leaf of any manifest', () => {
  it('changes that leaf alone, and no byte that is not its own', async () => {
    await fc.assert(
      fc.asyncProperty(file, fc.nat(), fc.nat(), async (given, pickObject, pickLeaf) => {
        const content = printed(given)
        const bundle: Bundle = { files: [{ path: 'all.yaml', content }] }
        const before = readPlainProject(bundle, OPTIONS).objects.map((o) => o.object)
        // The library itself prints some texts so that they read otherwise.
        fc.pre(JSON.stringify(before) === JSON.stringify(given.objects))
        const object = before[pickObject % before.length] as KubernetesObject
        const all = leaves(object.spec, ['spec'])
        fc.pre(all.length > 0)
        const path = all[pickLeaf % all.length] as string[]
        const after = 424_242
        const change: Change = {
          ...{ kind: 'edit', object: `${object.kind}/${object.metadata.name}`, path: formatPointer(path), after },
          ...{ file: null, reason: '', fixes: [] },
        }
        const applied = await applyChanges(bundle, OPTIONS, [change])
        const wanted = before.map((o) => (o === object ? withLeaf(o, path, after) : o))
        expect(applied.objects).toEqual(wanted)
        expect(outside(content, applied.bundle.files[0]?.content ?? '')).toBeLessThanOrEqual(
          JSON.stringify(valueAt(object, path)).length * 6 + 40,
        )
      }),
      { numRuns: 120 },
    )
  })
})

function withLeaf(object: KubernetesObject, path: readonly string[], after: Json): KubernetesObject {
  const copy = structuredClone(object)
  const parent = valueAt(copy, path.slice(0, -1)) as JsonMap
  parent[path.at(-1) ?? ''] = after
  return copy
}

/** How many characters of the old text stand between what both texts begin with and what both end with. */
function outside(before: string, after: string): number {
  const most = Math.min(before.length, after.length)
  let [head, tail] = [0, 0]
  while (head < most && before[head] === after[head]) head += 1
  while (tail < most - head && before.at(-1 - tail) === after.at(-1 - tail)) tail += 1
  return before.length - head - tail
}
