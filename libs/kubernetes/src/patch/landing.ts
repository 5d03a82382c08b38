import { type Change } from '@ordeal/shared'
import { type Project, type SourcedObject } from '../input/project.js'
import { type FileTree } from './file-tree.js'

/** One way to write a change down: the files with it, and the file in which it lands. */
export interface Landing {
  readonly tree: FileTree
  readonly file: string
}

/** A change to be written down in a project as read from `tree`. `entry` is the object that it is about, or is made beside. */
export interface Situation {
  readonly project: Project
  readonly tree: FileTree
  readonly change: Change
  readonly entry: SourcedObject
}
