import { type Pair, isMap } from 'yaml'
import { isMap as isJsonMap, type Json, type KubernetesObject, mapAt } from '../input/kubernetes-object.js'
import { keyText } from '../input/plain-value.js'
import {
  columnOf,
  commentsOf,
  contentEnd,
  type DocumentView,
  isFlow,
  isOnLaterLine,
  lineEnd,
  type MapPair,
  startOf,
  viewDocument,
} from './document-view.js'
import { printAfter, printDocument, printKey } from './print-yaml.js'
import { NotReconcilable, reconcile } from './reconcile.js'

/**
 * The document's text with another object in it. What both have in common stays as it is written; where a Pod becomes a
 * workload with a pod template, the Pod's own specification moves into it with its comments. Where neither works the
 * new object is printed below all comments of the old one.
 */
export function replaceObject(text: string, object: KubernetesObject): string {
  const attempts = [() => reconcile(intoTemplate(text, object), object), () => reconcile(text, object)]
  for (const attempt of attempts) {
    try {
      return attempt()
    } catch (error) {
      if (!(error instanceof NotReconcilable)) throw error
    }
  }
  return printAnew(text, object)
}

/** The text of a Pod with its specification moved into that of `object`'s pod template. */
function intoTemplate(text: string, object: KubernetesObject): string {
  const view = viewDocument(text)
  const spec = specPair(view)
  const isMove =
    isJsonMap(view.value) &&
    view.value.kind === 'Pod' &&
    Object.keys(mapAt(object, 'spec', 'template', 'spec')).length > 0
  if (!spec || !isMove) throw new NotReconcilable('no Pod whose specification could move')
  const start = lineEnd(text, startOf(spec.key))
  const end = lineEnd(text, contentEnd(text, spec.value))
  return text.slice(0, start) + templateAround(view, spec, text.slice(start, end), object) + text.slice(end)
}

/** `spec` of a document, where it is a map in block style below its key. */
function specPair(view: DocumentView): MapPair | null {
  const root = view.document.contents
  if (!isMap(root) || isFlow(root)) return null
  const pair = root.items.find((item: Pair) => keyText(item.key) === 'spec') as MapPair | undefined
  const isBlock = pair && isMap(pair.value) && !isFlow(pair.value) && isOnLaterLine(view.text, pair)
  return isBlock ? pair : null
}

/** The lines of the new `spec`, with `body` (the old one's lines, from its first line break on) at their place. */
function templateAround(view: DocumentView, spec: MapPair, body: string, object: KubernetesObject): string {
  const { style, text } = view
  const line = (level: number, key: string, value: Json): string => {
    const column = level * style.step
    return `${style.newline}${' '.repeat(column)}${printKey(key, style)}:${printAfter(':', { value }, column, style)}`
  }
  const shift = 3 * style.step - columnOf(text, startOf(spec.value ?? spec.key))
  const template = Object.entries(mapAt(object, 'spec', 'template')).map(([key, value]) => {
    return key === 'spec'
      ? `${style.newline}${' '.repeat(2 * style.step)}spec:${shifted(body, shift)}`
      : line(2, key, value)
  })
  const lines = Object.entries(mapAt(object, 'spec')).map(([key, value]) => {
    return key === 'template'
      ? `${style.newline}${' '.repeat(style.step)}template:${template.join('')}`
      : line(1, key, value)
  })
  return lines.join('')
}

const shifted = (body: string, columns: number): string =>
  body.replace(/\n(?=[^\r\n])/g, `\n${' '.repeat(Math.max(0, columns))}`)

function printAnew(text: string, object: KubernetesObject): string {
  const view = viewDocument(text)
  const head = /^\s*---.*\n/.exec(text)?.[0] ?? ''
  const comments = commentsOf(view.document).map((comment) => `#${comment}${view.style.newline}`)
  return head + comments.join('') + printDocument(object, view.style)
}
