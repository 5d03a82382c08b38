import { css, html } from '../markup.js'
import { COLOURS, TEXT } from './style-base.js'
import { CHANGES } from './style-changes.js'
import { PAGE, TABLES } from './style-page.js'
import { TIMELINE } from './style-timeline.js'

const NARROW_AND_PAPER = css`
  @media (max-width: 820px) {
    header > .hero,
    nav ul,
    main,
    footer {
      padding-inline: 16px;
    }
    .top {
      flex-direction: column;
      gap: 16px;
    }
    .score {
      text-align: left;
      flex: none;
    }
    .cards,
    .beside {
      grid-template-columns: minmax(0, 1fr);
    }
    .row {
      grid-template-columns: minmax(0, 1fr);
    }
    .row.head .label,
    .row.axis .label {
      display: none;
    }
    .label {
      padding-top: 8px;
    }
    h1 {
      font-size: 27px;
    }
    .tick.minor {
      display: none;
    }
  }
  @media print {
    :root {
      --page: #fff;
    }
    body {
      font-size: 12px;
      print-color-adjust: exact;
      -webkit-print-color-adjust: exact;
    }
    nav,
    .skip {
      display: none;
    }
    details::details-content {
      content-visibility: visible;
      height: auto;
    }
    .card,
    .panel,
    tr,
    .row,
    .reason,
    .facts > div {
      break-inside: avoid;
    }
    .run {
      break-inside: auto;
    }
    .scroll {
      overflow: visible;
    }
    .patch .line {
      white-space: pre-wrap;
    }
    h2,
    h3,
    h4 {
      break-after: avoid;
    }
  }
`

/** The style sheet of the page, in the order in which rules may override each other. */
export const STYLES = html`${COLOURS}${TEXT}${PAGE}${TABLES}${TIMELINE}${CHANGES}${NARROW_AND_PAPER}`
