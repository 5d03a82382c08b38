import { posix } from 'node:path'
import { type RenderAnswer, Renderer, type RenderFile } from '@ordeal/renderer'
import { InputError } from '@ordeal/shared'
import { chartError } from './chart-errors.js'
import { kustomizeError } from './kustomize-errors.js'
import { textsAt } from './kubernetes-object.js'
import { type ChartPart, type KustomizePart } from './part.js'
import { type HelmRelease, type SourcedObject } from './project.js'
import { chartObjects, kustomizeObjects } from './rendered-objects.js'
import { parseYamlFile, type TextFile } from './yaml-file.js'

/** Starts nothing until it is asked, and keeps no process alive. */
const renderer = new Renderer()

/** What a part gave, and what is to be said of it. */
export interface Rendered {
  readonly objects: readonly SourcedObject[]
  readonly notes: readonly string[]
}

/** Builds a Kustomize folder. Throws InputError with the file that is at fault, where Kustomize tells. */
export async function renderKustomization(part: KustomizePart, files: readonly TextFile[]): Promise<Rendered> {
  const folder = posix.dirname(part.file)
  const answer = await rendered(part.file, () =>
    renderer.render({ files: files.map(toRenderFile), kustomize: { folder } }),
  )
  if (answer.error) throw kustomizeError(answer.error, part.file, files)
  return { objects: kustomizeObjects(answer.objects, part.file, files), notes: [] }
}

/** Renders a Helm chart as `helm install` would. Throws InputError with the template at fault, where Helm tells. */
export async function renderChart(part: ChartPart, files: readonly TextFile[]): Promise<Rendered> {
  const { chart, name, namespace, values, set } = part
  const manifest = posix.join(chart, 'Chart.yaml')
  const all = [...files, ...part.extra].filter((file) => isNeeded(file, part))
  const postRender = isPostRendered(files, chart) ? POST_RENDER : ''
  const answer = await rendered(part.place ?? manifest, () =>
    renderer.render({ files: all.map(toRenderFile), helm: { chart, name, namespace, values, set, postRender } }),
  )
  if (answer.error) throw chartError(answer.error, part, files)
  const release: HelmRelease = {
    chart,
    name,
    namespace,
    values: values.filter((path) => files.some((f) => f.path === path)),
    set: answer.set ?? {},
  }
  return { objects: chartObjects(answer.objects, release, files), notes: answer.skipped.map(noteOf) }
}

/** What a user asks for takes too long or too much: the place belongs to it. */
async function rendered(place: string, render: () => Promise<RenderAnswer>): Promise<RenderAnswer> {
  try {
    return await render()
  } catch (error) {
    if (!(error instanceof InputError)) throw error
    throw new InputError(error.message, place, 'Render it yourself and give the result')
  }
}

const toRenderFile = ({ path, content, encoding }: TextFile): RenderFile =>
  encoding ? { path, base64: content } : { path, text: content }

/** A chart sees its own folder, and the files that are named to it. */
const isNeeded = ({ path }: TextFile, { chart, values, set }: ChartPart): boolean =>
  chart === '.' ||
  path.startsWith(`${chart}/`) ||
  values.includes(path) ||
  set.some((s) => s.how === 'file' && s.text.endsWith(`=${path}`))

/**
 * The folder within a chart whose kustomization is laid over what the chart gives: what no value can say is said there.
 * By hand: helm template NAME . > post-render/rendered.yaml && kubectl apply -k post-render
 */
const POST_RENDER = 'post-render'
const RENDERED = 'rendered.yaml'

function isPostRendered(files: readonly TextFile[], chart: string): boolean {
  const folder = posix.join(chart, POST_RENDER)
  const file = files.find((f) => f.path === posix.join(folder, 'kustomization.yaml'))
  if (!file || files.some((f) => f.path === posix.join(folder, RENDERED))) return false
  return textsAt(parseYamlFile(file).documents[0]?.value, 'resources').includes(RENDERED)
}

const WHY = {
  hook: 'is a hook of the chart: it is not run, and not part of what is tested',
  test: 'is a test of the chart: it is not part of what is tested',
  definition: 'defines custom resources: the cluster must have them; it is not installed',
} as const

const noteOf = ({ kind, name, file, what }: RenderAnswer['skipped'][number]): string =>
  `${what === 'definition' ? file : `${kind}/${name} (${file})`} ${WHY[what]}`
