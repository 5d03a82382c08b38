import { type Bundle, type Change, InputError, OrdealError, TerminalError } from '@ordeal/shared'
import { idOf, type KubernetesObject } from '../input/kubernetes-object.js'
import { type Project, type ProjectOptions, type SourcedObject } from '../input/project.js'
import { readProject } from '../input/read-project.js'
import { applyToObjects, wholeObject } from './apply-to-objects.js'
import { documentLandings } from './document-landing.js'
import { FileTree } from './file-tree.js'
import { helmLandings } from './helm-landing.js'
import { kustomizeLandings } from './kustomize-landing.js'
import { type Landing, type Situation } from './landing.js'
import { covers, differencesBetween, isSameJson } from './object-difference.js'
import { relatedTo } from './placement.js'

/** A bundle with changes in it. */
export interface Applied {
  readonly bundle: Bundle
  /**
   * The changes with the file that each landed in. What a creation or replacement brings is as the renderer gives it:
   * a Kustomization may add its labels, its prefix or its namespace.
   */
  readonly changes: Change[]
  /** What the changed files render to. */
  readonly objects: KubernetesObject[]
}

/** More ways than this to write one change down are not tried: each costs a rendering. */
const MAX_WAYS = 40

/**
 * Makes the changes in the user's own files, in the form of the project: in place where an object stands in its file,
 * as an entry or patch of the Kustomization given, as a value of the chart or a patch of what it renders. Lines that no
 * change names stay byte for byte. Each change is tried in one way after the other, the most natural first, until the
 * files render to exactly what it means; so what is delivered renders to what was tested, or nothing is.
 *
 * Values that a change brings must be the real ones; put credentials back first (`restore`). Throws InputError for an
 * object that is not there, and TerminalError `patch-failed` for a change for which no way was found.
 */
export async function applyChanges(
  bundle: Bundle,
  options: ProjectOptions,
  changes: readonly Change[],
): Promise<Applied> {
  let tree = FileTree.of(bundle)
  let project = await readProject(bundle, options)
  const landed: Change[] = []
  for (const change of changes) {
    const steps = stepsOf(change, entryOf(change, project))
    let file: string | null = null
    let made = change
    for (const step of steps) {
      const written = await write({ project, tree, change: step, entry: entryOf(step, project) }, options)
      file ??= written.change.file
      made = steps.length === 1 && step === change ? written.change : change
      tree = written.tree
      project = written.project
    }
    landed.push({ ...made, file })
  }
  return { bundle: tree.bundle(), changes: landed, objects: objectsOf(project) }
}

/** A rendered object that is replaced by one of its name differs in some fields: each is a change of its own. */
function stepsOf(change: Change, { object, origin }: SourcedObject): Change[] {
  const isRendered = origin !== undefined && origin.kind !== 'document'
  const next = change.kind === 'replace' && isRendered ? wholeObject(change) : null
  if (!next || idOf(next) !== idOf(object)) return [change]
  return differencesBetween(object, next).map((difference) => ({ ...change, kind: 'edit', ...difference }))
}

const objectsOf = (project: Project): KubernetesObject[] => project.objects.map((o) => o.object)

function entryOf(change: Change, project: Project): SourcedObject {
  if (change.kind === 'create') {
    const object = wholeObject(change)
    if (project.objects.some((o) => idOf(o.object) === idOf(object)))
      throw new InputError(`there is a ${idOf(object)} already`)
    return relatedTo(object, project.objects)
  }
  const found = project.objects.find((o) => idOf(o.object) === change.object)
  if (found) return found
  throw new InputError(`there is no ${change.object} to ${change.kind}`)
}

interface Written {
  readonly change: Change
  readonly tree: FileTree
  readonly project: Project
}

async function write(situation: Situation, options: ProjectOptions): Promise<Written> {
  const wanted = applyToObjects(objectsOf(situation.project), [situation.change])
  let likely: Written | null = null
  let [tried, reason] = [0, 'its form offers no way to write it']
  for (const landing of landingsOf(situation)) {
    if (tried++ >= MAX_WAYS) break
    const rendered = await render(landing, options)
    if (rendered instanceof Error) {
      reason = rendered.message
      continue
    }
    const change = asRendered(situation, wanted, objectsOf(rendered))
    if (!change) {
      reason = 'nothing that can be written there has that effect and no other'
      continue
    }
    const written = { change: { ...change, file: landing.file }, tree: landing.tree, project: rendered }
    if (change === situation.change) return written
    likely ??= written
  }
  if (likely) return likely
  throw refusal(situation, reason)
}

function refusal({ change, entry }: Situation, reason: string): TerminalError {
  const what = `${change.kind} ${change.object}${change.path}`
  return new TerminalError('patch-failed', `${entry.source.file}: cannot ${what} there: ${reason}`)
}

function landingsOf(situation: Situation): Iterable<Landing> {
  const { origin } = situation.entry
  if (origin?.kind === 'kustomize') return kustomizeLandings(situation, origin)
  return origin?.kind === 'helm' ? helmLandings(situation, origin.release) : documentLandings(situation)
}

/** The project that the files render to, or why they do not. */
async function render({ tree }: Landing, options: ProjectOptions): Promise<Project | Error> {
  try {
    return await readProject(tree.bundle(), options)
  } catch (error) {
    if (error instanceof OrdealError) return error
    throw error
  }
}

/**
 * The change, where `rendered` is exactly what it means; with the object that was rendered in it, where it brings one
 * object that a Kustomization added to; null where anything else differs.
 */
function asRendered(
  { change, project }: Situation,
  wanted: readonly KubernetesObject[],
  rendered: readonly KubernetesObject[],
): Change | null {
  const [strange, missing] = [lacking(rendered, wanted), lacking(wanted, rendered)]
  if (!strange.length && !missing.length) return change
  const [object] = strange
  const isOne = strange.length === 1 && missing.length === 1
  return object && isOne && isAddedTo(object, missing[0]) ? withRendered(change, object, project) : null
}

/** True where a Kustomization gave an object another name or namespace, or added to it, and changed nothing else. */
function isAddedTo(object: KubernetesObject, wanted: KubernetesObject | undefined): boolean {
  if (!wanted) return false
  const { name, namespace } = object.metadata
  return covers(object, {
    ...wanted,
    metadata: { ...wanted.metadata, name, ...(namespace === undefined ? {} : { namespace }) },
  })
}

function withRendered(change: Change, object: KubernetesObject, project: Project): Change | null {
  const isNew = !project.objects.some((o) => idOf(o.object) === idOf(object))
  if (change.kind === 'create') return isNew ? { ...change, object: idOf(object), after: object } : null
  const isIts = isNew || idOf(object) === change.object
  return change.kind === 'replace' && isIts ? { ...change, after: object } : null
}

/** Those of `some` that `others` hold nothing equal to. */
function lacking(some: readonly KubernetesObject[], others: readonly KubernetesObject[]): KubernetesObject[] {
  const known = new Map(others.map((o) => [idOf(o), o]))
  return some.filter((o) => !isSameJson(o, known.get(idOf(o))))
}
