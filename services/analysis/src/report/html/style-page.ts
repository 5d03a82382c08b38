import { css } from '../markup.js'

/** The hero, the navigation and what sections are made of. */
export const PAGE = css`
  .hero {
    padding-block: 28px 20px;
  }
  .brand {
    font-weight: 700;
    letter-spacing: 0.02em;
  }
  .brand span {
    color: var(--muted);
    font-weight: 400;
    margin-left: 6px;
  }
  .top {
    display: flex;
    gap: 32px;
    justify-content: space-between;
    align-items: flex-start;
    margin-top: 24px;
  }
  .outcome {
    margin-bottom: 8px;
  }
  .outcome .badge {
    font-size: 14px;
    padding: 4px 12px;
    text-transform: uppercase;
    letter-spacing: 0.06em;
  }
  .headline {
    font-size: 19px;
    line-height: 1.4;
    margin-top: 8px;
    max-width: 34em;
  }
  .score {
    flex: 0 1 300px;
    text-align: right;
  }
  .numbers {
    font-size: 44px;
    font-weight: 700;
    line-height: 1.1;
    letter-spacing: -0.03em;
    font-variant-numeric: tabular-nums;
    white-space: nowrap;
  }
  .was,
  .arrow {
    color: var(--muted);
    font-weight: 500;
  }
  .arrow {
    margin: 0 8px;
  }
  .good .is {
    color: var(--good);
  }
  .bad .is {
    color: var(--bad);
  }
  .of {
    font-size: 16px;
    font-weight: 400;
    color: var(--muted);
    letter-spacing: 0;
    margin-left: 6px;
  }
  .formula {
    font-size: 12px;
    color: var(--muted);
    line-height: 1.4;
    margin-top: 6px;
  }
  .words {
    max-width: 72ch;
    margin: 0.5rem 0;
  }
  .caveat {
    margin-top: 20px;
    padding: 10px 14px;
    border-left: 4px solid var(--unknown);
    border-radius: 4px;
    background: var(--unknown-ground);
  }
  .cards {
    display: grid;
    grid-template-columns: repeat(3, 1fr);
    gap: 16px;
    margin-top: 20px;
  }
  .card,
  .panel,
  main > section > .scroll,
  .patch {
    background: var(--panel);
    border: 1px solid var(--edge);
    border-radius: 10px;
  }
  .card {
    padding: 16px 18px;
    border-top: 4px solid var(--edge);
  }
  .good .card {
    border-top-color: var(--good);
  }
  .bad .card {
    border-top-color: var(--bad);
  }
  .unknown .card {
    border-top-color: var(--unknown);
  }
  .card h2 {
    font-size: 15px;
    margin-bottom: 8px;
  }
  .facts {
    display: flex;
    flex-wrap: wrap;
    gap: 8px 32px;
    margin-top: 20px;
  }
  .facts dt {
    font-size: 12.5px;
    color: var(--muted);
  }
  .facts dd {
    margin: 0;
    max-width: 60em;
  }
  nav {
    position: sticky;
    top: 0;
    z-index: 2;
    background: var(--page);
    border-bottom: 1px solid var(--edge);
  }
  nav ul {
    display: flex;
    gap: 4px 20px;
    padding-block: 10px;
    list-style: none;
    overflow-x: auto;
  }
  nav li {
    margin: 0;
    white-space: nowrap;
  }
  nav a {
    text-decoration: none;
    font-size: 14px;
    color: var(--muted);
  }
  nav a:hover {
    color: var(--accent);
    text-decoration: underline;
  }
  main > section {
    padding-top: 36px;
  }
  main > section > p {
    max-width: 60em;
    margin-bottom: 12px;
  }
  .panel {
    padding: 16px 18px;
    margin-bottom: 16px;
  }
  .panel > h3:first-child,
  .panel > h4:first-child {
    margin-top: 0;
  }
  .columns {
    display: grid;
    grid-template-columns: repeat(auto-fit, minmax(min(100%, 420px), 1fr));
    gap: 24px;
  }
  .columns h3 {
    margin-top: 0;
  }
  .steps {
    margin-bottom: 12px;
  }
  .badge {
    display: inline-block;
    border-radius: 999px;
    padding: 1px 9px;
    font-size: 12.5px;
    font-weight: 600;
    white-space: nowrap;
  }
  .badge.good {
    background: var(--good-ground);
    color: var(--good);
  }
  .badge.bad {
    background: var(--bad-ground);
    color: var(--bad);
  }
  .badge.unknown {
    background: var(--unknown-ground);
    color: var(--unknown);
  }
  .badge.plain {
    background: var(--sunk);
    color: var(--muted);
  }
  footer {
    padding-block: 40px;
    color: var(--muted);
    font-size: 13px;
  }
`

/** Tables and the bars in them. */
export const TABLES = css`
  .scroll {
    overflow-x: auto;
  }
  table {
    border-collapse: collapse;
    width: 100%;
    font-variant-numeric: tabular-nums;
  }
  th,
  td {
    text-align: left;
    vertical-align: top;
    padding: 9px 12px;
    border-bottom: 1px solid var(--edge);
  }
  tr:last-child > * {
    border-bottom: 0;
  }
  thead th {
    font-size: 12.5px;
    color: var(--muted);
    font-weight: 600;
    white-space: nowrap;
  }
  tbody th {
    font-weight: 500;
    min-width: 190px;
  }
  td {
    min-width: 96px;
  }
  td ul {
    padding-left: 1.1em;
    font-size: 13.5px;
  }
  .meter {
    display: block;
    width: 100%;
    max-width: 180px;
    height: 6px;
    margin: 4px 0;
    border-radius: 3px;
  }
  .meter .rest {
    fill: var(--sunk);
  }
  .meter.good .part {
    fill: var(--ok);
  }
  .meter.bad .part {
    fill: var(--failed);
  }
`
