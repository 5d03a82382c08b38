import { css } from '../markup.js'

/** The diff, the reasons beside it, and the picture of a cause. */
export const CHANGES = css`
  .beside {
    display: grid;
    grid-template-columns: minmax(0, 1.7fr) minmax(0, 1fr);
    gap: 16px;
    align-items: start;
    margin-bottom: 16px;
  }
  .patch {
    overflow: hidden;
  }
  .patch figcaption {
    padding: 8px 14px;
    font-weight: 600;
    font-size: 13.5px;
    border-bottom: 1px solid var(--edge);
    background: var(--sunk);
  }
  .patch table {
    font-size: 12.5px;
    line-height: 1.5;
  }
  .patch td {
    border: 0;
    padding: 0 8px;
    min-width: 0;
  }
  .patch .no {
    width: 1%;
    min-width: 36px;
    text-align: right;
    color: var(--muted);
    user-select: none;
  }
  .patch .line {
    white-space: pre;
    stroke: none;
  }
  .patch .added {
    background: var(--good-ground);
  }
  .patch .added .line {
    color: var(--good);
  }
  .patch .removed {
    background: var(--bad-ground);
  }
  .patch .removed .line {
    color: var(--bad);
  }
  .patch .hunk {
    background: var(--sunk);
    color: var(--muted);
  }
  .raw {
    font-size: 12.5px;
  }
  .reason {
    border-left: 3px solid var(--accent);
    padding: 2px 0 2px 12px;
    font-size: 14px;
  }
  .reason + .reason {
    margin-top: 14px;
  }
  .reason p + p {
    margin-top: 4px;
  }
  .values {
    font-size: 13.5px;
  }
  .values del {
    color: var(--bad);
  }
  .values ins {
    color: var(--good);
    text-decoration: none;
  }
  .path {
    list-style: none;
    padding: 0;
    display: flex;
    flex-wrap: wrap;
    gap: 8px 34px;
    margin: 12px 0;
  }
  .path li {
    position: relative;
    margin: 0;
    padding: 6px 14px;
    border: 1px solid var(--edge);
    border-radius: 8px;
    background: var(--sunk);
    font-weight: 600;
    text-align: center;
  }
  .path li:not(:last-child)::after {
    content: '→';
    position: absolute;
    right: -27px;
    top: 50%;
    transform: translateY(-50%);
    color: var(--muted);
    font-weight: 400;
  }
  .path .culprit {
    border: 2px solid var(--bad);
    background: var(--bad-ground);
  }
  .path .end,
  .path .origin {
    border-radius: 999px;
  }
`
