/** What each message costs beside its text, in the chat format that most models share. */
const PER_MESSAGE = 4

let counter: Promise<(text: string) => number> | null = null

/** The tokenizer's table takes a tenth of a second to load: only when a model is asked. */
const loaded = (): Promise<(text: string) => number> =>
  (counter ??= import('gpt-tokenizer/encoding/o200k_base').then(
    // A user's text that looks like a special token is text.
    ({ countTokens }) =>
      (text) =>
        countTokens(text, { disallowedSpecial: new Set() }),
  ))

/** Tokens of messages by o200k_base: exact for the vendor's models that use it, within a tenth for most others. */
export async function countTokens(messages: readonly { readonly content: string }[]): Promise<number> {
  const count = await loaded()
  return messages.reduce((sum, { content }) => sum + PER_MESSAGE + count(content), 0)
}
