import { z } from 'zod'

/** A file of the input: a text, or bytes in base64. The path is relative to the input, with `/`. */
export type RenderFile =
  { readonly path: string; readonly text: string } | { readonly path: string; readonly base64: string }

/** A value as Helm's `--set`, `--set-string` or `--set-file` takes it; a file's path is relative to the input. */
export interface Setting {
  readonly how: 'set' | 'string' | 'file'
  readonly text: string
}

/** What to render; go/main.go reads it. */
export type RenderRequest = { readonly files: readonly RenderFile[] } & (
  | { readonly kustomize: { readonly folder: string } }
  | {
      readonly helm: {
        readonly chart: string
        readonly name: string
        readonly namespace: string
        /** Values files; the last wins. */
        readonly values: readonly string[]
        /** Win over all files. */
        readonly set: readonly Setting[]
        /** Folder within the chart whose kustomization is laid over what the chart gives; empty for none. */
        readonly postRender: string
      }
    }
)

/** Go writes an empty list as null. */
const list = <T extends z.ZodType>(item: T) =>
  z
    .array(item)
    .nullable()
    .transform((items) => items ?? [])

const renderedObject = z.object({
  object: z.unknown(),
  file: z.string(),
  generated: z.boolean(),
})

/** What the renderer answers: objects, or an error in the words of Kustomize or Helm. */
export const renderAnswerSchema = z.object({
  objects: list(renderedObject),
  skipped: list(
    z.object({
      kind: z.string(),
      name: z.string(),
      file: z.string(),
      what: z.enum(['hook', 'test', 'definition']),
    }),
  ),
  set: z.record(z.string(), z.json()).nullable(),
  error: z.string(),
})

/**
 * An object and where it is from: `file` is the manifest that was transformed, the kustomization whose generator made it
 * (`generated`), or the template.
 */
export type RenderedObject = z.infer<typeof renderedObject>
export type RenderAnswer = z.infer<typeof renderAnswerSchema>
