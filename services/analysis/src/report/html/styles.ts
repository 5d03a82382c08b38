import { html } from '../markup.js'

/** Colours by what they mean. Dark is for screens only: paper stays white. */
const COLOURS = html` :root { color-scheme: light dark; --page: #f5f6f8; --panel: #ffffff; --sunk: #f1f3f6; --text:
#1a2130; --muted: #5a6478; --edge: #dfe3ea; --accent: #3d4fc4; --good: #157347; --good-ground: #e2f4e9; --bad: #b4232c;
--bad-ground: #fde8e8; --unknown: #8a5a00; --unknown-ground: #fdf1d7; --pre: #eef0f4; --fault: #fbe3df; --post: #e6effa;
--grid: #1a213018; --ok: #35a46b; --failed: #d3303b; --line: #3d4fc4; --mark: #8a3ec0; --bar: #d9633a; } @media screen
and (prefers-color-scheme: dark) { :root { --page: #0f131b; --panel: #171d28; --sunk: #1f2734; --text: #e7eaf1; --muted:
#a0aabd; --edge: #2c3646; --accent: #9aa8ff; --good: #6fd49d; --good-ground: #133325; --bad: #ff9393; --bad-ground:
#431c21; --unknown: #f0c46c; --unknown-ground: #3a2d12; --pre: #1f2632; --fault: #3b2227; --post: #1b2a3f; --grid:
#ffffff16; --ok: #3fae75; --failed: #f0525c; --line: #9aa8ff; --mark: #cf97f5; --bar: #e88356; } }`

const TEXT = html` * { box-sizing: border-box; } html { scroll-behavior: smooth; scroll-padding-top: 56px;
-webkit-text-size-adjust: 100%; } body { margin: 0; background: var(--page); color: var(--text); font: 15px/1.55
system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", sans-serif; overflow-wrap: break-word; } header > .hero,
nav, main, footer { max-width: 1120px; margin-inline: auto; padding-inline: 24px; } h1, h2, h3, h4, p, ul, ol, dl,
figure { margin: 0; } h1 { font-size: 32px; line-height: 1.2; letter-spacing: -0.02em; } h2 { font-size: 21px;
letter-spacing: -0.01em; margin-bottom: 12px; } h3 { font-size: 16px; margin: 20px 0 8px; } h4 { font-size: 14px;
margin: 18px 0 8px; } p + p, p + ul, ul + p { margin-top: 8px; } ul, ol { padding-left: 1.25em; } li + li { margin-top:
4px; } a { color: var(--accent); } small { display: block; color: var(--muted); font-size: 12.5px; font-weight: 400;
line-height: 1.4; } code, pre, .patch table { font-family: ui-monospace, SFMono-Regular, Menlo, Consolas, "DejaVu Sans
Mono", monospace; font-size: 0.88em; } code { background: var(--sunk); border-radius: 4px; padding: 1px 4px;
overflow-wrap: anywhere; } pre { margin: 0 0 12px; padding: 12px 16px; background: var(--sunk); border: 1px solid
var(--edge); border-radius: 8px; overflow-x: auto; } pre code { background: none; padding: 0; font-size: 14px; } .muted
{ color: var(--muted); } .good-text { color: var(--good); } .bad-text { color: var(--bad); } .spoken { position:
absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); } .skip { position: absolute; left: -999px;
} .skip:focus { left: 8px; top: 8px; background: var(--panel); padding: 8px; z-index: 3; } :focus-visible { outline: 2px
solid var(--accent); outline-offset: 2px; }`

const PAGE = html` .hero { padding-block: 28px 20px; } .brand { font-weight: 700; letter-spacing: 0.02em; } .brand span
{ color: var(--muted); font-weight: 400; margin-left: 6px; } .top { display: flex; gap: 32px; justify-content:
space-between; align-items: flex-start; margin-top: 24px; } .outcome { margin-bottom: 8px; } .outcome .badge {
font-size: 14px; padding: 4px 12px; text-transform: uppercase; letter-spacing: 0.06em; } .headline { font-size: 19px;
line-height: 1.4; margin-top: 8px; max-width: 34em; } .score { flex: 0 1 300px; text-align: right; } .numbers {
font-size: 44px; font-weight: 700; line-height: 1.1; letter-spacing: -0.03em; font-variant-numeric: tabular-nums;
white-space: nowrap; } .was, .arrow { color: var(--muted); font-weight: 500; } .arrow { margin: 0 8px; } .good .is {
color: var(--good); } .bad .is { color: var(--bad); } .of { font-size: 16px; font-weight: 400; color: var(--muted);
letter-spacing: 0; margin-left: 6px; } .formula { font-size: 12px; color: var(--muted); line-height: 1.4; margin-top:
6px; } .caveat { margin-top: 20px; padding: 10px 14px; border-left: 4px solid var(--unknown); border-radius: 4px;
background: var(--unknown-ground); } .cards { display: grid; grid-template-columns: repeat(3, 1fr); gap: 16px;
margin-top: 20px; } .card, .panel, main > section > .scroll, .patch { background: var(--panel); border: 1px solid
var(--edge); border-radius: 10px; } .card { padding: 16px 18px; border-top: 4px solid var(--edge); } .good .card {
border-top-color: var(--good); } .bad .card { border-top-color: var(--bad); } .unknown .card { border-top-color:
var(--unknown); } .card h2 { font-size: 15px; margin-bottom: 8px; } .facts { display: flex; flex-wrap: wrap; gap: 8px
32px; margin-top: 20px; } .facts dt { font-size: 12.5px; color: var(--muted); } .facts dd { margin: 0; max-width: 60em;
} nav { position: sticky; top: 0; z-index: 2; background: var(--page); border-bottom: 1px solid var(--edge); } nav ul {
display: flex; gap: 4px 20px; padding: 10px 0; list-style: none; overflow-x: auto; } nav li { margin: 0; white-space:
nowrap; } nav a { text-decoration: none; font-size: 14px; color: var(--muted); } nav a:hover { color: var(--accent);
text-decoration: underline; } main > section { padding-top: 36px; } main > section > p { max-width: 60em; margin-bottom:
12px; } .panel { padding: 16px 18px; margin-bottom: 16px; } .panel > h3:first-child, .panel > h4:first-child {
margin-top: 0; } .columns { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 420px), 1fr)); gap:
24px; } .columns h3 { margin-top: 0; } .steps { margin-bottom: 12px; } .badge { display: inline-block; border-radius:
999px; padding: 1px 9px; font-size: 12.5px; font-weight: 600; white-space: nowrap; } .badge.good { background:
var(--good-ground); color: var(--good); } .badge.bad { background: var(--bad-ground); color: var(--bad); }
.badge.unknown { background: var(--unknown-ground); color: var(--unknown); } .badge.plain { background: var(--sunk);
color: var(--muted); } footer { padding-block: 40px; color: var(--muted); font-size: 13px; }`

const TABLES = html` .scroll { overflow-x: auto; } table { border-collapse: collapse; width: 100%; font-variant-numeric:
tabular-nums; } th, td { text-align: left; vertical-align: top; padding: 9px 12px; border-bottom: 1px solid var(--edge);
} tr:last-child > * { border-bottom: 0; } thead th { font-size: 12.5px; color: var(--muted); font-weight: 600;
white-space: nowrap; } tbody th { font-weight: 500; min-width: 190px; } td { min-width: 96px; } td ul { padding-left:
1.1em; font-size: 13.5px; } .meter { display: block; width: 100%; max-width: 180px; height: 6px; margin: 4px 0;
border-radius: 3px; } .meter .rest { fill: var(--sunk); } .meter.good .part { fill: var(--ok); } .meter.bad .part {
fill: var(--failed); }`

const TIMELINE = html` .legend { display: flex; flex-wrap: wrap; gap: 4px 18px; list-style: none; padding: 0;
margin-bottom: 12px; font-size: 13px; color: var(--muted); } .legend li { margin: 0; } .key { display: inline-block;
width: 14px; height: 10px; border-radius: 2px; margin-right: 6px; } .key.pre { background: var(--pre); outline: 1px
solid var(--edge); } .key.fault { background: var(--fault); outline: 1px solid var(--edge); } .key.post { background:
var(--post); outline: 1px solid var(--edge); } .key.ok { background: var(--ok); } .key.failed { background:
var(--failed); } .key.line { background: var(--line); height: 2px; margin-bottom: 3px; } .key.mark { background:
var(--mark); width: 2px; margin-inline: 6px 10px; } summary { cursor: pointer; } .run > summary h3 { display: inline;
margin: 0; } .timeline { margin-top: 14px; } .row { display: grid; grid-template-columns: 250px minmax(0, 1fr); gap: 0
16px; align-items: center; } .label { padding-block: 4px; font-size: 13.5px; line-height: 1.35; } .label strong {
font-weight: 600; } .label .bad-text { color: var(--bad); } .chart { position: relative; align-self: stretch; display:
flex; align-items: stretch; } .row.lane-row, .row.marks-row { border-top: 1px solid var(--edge); } .field { display:
block; width: 100%; min-height: 100%; } .field .pre { fill: var(--pre); } .field .fault { fill: var(--fault); } .field
.post { fill: var(--post); } .field path { vector-effect: non-scaling-stroke; } .grid { stroke: var(--grid); fill: none;
} .ok { fill: var(--ok); } .failed { fill: var(--failed); stroke: var(--failed); stroke-width: 1.5px; } .line { stroke:
var(--line); stroke-width: 1.5px; fill: none; } .limit { stroke: var(--muted); stroke-dasharray: 4 4; fill: none; }
.mark { stroke: var(--mark); stroke-width: 2px; fill: none; } .extent { position: absolute; right: 4px; top: 1px;
font-size: 11px; color: var(--muted); background: color-mix(in srgb, var(--panel) 70%, transparent); border-radius: 3px;
padding: 0 3px; } .row.head .chart { height: 40px; } .band { position: absolute; top: 0; bottom: 0; overflow: hidden;
text-align: center; font-size: 12.5px; font-weight: 600; padding-top: 2px; white-space: nowrap; } .band small {
font-size: 11.5px; } .band.pre { background: var(--pre); } .band.fault { background: var(--fault); } .band.post {
background: var(--post); } .bar { position: absolute; top: 50%; height: 12px; margin-top: -6px; min-width: 6px;
border-radius: 3px; background: var(--bar); } .bar.unproven { background: none; border: 2px dashed var(--bar); }
.row.axis .chart { height: 22px; } .tick { position: absolute; top: 3px; transform: translateX(-50%); font-size: 11.5px;
color: var(--muted); white-space: nowrap; font-variant-numeric: tabular-nums; } .events { margin-top: 10px; font-size:
13.5px; } .events ol { list-style: none; padding: 6px 0 0; } .events time { display: inline-block; min-width: 74px;
color: var(--muted); font-variant-numeric: tabular-nums; }`

const CHANGES = html` .beside { display: grid; grid-template-columns: minmax(0, 1.7fr) minmax(0, 1fr); gap: 16px;
align-items: start; margin-bottom: 16px; } .patch { overflow: hidden; } .patch figcaption { padding: 8px 14px;
font-weight: 600; font-size: 13.5px; border-bottom: 1px solid var(--edge); background: var(--sunk); } .patch table {
font-size: 12.5px; line-height: 1.5; } .patch td { border: 0; padding: 0 8px; min-width: 0; } .patch .no { width: 1%;
min-width: 36px; text-align: right; color: var(--muted); user-select: none; } .patch .line { white-space: pre; stroke:
none; } .patch .added { background: var(--good-ground); } .patch .added .line { color: var(--good); } .patch .removed {
background: var(--bad-ground); } .patch .removed .line { color: var(--bad); } .patch .hunk { background: var(--sunk);
color: var(--muted); } .raw { font-size: 12.5px; } .reason { border-left: 3px solid var(--accent); padding: 2px 0 2px
12px; font-size: 14px; } .reason + .reason { margin-top: 14px; } .reason p + p { margin-top: 4px; } .values { font-size:
13.5px; } .values del { color: var(--bad); } .values ins { color: var(--good); text-decoration: none; } .path {
list-style: none; padding: 0; display: flex; flex-wrap: wrap; gap: 8px 34px; margin: 12px 0; } .path li { position:
relative; margin: 0; padding: 6px 14px; border: 1px solid var(--edge); border-radius: 8px; background: var(--sunk);
font-weight: 600; text-align: center; } .path li + li::before { content: "→"; position: absolute; left: -27px; top: 50%;
transform: translateY(-50%); color: var(--muted); font-weight: 400; } .path .culprit { border: 2px solid var(--bad);
background: var(--bad-ground); } .path .end, .path .origin { border-radius: 999px; }`

const NARROW_AND_PAPER = html`
  @media (max-width: 820px) { header > .hero, nav, main, footer { padding-inline: 16px; } .top { flex-direction: column;
  gap: 16px; } .score { text-align: left; flex: none; } .cards, .beside { grid-template-columns: minmax(0, 1fr); } .row
  { grid-template-columns: minmax(0, 1fr); } .row.head .label, .row.axis .label { display: none; } .label { padding-top:
  8px; } h1 { font-size: 27px; } .tick:nth-child(even) { display: none; } } @media print { :root { --page: #fff; } body
  { font-size: 12px; print-color-adjust: exact; -webkit-print-color-adjust: exact; } nav, .skip { display: none; }
  details::details-content { content-visibility: visible; height: auto; } .card, .panel, tr, .row, .reason {
  break-inside: avoid; } .run { break-inside: auto; } .scroll { overflow: visible; } .patch .line { white-space:
  pre-wrap; } h2, h3, h4 { break-after: avoid; } } @media (prefers-reduced-motion: reduce) { html { scroll-behavior:
  auto; } }
`

/** The style sheet of the page, in the order in which rules may override each other. */
export const STYLES = html`${COLOURS}${TEXT}${PAGE}${TABLES}${TIMELINE}${CHANGES}${NARROW_AND_PAPER}`
