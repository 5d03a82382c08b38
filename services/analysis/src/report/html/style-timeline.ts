import { css } from '../markup.js'

/** Runs on their time axis. */
export const TIMELINE = css`
  .legend {
    display: flex;
    flex-wrap: wrap;
    gap: 4px 18px;
    list-style: none;
    padding: 0;
    margin-bottom: 12px;
    font-size: 13px;
    color: var(--muted);
  }
  .legend li {
    margin: 0;
  }
  .key {
    display: inline-block;
    width: 14px;
    height: 10px;
    border-radius: 2px;
    margin-right: 6px;
  }
  .key.pre {
    background: var(--pre);
    outline: 1px solid var(--edge);
  }
  .key.fault {
    background: var(--fault);
    outline: 1px solid var(--edge);
  }
  .key.post {
    background: var(--post);
    outline: 1px solid var(--edge);
  }
  .key.ok {
    background: var(--ok);
  }
  .key.failed {
    background: var(--failed);
  }
  .key.line {
    background: var(--line);
    height: 2px;
    margin-bottom: 3px;
  }
  .key.mark {
    background: var(--mark);
    width: 2px;
    margin-inline: 6px 10px;
  }
  summary {
    cursor: pointer;
  }
  .run > summary h3 {
    display: inline;
    margin: 0;
  }
  .timeline {
    margin-top: 14px;
  }
  .row {
    display: grid;
    grid-template-columns: 250px minmax(0, 1fr);
    gap: 0 16px;
    align-items: center;
  }
  .label {
    padding-block: 4px;
    font-size: 13.5px;
    line-height: 1.35;
  }
  .label strong {
    font-weight: 600;
  }
  .label .bad-text {
    color: var(--bad);
  }
  .chart {
    position: relative;
    align-self: stretch;
    display: flex;
    align-items: stretch;
  }
  .row.lane-row,
  .row.marks-row {
    border-top: 1px solid var(--edge);
  }
  .field {
    display: block;
    width: 100%;
    min-height: 100%;
  }
  .field .pre {
    fill: var(--pre);
  }
  .field .fault {
    fill: var(--fault);
  }
  .field .post {
    fill: var(--post);
  }
  .field path {
    vector-effect: non-scaling-stroke;
  }
  .grid {
    stroke: var(--grid);
    fill: none;
  }
  .ok {
    fill: var(--ok);
  }
  .failed {
    fill: var(--failed);
    stroke: var(--failed);
    stroke-width: 1.5px;
  }
  .line {
    stroke: var(--line);
    stroke-width: 1.5px;
    fill: none;
  }
  .limit {
    stroke: var(--muted);
    stroke-dasharray: 4 4;
    fill: none;
  }
  .mark {
    stroke: var(--mark);
    stroke-width: 2px;
    fill: none;
  }
  .row.head .chart {
    height: 40px;
  }
  .band {
    position: absolute;
    top: 0;
    bottom: 0;
    overflow: hidden;
    text-align: center;
    font-size: 12.5px;
    font-weight: 600;
    padding-top: 2px;
    white-space: nowrap;
  }
  .band small {
    font-size: 11.5px;
  }
  .band.pre {
    background: var(--pre);
  }
  .band.fault {
    background: var(--fault);
  }
  .band.post {
    background: var(--post);
  }
  .bar {
    position: absolute;
    top: 50%;
    height: 12px;
    margin-top: -6px;
    min-width: 6px;
    border-radius: 3px;
    background: var(--bar);
  }
  .bar.unproven {
    background: none;
    border: 2px dashed var(--bar);
  }
  .row.axis .chart {
    height: 22px;
  }
  .tick {
    position: absolute;
    top: 3px;
    transform: translateX(-50%);
    font-size: 11.5px;
    color: var(--muted);
    white-space: nowrap;
    font-variant-numeric: tabular-nums;
  }
  .events {
    margin-top: 10px;
    font-size: 13.5px;
  }
  .events ol {
    list-style: none;
    padding: 6px 0 0;
  }
  .events time {
    display: inline-block;
    min-width: 74px;
    color: var(--muted);
    font-variant-numeric: tabular-nums;
  }
`
