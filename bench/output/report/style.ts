/** The style of the report: light or dark, like the reader's system. */
export const STYLE = `
:root {
  color-scheme: light dark;
  --page: #fcfcfb; --ink: #1c1c1a; --soft: #63625e; --line: #e3e2dd; --panel: #ffffff;
  --s0: #2a6fdb; --s1: #c2410c; --s2: #0f8a6a; --s3: #8b3fbf; --s4: #8a6a00; --s5: #63625e;
}
@media (prefers-color-scheme: dark) {
  :root {
    --page: #161615; --ink: #ecebe7; --soft: #a3a29c; --line: #33322f; --panel: #1e1e1c;
    --s0: #6aa5ff; --s1: #ff9459; --s2: #3fcfa4; --s3: #c792f2; --s4: #e0b83c; --s5: #a3a29c;
  }
}
* { box-sizing: border-box; }
body {
  margin: 0 auto; padding: 32px 20px 64px; max-width: 1040px;
  background: var(--page); color: var(--ink); font: 15px/1.5 system-ui, sans-serif;
}
h1 { font-size: 24px; margin: 0 0 4px; }
h2 { font-size: 17px; margin: 0; }
p { margin: 2px 0 12px; color: var(--soft); }
section { background: var(--panel); border: 1px solid var(--line); border-radius: 8px;
  padding: 16px 18px; margin: 18px 0; overflow-x: auto; }
svg { width: 100%; min-width: 640px; height: auto; display: block; }
svg text { font: 12px system-ui, sans-serif; fill: var(--soft); }
svg .label { fill: var(--ink); }
svg .tick { text-anchor: middle; font-size: 11px; }
svg .value { fill: var(--ink); font-size: 11px; font-variant-numeric: tabular-nums; }
.grid, .rule { stroke: var(--line); stroke-width: 1; }
.span { stroke: currentColor; stroke-width: 2; opacity: 0.45; }
.mark { fill: currentColor; }
.s0 { color: var(--s0); } .s1 { color: var(--s1); } .s2 { color: var(--s2); }
.s3 { color: var(--s3); } .s4 { color: var(--s4); } .s5 { color: var(--s5); }
.legend { display: flex; flex-wrap: wrap; gap: 4px 22px; padding: 0; margin: 12px 0 0; list-style: none; }
.legend svg { width: 16px; min-width: 16px; height: 16px; display: inline-block; vertical-align: -3px; }
table { border-collapse: collapse; width: 100%; font-size: 13px; font-variant-numeric: tabular-nums; }
th, td { padding: 3px 8px; text-align: right; white-space: nowrap; border-bottom: 1px solid var(--line); }
th { color: var(--soft); font-weight: 500; }
th:first-child, td:first-child { text-align: left; }
.bad { color: var(--s1); font-weight: 600; }
pre { white-space: pre-wrap; margin: 0; font-size: 12px; }
`;
