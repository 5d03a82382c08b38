import { css } from '../markup.js'

/** Colours by what they mean. Dark is for screens only: paper stays white. */
export const COLOURS = css`
  :root {
    color-scheme: light dark;
    --page: #f5f6f8;
    --panel: #ffffff;
    --sunk: #f1f3f6;
    --text: #1a2130;
    --muted: #5a6478;
    --edge: #dfe3ea;
    --accent: #3d4fc4;
    --good: #157347;
    --good-ground: #e2f4e9;
    --bad: #b4232c;
    --bad-ground: #fde8e8;
    --unknown: #8a5a00;
    --unknown-ground: #fdf1d7;
    --pre: #eef0f4;
    --fault: #fbe3df;
    --post: #e6effa;
    --grid: #1a213018;
    --ok: #35a46b;
    --failed: #d3303b;
    --line: #3d4fc4;
    --mark: #8a3ec0;
    --bar: #d9633a;
  }
  @media screen and (prefers-color-scheme: dark) {
    :root {
      --page: #0f131b;
      --panel: #171d28;
      --sunk: #1f2734;
      --text: #e7eaf1;
      --muted: #a0aabd;
      --edge: #2c3646;
      --accent: #9aa8ff;
      --good: #6fd49d;
      --good-ground: #133325;
      --bad: #ff9393;
      --bad-ground: #431c21;
      --unknown: #f0c46c;
      --unknown-ground: #3a2d12;
      --pre: #1f2632;
      --fault: #3b2227;
      --post: #1b2a3f;
      --grid: #ffffff16;
      --ok: #3fae75;
      --failed: #f0525c;
      --line: #9aa8ff;
      --mark: #cf97f5;
      --bar: #e88356;
    }
  }
`

/** Elements without a class. */
export const TEXT = css`
  * {
    box-sizing: border-box;
  }
  html {
    scroll-padding-top: 56px;
    -webkit-text-size-adjust: 100%;
  }
  body {
    margin: 0;
    background: var(--page);
    color: var(--text);
    font:
      15px/1.55 system-ui,
      -apple-system,
      'Segoe UI',
      Roboto,
      'Helvetica Neue',
      sans-serif;
    overflow-wrap: break-word;
  }
  header > .hero,
  nav ul,
  main,
  footer {
    max-width: 1120px;
    margin-inline: auto;
    padding-inline: 24px;
  }
  h1,
  h2,
  h3,
  h4,
  p,
  ul,
  ol,
  dl,
  figure {
    margin: 0;
  }
  h1 {
    font-size: 32px;
    line-height: 1.2;
    letter-spacing: -0.02em;
  }
  h2 {
    font-size: 21px;
    letter-spacing: -0.01em;
    margin-bottom: 12px;
  }
  h3 {
    font-size: 16px;
    margin: 20px 0 8px;
  }
  h4 {
    font-size: 14px;
    margin: 18px 0 8px;
  }
  p + p,
  p + ul,
  ul + p {
    margin-top: 8px;
  }
  ul,
  ol {
    padding-left: 1.25em;
  }
  li + li {
    margin-top: 4px;
  }
  a {
    color: var(--accent);
  }
  small {
    display: block;
    color: var(--muted);
    font-size: 12.5px;
    font-weight: 400;
    line-height: 1.4;
  }
  code,
  kbd,
  pre,
  .patch table {
    font-family: ui-monospace, SFMono-Regular, Menlo, Consolas, monospace;
  }
  code {
    font-size: 0.88em;
    background: var(--sunk);
    border-radius: 4px;
    padding: 1px 4px;
    overflow-wrap: anywhere;
  }
  td:has(> code:only-child) {
    min-width: 8em;
  }
  kbd span {
    display: inline-block;
    max-width: 100%;
  }
  kbd {
    display: block;
    margin-top: 4px;
    padding: 5px 8px;
    background: var(--sunk);
    border: 1px solid var(--edge);
    border-radius: 5px;
    font-size: 12.5px;
    overflow-wrap: anywhere;
  }
  pre {
    margin: 0 0 12px;
    padding: 12px 16px;
    background: var(--sunk);
    border: 1px solid var(--edge);
    border-radius: 8px;
    overflow-x: auto;
  }
  pre code {
    font-size: 0.88em;
    background: none;
    padding: 0;
    font-size: 14px;
  }
  .muted {
    color: var(--muted);
  }
  .good-text {
    color: var(--good);
  }
  .bad-text {
    color: var(--bad);
  }
  .spoken {
    position: absolute;
    width: 1px;
    height: 1px;
    overflow: hidden;
    clip-path: inset(50%);
  }
  .skip {
    position: absolute;
    left: -999px;
  }
  .skip:focus {
    left: 8px;
    top: 8px;
    background: var(--panel);
    padding: 8px;
    z-index: 3;
  }
  :focus-visible {
    outline: 2px solid var(--accent);
    outline-offset: 2px;
  }
`
