import { type Results } from '@ordeal/shared'
import { APPROVAL_HEAD, approvalRows } from '../approval-words.js'
import { reproduceCommand } from '../facts.js'
import { count, duration, plural } from '../format.js'
import { html, type Printable } from '../markup.js'
import { type ReportInput } from '../report-input.js'
import { PROVENANCE_WORDS } from '../words.js'
import { badge, bullets, code, facts, table, type Section } from './parts.js'

type Agent = Results['agents'][number]

/** What the result rests on beyond what was measured. */
export function renderAssumptions({ results, assumptions }: ReportInput): Section | null {
  const cluster = results.cycle.cluster.assumptions.filter((each) => !assumptions.includes(each))
  if (assumptions.length + cluster.length === 0) return null
  return {
    id: 'assumptions',
    short: 'Assumptions',
    title: 'What was assumed',
    body: html`<div class="columns">
      ${
        assumptions.length > 0 &&
        html`<div>
          <h3>About the application and its users</h3>
          ${bullets(assumptions)}
        </div>`
      }
      ${
        cluster.length > 0 &&
        html`<div>
          <h3>About the cluster</h3>
          ${bullets(cluster)}
        </div>`
      }
    </div>`,
  }
}

/** Who answered which question, and where time and money went. */
export function renderProvenance({ results }: ReportInput): Section | null {
  const phases = Object.entries(results.timings.phases)
  const approvals = approvalRows(results)
  if (results.agents.length + phases.length + approvals.length === 0) return null
  return {
    id: 'provenance',
    short: 'Decisions',
    title: 'Who decided what, and how long it took',
    body: html`${results.agents.length > 0 && table('Decisions', ['Question', 'Answered by', 'Calls', 'Tokens in / out', 'Cost', 'Time'], results.agents.map(renderAgent))}
    ${approvals.length > 0 && table('What people decided', APPROVAL_HEAD, approvals)}
    ${facts(phases.map(([phase, ms]) => [phase, phaseWords(results, phase, ms)]))}`,
  }
}

const money = (usd: number): string => (usd === 0 ? '–' : `$${usd.toFixed(usd < 0.01 ? 4 : 2)}`)

const renderAgent = (agent: Agent): Printable[] => [
  agent.name,
  badge('plain', PROVENANCE_WORDS[agent.provenance]),
  count(agent.calls),
  agent.inputTokens + agent.outputTokens === 0 ? '–' : `${count(agent.inputTokens)} / ${count(agent.outputTokens)}`,
  money(agent.costUsd),
  duration(agent.ms),
]

function phaseWords({ cost }: Results, phase: string, ms: number): string {
  const spent = cost.phases[phase] ?? 0
  return spent > 0 ? `${duration(ms)}, ${money(spent)}` : duration(ms)
}

/** How to get the same results again. */
export function renderReproduction(input: ReportInput): Section {
  const { cycle, runs, summary } = input.results
  const hashes = [...new Set(runs.map((run) => run.hypothesisHash))]
  return {
    id: 'reproduce',
    short: 'Repeat',
    title: 'How to repeat it',
    body: html`<pre class="command"><code>${reproduceCommand(input)}</code></pre>
      <p>
        ${cycle.cluster.kind === 'embedded' ? 'On the embedded cluster the same seed and manifests give the same pods, times and samples.' : 'On a real cluster the plan is the same; times and samples vary as the cluster does.'}
      </p>
      ${facts([
        ['Seed', code(cycle.seed)],
        ['Cycle', code(cycle.id)],
        ...(hashes.length > 0 ? [['Hypothesis', hashes.map(code)] as const] : []),
        [
          'Manifests',
          `${plural(summary.manifests.length, 'file')}: ${summary.manifests.slice(0, 20).join(', ')}${summary.manifests.length > 20 ? ', …' : ''}`,
        ],
      ])}`,
  }
}
