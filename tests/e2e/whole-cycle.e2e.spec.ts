import { execFileSync } from 'node:child_process'
import { cpSync, readdirSync, watch } from 'node:fs'
import { chmod, mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { resultsSchema } from '@ordeal/shared'
import { ordeal, startOrdeal } from './ordeal.js'

const CYCLE_MS = 60_000
const EXAMPLE = 'examples/nginx'

/** Processes whose command line names the folder: what a run with its temporary data there left behind. */
const processesOf = (word: string): string[] =>
  execFileSync('ps', ['-eo', 'args'], { encoding: 'utf8' })
    .split('\n')
    .filter((line) => line.includes(word) && !line.startsWith('ps '))

const serverData = (dir: string): string[] => readdirSync(dir).filter((name) => name.startsWith('ordeal-'))

/** Resolves when the last server's data are gone. */
function untilGone(dir: string): Promise<void> {
  return new Promise((resolve) => {
    const look = (): void => {
      if (serverData(dir).length > 0) return
      watcher.close()
      resolve()
    }
    const watcher = watch(dir, look)
    look()
  })
}

describe('ordeal run on a bare Pod', () => {
  let root: string
  beforeEach(async () => {
    root = await mkdtemp(join(tmpdir(), 'ordeal-cycle-'))
    // Where this runs as root, Postgres runs as somebody else who must be able to write here.
    await chmod(root, 0o1777)
  })
  afterEach(() => rm(root, { recursive: true }))
  const state = (): string => join(root, 'state')

  it(
    'refutes it, improves it, and delivers everything that the contract names',
    async () => {
      const out = join(root, 'out')
      const { code, stdout, stderr } = await ordeal(['run', EXAMPLE, '--out', out], state())
      expect({ code, stderr }).toMatchObject({ code: 0 })
      expect(stdout).toMatch(/^IMPROVED {2}score \d/m)
      expect(stdout).toContain('This is a forecast')
      expect((await readdir(out)).sort()).toEqual([
        'artefacts',
        'changes.patch',
        'findings.sarif',
        'improved',
        'junit.xml',
        'report.html',
        'report.md',
        'results.json',
      ])
      const results = resultsSchema.parse(JSON.parse(await readFile(join(out, 'results.json'), 'utf8')))
      expect(results.runs.map((run) => run.verdict)).toEqual(['refuted', 'held'])
      expect(await readdir(join(out, 'artefacts'))).toEqual(expect.arrayContaining(['graph.json', 'r1-run.json']))
      cpSync(EXAMPLE, join(root, 'copy'), { recursive: true })
      const patch = ['apply', '--unsafe-paths', `--directory=${join(root, 'copy')}`, join(out, 'changes.patch')]
      execFileSync('git', patch, { cwd: '/' })
      execFileSync('diff', ['-r', join(root, 'copy'), join(out, 'improved')])
    },
    CYCLE_MS,
  )

  it(
    'with --json and --no-improve prints the results alone on stdout and exits with 2',
    async () => {
      const { code, stdout } = await ordeal(
        ['run', EXAMPLE, '--out', join(root, 'out'), '--json', '--no-improve'],
        state(),
      )
      expect(resultsSchema.parse(JSON.parse(stdout)).cycle.outcome).toBe('vulnerable')
      expect(code).toBe(2)
    },
    CYCLE_MS,
  )

  it(
    'on Ctrl-C cancels the cycle, exits with 130 and leaves no server behind',
    async () => {
      const running = startOrdeal(['run', EXAMPLE, '--out', join(root, 'out')], state(), { TMPDIR: root })
      await running.until(/Manifests read/)
      expect(processesOf(root)).not.toEqual([])
      running.child.kill('SIGINT')
      const { code, stderr } = await running.ended
      expect(stderr).toContain('cancelling')
      expect(code).toBe(130)
      expect(processesOf(root)).toEqual([])
      expect(serverData(root)).toEqual([])
    },
    CYCLE_MS,
  )

  it.each(['SIGTERM', 'SIGKILL'] as const)(
    'leaves no server and no data behind after %s',
    async (signal) => {
      const running = startOrdeal(['run', EXAMPLE, '--out', join(root, 'out')], state(), { TMPDIR: root })
      await running.until(/Manifests read/)
      expect(serverData(root)).toHaveLength(2)
      running.child.kill(signal)
      await running.ended
      // After a kill the servers' supervisors clean up by themselves: data go when their server is gone.
      await untilGone(root)
    },
    CYCLE_MS,
  )
})

describe('ordeal plan', () => {
  it('says what would be hit and checked', async () => {
    const root = await mkdtemp(join(tmpdir(), 'ordeal-plan-'))
    const { code, stdout } = await ordeal(['plan', EXAMPLE], root)
    expect(stdout).toMatch(/What would be hit\n {2}pod-kill on one pod of Pod\/web/)
    expect(stdout).toContain('Nothing was injected')
    expect(code).toBe(0)
    await rm(root, { recursive: true })
  })
})
