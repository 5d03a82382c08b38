import { artefactFiles } from './write-results.js'

const entry = (
  kind: string,
  revision: number | null,
  name: string | null = null,
): Parameters<typeof artefactFiles>[0][number] => ({
  id: `sha256:${kind}`,
  kind,
  name,
  revision,
})

describe('names of artefact files', () => {
  const named = (...entries: ReturnType<typeof entry>[]): string[] => [...artefactFiles(entries).values()]

  it('say kind, revision and what is special', () => {
    expect(
      named(entry('graph', null, 'graph'), entry('run', 1, 'run'), entry('agent-call', null, 'fault-scenario')),
    ).toEqual(['graph.json', 'r1-run.json', 'agent-call-fault-scenario.json'])
  })

  it('are numbered where they would be alike', () => {
    expect(named(entry('run', 0), entry('run', 0))).toEqual(['r0-run.json', 'r0-run-2.json'])
  })

  it('leave out what is delivered as a file of its own', () => {
    expect(named(entry('report', null, 'report.html'), entry('results', null))).toEqual([])
  })

  it('cannot lead out of the folder', () => {
    expect(named(entry('note', null, '../../etc/passwd'))).toEqual(['note-etc-passwd.json'])
  })
})
