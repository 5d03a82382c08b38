import { posix } from 'node:path'
import { InputError } from '@ordeal/shared'
import { type ChartPart } from './part.js'
import { parseYamlFile, type TextFile } from './yaml-file.js'

type Explanation = [pattern: RegExp, message: (match: RegExpMatchArray) => string, remedy: string | null]

/** What Helm says when it is asked for what is not done here, or for what is not there; the first that fits. */
const EXPLANATIONS: Explanation[] = [
  [
    /lookup asks a running cluster/,
    () => '`lookup` asks a running cluster what is there, and no cluster is asked while a chart is rendered',
    'Give what `helm template --dry-run=server` makes of it, or a value that the template takes instead',
  ],
  [
    /missing in charts\/ directory: (.*)/,
    ([, names]) => `sub-charts that Chart.yaml names are not there: ${names}; they are not fetched`,
    'Run `helm dependency build`, which puts them into charts/, and try again',
  ],
  [/charts of apiVersion v3/, ([message]) => message, 'Use apiVersion v2'],
  [
    /type (\w+) cannot be installed/,
    ([, type]) => `a chart of type ${type} cannot be installed`,
    'Give the chart that uses it',
  ],
]

/** Where Helm's error is: in a template, with its line, else in the values file that it names. */
export function chartError(text: string, part: ChartPart, files: readonly TextFile[]): InputError {
  const place = templatePlace(text, part.chart) ?? valuesFault(text, part, files)
  if (place instanceof InputError) return place
  const home = place ?? part.place ?? posix.join(part.chart, 'Chart.yaml')
  for (const [pattern, message, remedy] of EXPLANATIONS) {
    const match = text.match(pattern)
    if (match) return new InputError(message(match), home, remedy)
  }
  return new InputError(plain(text), home)
}

/** `name/templates/a.yaml:7:14` → `CHART/templates/a.yaml:7`: the outermost template comes first. */
function templatePlace(text: string, chart: string): string | null {
  const match = /[\w.-]+\/((?:charts\/[^\s:()]+\/)?templates\/[^\s:()]+)(?::(\d+))?/.exec(text)
  if (!match?.[1]) return null
  const path = posix.join(chart, match[1])
  return match[2] ? `${path}:${match[2]}` : path
}

/** A values file that Helm cannot read has a fault that our own reading of it finds with its line. */
function valuesFault(text: string, part: ChartPart, files: readonly TextFile[]): InputError | null {
  const own = [...part.values, posix.join(part.chart, 'values.yaml'), posix.join(part.chart, 'Chart.yaml')]
  const named = files.filter((f) => own.includes(f.path) && text.includes(posix.basename(f.path)))
  for (const file of named) {
    try {
      parseYamlFile(file)
    } catch (error) {
      if (error instanceof InputError) return error
      throw error
    }
  }
  return null
}

/** Helm tells the whole way through its templates to an error; the end of that is the error. */
function plain(text: string): string {
  const end = text.split(/ at <[^>]*>: /).at(-1) ?? text
  return end
    .replace(/^(?:execution|parse) error at \([^)]*\):\s*/, '')
    .replace(/^YAML parse error on \S+: (?:error converting YAML to JSON: )?/, 'what it renders to is no YAML: ')
    .replace(/^(?:error calling \w+: )+/, '')
    .trim()
    .slice(0, 600)
}
