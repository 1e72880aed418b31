/** The style of the page, which the compiler would not copy from a file of its own. */
export const STYLE = `
:root {
  color-scheme: light dark;
  --text: light-dark(#1b1f24, #e6edf3);
  --faint: light-dark(#57606a, #9aa5b1);
  --paper: light-dark(#fff, #0f141a);
  --raised: light-dark(#f4f6f8, #1a212a);
  --line: light-dark(#d0d7de, #38424d);
  --accent: light-dark(#0757a8, #79b8ff);
  --bad: light-dark(#a40e26, #ff8f87);
  --warn: light-dark(#7d4e00, #e8b45a);
  --good: light-dark(#116329, #6fd08c);
  font: 15px/1.45 system-ui, sans-serif;
}
* { box-sizing: border-box; }
body { margin: 0 auto; padding: 1rem; max-width: 110rem; color: var(--text); background: var(--paper); }
h1 { margin: 0; font-size: 1.5rem; }
code { font-family: ui-monospace, monospace; font-size: 0.92em; }
.faint, .line, .name { display: block; }
.faint, .filters label, #legend { color: var(--faint); font-size: 0.87rem; font-weight: normal; }
.name, .line, td, dd { overflow-wrap: anywhere; unicode-bidi: isolate; }
td { min-width: 7.5rem; }
time { white-space: nowrap; }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
button, input, select {
  font: inherit;
  color: inherit;
  background: var(--paper);
  border: 1px solid var(--line);
  border-radius: 6px;
  padding: 0.3rem 0.6rem;
  min-height: 2.2rem;
  max-width: 100%;
}
button { background: var(--raised); cursor: pointer; }
button[aria-pressed="true"] { color: var(--paper); background: var(--accent); border-color: var(--accent); }
#flags, .filters, #legend { display: flex; flex-wrap: wrap; gap: 0.5rem; margin: 0.8rem 0; padding: 0; }
.filters label { display: grid; flex: 1 1 14rem; max-width: 26rem; }
.filters input, .filters select { width: 100%; color: var(--text); font-size: 0.95rem; }
#legend { gap: 0.2rem 1rem; list-style: none; }
td svg { display: block; width: 100%; min-width: 11rem; max-width: 22rem; }
#legend svg { width: 1rem; height: 1rem; margin-right: 0.3rem; vertical-align: -0.15rem; }
table { width: 100%; border-collapse: collapse; }
caption { text-align: left; padding: 0.4rem 0; color: var(--faint); }
th, td { padding: 0.5rem 0.6rem; text-align: left; vertical-align: top; border-bottom: 1px solid var(--line); }
thead th { background: var(--raised); }
thead button {
  min-height: 0;
  padding: 0.1rem 0.3rem;
  margin: -0.1rem -0.3rem;
  border: 0;
  font-weight: 600;
  text-align: left;
}
th[aria-sort] button::after { content: " ▲" / ""; }
th[aria-sort="descending"] button::after { content: " ▼" / ""; }
.flag {
  display: inline-block;
  margin: 0.15rem 0.3rem 0 0;
  padding: 0 0.4rem;
  border: 1px solid currentcolor;
  border-radius: 99px;
}
.flag, .axis { color: var(--faint); font-size: 0.8rem; font-weight: normal; }
.flag.expired, .flag.overdue, .flag.gone, .flag.left-behind { color: var(--bad); }
.flag.unmanaged, .flag.unused, .flag.not-found, .flag.several-states { color: var(--warn); }
details { font-weight: normal; }
summary { width: fit-content; color: var(--accent); cursor: pointer; font-size: 0.87rem; }
dl { margin: 0.3rem 0; font-size: 0.87rem; }
dt { color: var(--faint); }
dd { margin: 0 0 0.3rem; }
svg path { fill: var(--accent); fill-rule: evenodd; }
svg .delivered { fill: var(--good); }
svg .used { fill: var(--text); }
svg .rotation-due, svg .grace-ends, svg .deadline { fill: var(--warn); }
svg .gone { fill: var(--bad); }
svg line { stroke: var(--line); stroke-width: 1.5; }
svg .life { stroke: var(--accent); stroke-width: 2; }
svg .plan { stroke: var(--warn); stroke-dasharray: 3 3; }
.axis { display: flex; justify-content: space-between; }
.problem { color: var(--bad); }
main > details { margin: 0.6rem 0; }
#more { display: block; width: 100%; margin: 1rem 0; }
#more[hidden] { display: none; }
@media (max-width: 60rem) {
  #table, #table caption, #table tbody { display: block; }
  #table thead tr { display: flex; flex-wrap: wrap; align-items: center; background: var(--raised); }
  #table thead th:not([data-sort]) {
    position: absolute;
    width: 1px;
    height: 1px;
    overflow: hidden;
    clip-path: inset(50%);
  }
  #table thead tr::before { content: "Sort by"; padding: 0.4rem 0.6rem; color: var(--faint); font-size: 0.87rem; }
  #table thead th { border: 0; padding: 0.3rem 0.5rem; white-space: nowrap; }
  #table tbody tr {
    display: grid;
    grid-template-columns: repeat(auto-fit, minmax(10rem, 1fr));
    padding: 0.6rem 0;
    border-bottom: 2px solid var(--line);
    content-visibility: auto;
    contain-intrinsic-size: auto 20rem;
  }
  #table tbody :is(th, td:nth-last-child(-n + 2)) { grid-column: 1 / -1; }
  #table td svg { max-width: 30rem; }
  #table tbody :is(th, td) { padding: 0.2rem 0; border: 0; }
  #table td::before { content: attr(data-label) / ""; color: var(--faint); font-size: 0.8rem; }
}
@media print {
  :root {
    color-scheme: light;
    --text: #000;
    --faint: #444;
    --paper: #fff;
    --raised: #fff;
    --line: #999;
    font-size: 9pt;
  }
  .filters, #flags, #more, summary { display: none; }
  tr { break-inside: avoid; }
  #table thead tr::before { content: none; }
  svg * { print-color-adjust: exact; }
}
`;
