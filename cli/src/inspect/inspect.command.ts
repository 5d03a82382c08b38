import { findingsAsSarif } from '@ordeal/kubernetes'
import { EXIT, type ExitCode } from '../exit-code.js'
import { type Host } from '../host.js'
import { type Screen } from '../terminal/terminal.js'
import { drawGraph, pictureOf } from './draw-graph.js'
import { inspectPath, type Inspection, type View } from './inspection.js'
import { renderInspection } from './render-inspection.js'

/** The forms in which an inspection is printed. */
export const inspectionForms = ['text', 'json', 'sarif', 'dot', 'svg'] as const
export type InspectionForm = (typeof inspectionForms)[number]

export interface InspectOptions extends View {
  readonly paths: readonly string[]
  readonly form: InspectionForm
}

const FORMS: Record<InspectionForm, (inspection: Inspection, screen: Screen) => string | Promise<string>> = {
  text: renderInspection,
  json: (inspection) => `${JSON.stringify(inspection, null, 2)}\n`,
  sarif: ({ application, findings }) => findingsAsSarif(application, findings),
  dot: drawGraph,
  svg: (inspection) => pictureOf(drawGraph(inspection)),
}

/** `ordeal inspect`: what the manifests show by themselves, without a cluster. Throws InputError for what it cannot read. */
export async function inspect({ paths, form, ...view }: InspectOptions, { terminal }: Host): Promise<ExitCode> {
  const inspection = await inspectPath(paths, view)
  terminal.out.write(await FORMS[form](inspection, terminal.out))
  return EXIT.good
}
