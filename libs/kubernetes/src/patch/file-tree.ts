import { type Bundle, InputError, TerminalError } from '@ordeal/shared'
import { type Json } from '../input/kubernetes-object.js'
import { parseYamlFile, type TextFile } from '../input/yaml-file.js'
import { NotReconcilable, reconcile } from './reconcile.js'
import { withDocument } from './source-text.js'

/** A document of a file; counting starts at 0. */
export interface DocumentPlace {
  readonly file: string
  readonly docIndex: number
}

type Entry = Bundle['files'][number]

/** The files of a bundle. It never changes: what changes a file gives a new tree, and files that stay are the same. */
export class FileTree {
  private constructor(private readonly files: ReadonlyMap<string, Entry>) {}

  static of(bundle: Bundle): FileTree {
    return new FileTree(new Map(bundle.files.map((file) => [file.path, file])))
  }

  /** In order of path. */
  bundle(): Bundle {
    return { files: [...this.files.values()].sort((a, b) => (a.path < b.path ? -1 : 1)) }
  }

  has(path: string): boolean {
    return this.files.has(path)
  }

  /** Throws InputError when it is not there. */
  file(path: string): TextFile {
    const file = this.files.get(path)
    if (!file) throw new InputError('the file is not there', path)
    return file
  }

  with(path: string, content: string): FileTree {
    return new FileTree(new Map([...this.files, [path, { path, content }]]))
  }

  without(path: string): FileTree {
    return new FileTree(new Map([...this.files].filter(([known]) => known !== path)))
  }

  /** What a document means; null for an empty one, and where there is none. */
  valueOf({ file, docIndex }: DocumentPlace): Json {
    return parseYamlFile(this.file(file)).documents[docIndex]?.value ?? null
  }

  /** With a document changed by `how`. Throws TerminalError `patch-failed` where it cannot be changed in place. */
  withChanged({ file, docIndex }: DocumentPlace, how: (text: string) => string): FileTree {
    try {
      return this.with(file, withDocument(this.file(file).content, docIndex, how))
    } catch (error) {
      if (!(error instanceof NotReconcilable)) throw error
      const message = `${file}: document ${docIndex + 1} cannot be changed in place: ${error.message}`
      throw new TerminalError('patch-failed', message, { cause: error })
    }
  }

  /** With a document that means `wanted`, and is otherwise written as it was. */
  withValue(place: DocumentPlace, wanted: Json): FileTree {
    return this.withChanged(place, (text) => reconcile(text, wanted))
  }
}

/** A path that no file has yet: `stem.yaml`, `stem-2.yaml`, … */
export function freePath(tree: FileTree, stem: string, extension: string): string {
  for (let n = 1; ; n++) {
    const path = `${stem}${n === 1 ? '' : `-${n}`}${extension}`
    if (!tree.has(path)) return path
  }
}
