import { relative } from 'node:path'
import { type StartCycleBody } from '@ordeal/gateway/contract'
import { coerceError, type CycleOptions, TerminalError, type Results } from '@ordeal/shared'
import { requireConsent } from '../cluster-scoped.js'
import { GatewayLostError } from '../errors.js'
import { EXIT, exitCodeOf, type ExitCode } from '../exit-code.js'
import { type Host } from '../host.js'
import { readInput } from '../input.js'
import { listenForInterrupts } from '../interrupts.js'
import { withGateway, type Gateway } from '../stack/with-gateway.js'
import { type GatewayClient } from '../stack/gateway-client.js'
import { removeRunState, stateFile, writeRunState } from '../stack/state-file.js'
import { type Screen } from '../terminal/terminal.js'
import { printable } from '../terminal/text.js'
import { ApprovalDesk } from './answer-approvals.js'
import { confirmInPlace } from './confirm-in-place.js'
import { followCycle, type Followed } from './follow-cycle.js'
import { OutputFolder } from './output-folder.js'
import { progressView, type ProgressView } from './progress-view.js'
import { renderSummary } from './summary.js'
import { writeResults } from './write-results.js'

export interface RunOptions {
  readonly paths: readonly string[]
  readonly cycle: CycleOptions
  readonly out: string
  readonly json: boolean
  readonly failOn: 'refuted' | null
}

/** One cycle on its way: what is asked for, where its results go, and the user's wish to stop. */
interface Walk {
  readonly body: StartCycleBody & { options: CycleOptions }
  readonly folder: OutputFolder
  readonly view: ProgressView
  readonly json: boolean
  readonly interrupt: AbortSignal
}

/**
 * `ordeal run`: reads and checks the input, uses running services or starts them, walks one cycle through the gateway,
 * writes its results. Everything that it started is stopped when it returns or throws.
 */
export async function run(options: RunOptions, host: Host): Promise<ExitCode> {
  const input = await readInput(options.paths, options.cycle)
  requireConsent(input.clusterScoped, options.cycle)
  const cycle = await confirmInPlace(options.cycle, host.terminal)
  return walkTo({ ...options, cycle }, { project: input.project, input: input.bundle, options: cycle }, host)
}

/** Walks a cycle whose request is known, and shows and writes what comes out. */
export async function walkTo(options: RunOptions, body: Walk['body'], host: Host): Promise<ExitCode> {
  const folder = await OutputFolder.open(options.out, ...options.paths)
  const { err } = host.terminal
  const interrupts = listenForInterrupts(err)
  const view = progressView(err, () => performance.now())
  const tellStop = (): void => view.show({ mark: 'step', text: 'stopping, as soon as what starts has started' })
  interrupts.signal.addEventListener('abort', tellStop, { once: true })
  try {
    // Whoever sees the first line may stop the command.
    err.write(titleOf(options, err))
    await folder.clear()
    const results = await withGateway(host.config, interrupts.signal, async (gateway) => {
      interrupts.signal.removeEventListener('abort', tellStop)
      return walk(gateway, { body, folder, view, json: options.json, interrupt: interrupts.signal }, host)
    })
    if (!results) return stoppedBefore(view, err)
    view.close()
    conclude(results, folder, options, host)
    return exitCodeOf(results, options.failOn)
  } catch (error) {
    if (!interrupts.signal.aborted) throw error
    view.close()
    err.write(`${coerceError(error).message}\n`)
    return EXIT.cancelled
  } finally {
    view.close()
    interrupts.release()
  }
}

function titleOf({ paths, cycle: { cluster, seed } }: RunOptions, screen: Screen): string {
  const where = cluster === 'embedded' ? 'the embedded cluster' : `cluster ${cluster}`
  return `${screen.style('bold', 'Ordeal')} · ${printable(paths.join(' '))} · ${where} · seed ${seed}\n`
}

function stoppedBefore(view: ProgressView, err: Screen): ExitCode {
  view.close()
  err.write('Stopped before the cycle began: nothing was touched.\n')
  return EXIT.cancelled
}

async function walk(gateway: Gateway, { body, folder, view, json, interrupt }: Walk, host: Host): Promise<Results> {
  const { client } = gateway
  const { config, terminal } = host
  const { id } = await client.start(body)
  // So that `ordeal approve` finds services of our own, too.
  const mayAsk = body.options.approve.length > 0
  if (mayAsk && !gateway.outlivesUs) await writeRunState(config.stateDir, id, gateway.address)
  const desk = new ApprovalDesk({ client, cycle: id, view, terminal, json })
  const { deadlineMs } = body.options
  const followed = await followCycle(client, id, view, { deadlineMs, interrupt, desk })
    .catch((error: unknown) => {
      throw error instanceof GatewayLostError
        ? withRemedy(error, id, gateway.outlivesUs ? config.stateDir : null)
        : error
    })
    .finally(() => removeRunState(config.stateDir, id))
  refuseUnfinished(followed, id)
  const results = await resultsOf(client, id)
  await writeResults(client, id, results, folder)
  return results
}

/** `stateDir`: of the \`ordeal up\` that keeps the cycle; null when it was kept nowhere else. */
function withRemedy(error: GatewayLostError, id: string, stateDir: string | null): GatewayLostError {
  if (stateDir === null)
    return new GatewayLostError(`${error.message}. Its data went with it: run the cycle again`, error)
  const file = stateFile(stateDir)
  return new GatewayLostError(
    [
      `${error.message}. Cycle ${id} is kept: start \`ordeal up\` again, and it goes on where it was or is closed`,
      'truthfully; its faults end by themselves meanwhile. Then follow it with:',
      `\n  curl -N -H "Authorization: Bearer $(jq -r .apiKey ${file})" "$(jq -r .url ${file})/v1/cycles/${id}/events"`,
      `\nand fetch its results from /v1/cycles/${id}/results`,
    ].join(' '),
    error,
  )
}

function refuseUnfinished(followed: Followed, id: string): void {
  if (followed === 'overdue') throw new TerminalError('overdue', `cycle ${id} did not end at its deadline`)
  if (followed === 'not-cleaned-up') {
    throw new TerminalError('not-cleaned-up', `cycle ${id} was cancelled, but its clean-up did not end in time`)
  }
}

/** A cycle that failed early leaves no results; then its problem is the message. */
async function resultsOf(client: GatewayClient, id: string): Promise<Results> {
  try {
    return await client.results(id)
  } catch (error) {
    const cycle = await client.cycle(id)
    throw new TerminalError('no-results', `cycle ${id}: ${cycle.problem ?? cycle.outcome ?? cycle.status}`, {
      cause: error,
    })
  }
}

function conclude(results: Results, folder: OutputFolder, options: RunOptions, { terminal }: Host): void {
  const near = relative('', folder.dir) || '.'
  const shown = near.startsWith('..') ? folder.dir : near
  const patched = results.revisions.some((revision) => revision.kept && revision.number > 0)
  const files = [
    `${shown}/report.html`,
    ...(patched ? [`${shown}/changes.patch`, `${shown}/improved/`] : []),
    `${shown}/results.json`,
  ]
  const screen = options.json ? terminal.err : terminal.out
  screen.write(renderSummary(results, files, screen))
  if (options.json) terminal.out.write(`${JSON.stringify(results, null, 2)}\n`)
}
