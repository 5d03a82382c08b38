import { readPatch } from './patch-lines.js'

const EDIT = `--- a/k8s/web.yaml
+++ b/k8s/web.yaml
@@ -3,3 +3,3 @@
 spec:
-  replicas: 1
+  replicas: 2
   selector:
`

describe('readPatch', () => {
  it('numbers the lines of both sides', () => {
    const [file] = readPatch(EDIT) ?? []
    expect(file?.path).toBe('k8s/web.yaml')
    expect(file?.lines.map((line) => [line.kind, line.old, line.new, line.text])).toEqual([
      ['hunk', null, null, '@@ -3,3 +3,3 @@'],
      ['same', 3, 3, 'spec:'],
      ['removed', 4, null, '  replicas: 1'],
      ['added', null, 4, '  replicas: 2'],
      ['same', 5, 5, '  selector:'],
    ])
  })

  it('tells new and deleted files', () => {
    const created = '--- /dev/null\n+++ b/pdb.yaml\n@@ -0,0 +1 @@\n+kind: PodDisruptionBudget\n'
    const gone = '--- a/pod.yaml\n+++ /dev/null\n@@ -1 +0,0 @@\n-kind: Pod\n'
    expect(readPatch(created + gone)?.map(({ path, kind }) => [path, kind])).toEqual([
      ['pdb.yaml', 'new'],
      ['pod.yaml', 'deleted'],
    ])
  })

  it('gives up on what is no diff', () => {
    expect(readPatch('hello')).toBeNull()
    expect(readPatch('@@ -1,5 +1,5 @@\n one line\n')).toBeNull()
  })
})
