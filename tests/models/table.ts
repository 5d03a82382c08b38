import { type Cell } from './bench.js'

const SHORT = { resilient: 'res', improved: 'imp', vulnerable: 'vul', inconclusive: 'inc' } as Record<string, string>

/** `imp 3/13 41`: outcome, agents whose answer of the model was used of those asked, requests; `!` where it is weaker. */
function wordsOf({ ended, used, asked, requests, problems }: Cell): string {
  const outcome = ended.results?.cycle.outcome
  const what = outcome ? `${SHORT[outcome] ?? outcome} ${used}/${asked} ${requests}` : `exit ${ended.code}`
  return problems.length > 0 ? `!${what}` : what
}

const inColumns = (rows: readonly (readonly string[])[]): string => {
  const widths = (rows[0] ?? []).map((_, i) => Math.max(...rows.map((row) => row[i]?.length ?? 0)))
  return rows.map((row) => row.map((text, i) => text.padEnd(widths[i] ?? 0)).join('  ')).join('\n')
}

/** A row for each application, a column for each model, after that by rules alone. */
export function tableOf(
  floors: ReadonlyMap<string, string>,
  columns: ReadonlyMap<string, ReadonlyMap<string, Cell>>,
): string {
  const head = ['', 'by rules', ...columns.keys()]
  const rows = [...floors].map(([name, outcome]) => [
    name,
    SHORT[outcome] ?? outcome,
    ...[...columns.values()].map((cells) => {
      const cell = cells.get(name)
      return cell ? wordsOf(cell) : '–'
    }),
  ])
  const cells = [...columns.values()].flatMap((column) => [...column.values()])
  const weaker = cells.filter((cell) => cell.problems.length > 0).length
  return [
    inColumns([head, ...rows]),
    `${cells.length} cycles with a model: ${weaker} weaker than by rules, ${cells.reduce((sum, c) => sum + c.requests, 0)} requests`,
    'outcome, agents whose answer from the model was used / agents asked, requests; ! = weaker',
  ].join('\n')
}
