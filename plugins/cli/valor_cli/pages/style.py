"""Style: how the pages that Valor makes look, by day, by night and on paper."""

from __future__ import annotations

STYLE = """
:root {
  color-scheme: light dark;
  --sans: system-ui, -apple-system, "Segoe UI", Roboto, "DejaVu Sans", Arial, sans-serif;
  --mono: ui-monospace, SFMono-Regular, Menlo, Consolas, "DejaVu Sans Mono", monospace;
  --paper: #fbfbfa; --sheet: #ffffff; --ink: #1c2024; --soft: #646b73; --line: #e3e5e8;
  --accent: #2459b3; --on-accent: #ffffff; --bar: rgb(36 89 179 / .13);
  --good: #14703c; --good-back: #e2f4e9; --bad: #b3261e; --bad-back: #fbe6e4;
  --warn: #7a5200; --warn-back: #fdf1d8;
  --c0: #2459b3; --c1: #d1600a; --c2: #14806b; --c3: #b0257a; --c4: #7a5fd0; --c5: #8a7400;
  --c6: #1b8fc4; --c7: #6b4a2f;
}
@media (prefers-color-scheme: dark) {
  :root {
    --paper: #14171a; --sheet: #1b1f23; --ink: #e7e9ec; --soft: #9aa3ac; --line: #31373d;
    --accent: #7aa7f0; --on-accent: #10141a; --bar: rgb(122 167 240 / .2);
    --good: #7ed6a0; --good-back: #16321f; --bad: #f2968f; --bad-back: #3b1b19;
    --warn: #ecc06a; --warn-back: #362a10;
    --c0: #7aa7f0; --c1: #f2a05a; --c2: #5fcdb4; --c3: #ee86c0; --c4: #b3a0f5; --c5: #d6c04e;
    --c6: #6fcbf2; --c7: #c9a27f;
  }
}
* { box-sizing: border-box; }
body { margin: 0; background: var(--paper); color: var(--ink); font: 15px/1.5 var(--sans); }
main { max-width: 1120px; margin: 0 auto; padding: 40px 24px 64px; }
header { margin-bottom: 28px; }
h1 { font-size: 28px; line-height: 1.2; letter-spacing: -.01em; margin: 0 0 6px; }
h2 { font-size: 18px; line-height: 1.3; margin: 0 0 2px; }
p { margin: 0; }
.sub, .caption { color: var(--soft); }
.caption { font-size: 13px; margin-bottom: 12px; }
section { margin-top: 20px; padding: 20px 22px; background: var(--sheet);
  border: 1px solid var(--line); border-radius: 10px; }
section > h2:last-of-type + table, section > h2 + .scroll, section > h2 + .figures
  { margin-top: 12px; }
.cards { display: grid; grid-template-columns: repeat(auto-fill, minmax(158px, 1fr)); gap: 12px; }
.card { padding: 14px 16px; background: var(--sheet); border: 1px solid var(--line);
  border-radius: 10px; }
.card dt { color: var(--soft); font-size: 13px; overflow-wrap: anywhere; }
.card dd { margin: 2px 0 0; font-size: 26px; line-height: 1.2; font-weight: 600;
  font-variant-numeric: tabular-nums; letter-spacing: -.01em; }
.card small { display: block; color: var(--soft); font-size: 12px; overflow-wrap: anywhere; }
.scroll { overflow: auto; }
.long { max-height: 720px; }
.long thead th { position: sticky; top: 0; background: var(--sheet); }
table { border-collapse: collapse; font-size: 14px; font-variant-numeric: tabular-nums; }
th, td { padding: 5px 14px; text-align: left; vertical-align: baseline;
  border-bottom: 1px solid var(--line); }
th:first-child, td:first-child { padding-left: 4px; }
thead th { color: var(--soft); font-weight: 500; white-space: nowrap; }
tbody th { font-weight: 500; }
th.sorts { cursor: pointer; }
th.sorts:hover { color: var(--ink); }
th.sorts:focus-visible { outline: 2px solid var(--accent); outline-offset: -2px; }
th[aria-sort] { color: var(--ink); }
th[aria-sort]::after { content: " ▲"; font-size: 9px; }
th[aria-sort=descending]::after { content: " ▼"; }
.filter { display: block; width: 100%; max-width: 260px; margin: 8px 0; padding: 5px 10px;
  font: 14px var(--sans); color: var(--ink); background: var(--paper);
  border: 1px solid var(--line); border-radius: 6px; }
.filter:focus-visible { outline: 2px solid var(--accent); }
.n { text-align: right; white-space: nowrap; }
td.bar { background: linear-gradient(to right, var(--bar) var(--share), transparent 0)
  no-repeat right 4px center / 88px calc(100% - 7px); min-width: 100px; }
tbody.foot { border-top: 2px solid var(--line); }
tbody.foot th { font-weight: 600; }
.good { color: var(--good); } .bad { color: var(--bad); } .faint { color: var(--soft); }
.notes { margin: 12px 0 0; padding: 0; list-style: none; color: var(--soft); font-size: 13px; }
.pill { display: inline-block; padding: 1px 10px; border-radius: 999px; font-size: 13px;
  font-weight: 600; vertical-align: 3px; margin-left: 8px; letter-spacing: 0; }
.pill.good { background: var(--good-back); } .pill.bad { background: var(--bad-back); }
.alert { margin-top: 12px; padding: 10px 16px; border-radius: 8px; color: var(--warn);
  background: var(--warn-back); overflow-wrap: anywhere; }
.alert.bad { color: var(--bad); background: var(--bad-back); }
.figures { display: grid; grid-template-columns: repeat(auto-fit, minmax(330px, 1fr)); gap: 28px; }
figure { margin: 0; max-width: 500px; break-inside: avoid; }
figure.wide { max-width: none; }
figcaption { font-size: 13px; color: var(--soft); margin-bottom: 10px; }
figcaption b { display: block; font-size: 15px; color: var(--ink); font-weight: 600; }
details { margin-top: 16px; }
summary { cursor: pointer; color: var(--soft); font-size: 14px; }
summary:focus-visible { outline: 2px solid var(--accent); outline-offset: 3px; }
details > :not(summary) { margin-top: 12px; }
pre { margin: 0; padding: 14px 16px; overflow: auto; background: var(--paper);
  border: 1px solid var(--line); border-radius: 8px; font: 13px/1.5 var(--mono); }
@media (max-width: 600px) { main { padding: 24px 12px 40px; } section { padding: 16px 14px; } }
@media print {
  :root { --paper: #fff; --sheet: #fff; color-scheme: light; }
  main { max-width: none; padding: 0; }
  section, .card { border-color: #ccc; }
  section { break-inside: auto; } h2 { break-after: avoid; } tr { break-inside: avoid; }
  .filter { display: none; }
  .scroll, .long { overflow: visible; max-height: none; }
  td.bar, svg.plot, .pill { -webkit-print-color-adjust: exact; print-color-adjust: exact; }
  details::details-content { content-visibility: visible; block-size: auto; }
}
"""
