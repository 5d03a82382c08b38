import { plural } from '../format.js'
import { html, type Markup } from '../markup.js'
import { type PatchFile, type PatchLine } from '../patch-lines.js'
import { badge } from './parts.js'

/** Lines shown of one file; the rest is in changes.patch. */
const SHOWN = 2000
const SIGN: Readonly<Record<PatchLine['kind'], string>> = { same: ' ', added: '+', removed: '-', hunk: '' }

/** One file of the diff with coloured lines; the signs stay, so that colour is not needed to read it. */
export function renderPatch({ path, kind, lines }: PatchFile): Markup {
  const left = lines.length - SHOWN
  return html`<figure class="patch">
    <figcaption>${path} ${kind !== 'edited' && badge('plain', kind)}</figcaption>
    <section class="scroll" aria-label="Diff of ${path}" tabindex="0">
      <table>
        ${lines.slice(0, SHOWN).map(renderLine)}
      </table>
    </section>
    ${left > 0 && html`<p class="muted">${plural(left, 'more line')} in changes.patch.</p>`}
  </figure>`
}

const renderLine = (line: PatchLine): Markup =>
  html` <tr class="${line.kind}">
    <td class="no">${line.old}</td>
    <td class="no">${line.new}</td>
    <td class="line">${SIGN[line.kind]}${line.text}</td>
  </tr>`
