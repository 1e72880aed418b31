import { createHash } from "node:crypto";
import { html, raw } from "hono/html";
import { formatDuration } from "../../provider/duration";
import { nameInUrn } from "../../provider/keys/naming";
import { counted } from "../../provider/text";
import { FLAGS, type ShownKey } from "../keys/join";
import { minuteOf } from "../keys/next-step";
import { plain } from "../output";
import { dueOf, type Report } from "./data";

const STYLE = `
:root {
  color-scheme: light dark;
  --text: light-dark(#1b1f24, #e6edf3);
  --faint: light-dark(#57606a, #9aa5b1);
  --paper: light-dark(#fff, #0f141a);
  --line: light-dark(#d0d7de, #38424d);
  --bad: light-dark(#a40e26, #ff8f87);
  font: 15px/1.45 system-ui, sans-serif;
}
body { margin: 0 auto; padding: 1rem; max-width: 110rem; color: var(--text); background: var(--paper); }
code { font-family: ui-monospace, monospace; font-size: 0.92em; }
table { width: 100%; border-collapse: collapse; margin: 1rem 0; }
caption { text-align: left; font-weight: bold; }
th, td { padding: 0.5rem 0.6rem; text-align: left; vertical-align: top; border-bottom: 1px solid var(--line); }
td, tbody th { overflow-wrap: anywhere; unicode-bidi: isolate; }
small { display: block; color: var(--faint); font-weight: normal; }
time { white-space: nowrap; }
.from { min-width: 15ch; }
.flag, .problem { color: var(--bad); }
@media print { :root { color-scheme: light; } tr { break-inside: avoid; } }
`;

/** The page loads and sends nothing, and only this style is in force. */
const POLICY = [
  "default-src 'none'",
  `style-src 'sha256-${createHash("sha256").update(STYLE).digest("base64")}'`,
  "base-uri 'none'",
  "form-action 'none'",
].join("; ");

/** The report as one HTML page that needs nothing else. Pure: the same report gives the same page. */
export function pageOf(given: Report): string {
  const report = shown(given);
  const { at, accounts, stacks, keys, flagged, version } = report;
  const flags = FLAGS.flatMap((flag) => (flagged[flag] === undefined ? [] : [`${flag}: ${flagged[flag]}`]));
  const now = Date.parse(at);
  const page = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${POLICY}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<title>API keys, ${minuteOf(at)}</title>
<style>${raw(STYLE)}</style>
</head>
<body>
<h1>API keys</h1>
<p>${minuteOf(at)}, by keyplane ${version}. ${[counted(keys.length, "key"), ...flags].join(", ")}.</p>
${problemsOf(report).map((problem) => html`<p class="problem">${problem}</p>`)}
${tableOf(
  "Live keys, and keys that a state holds",
  ["Key", "Stack", "Used by", "Age", "Last use", "Due", "What happens next"],
  keys.map((key) => rowOf(key, now)),
)}
${tableOf(
  "Lists of the service",
  ["Account", "Service", "Live keys"],
  accounts.map(({ label, origin, keys = "not read" }) => [label, origin, keys]),
)}
${tableOf(
  "States",
  ["Stack", "Saved", "Keys", "Notes"],
  stacks.map(({ stack, savedAt, keys, isOutdated, underWay }) => {
    const notes = [isOutdated && "left out: older", underWay && "saved during a run or after a kill"];
    return [stack || "(empty)", savedAt ? time(savedAt) : "unknown", keys, notes.filter(Boolean).join(", ")];
  }),
)}
</body>
</html>
`;
  return String(page);
}

/** A value with all its texts as they are safe to show: printable, of limited length, without secrets. */
function shown<T>(value: T): T;
function shown(value: unknown): unknown {
  if (typeof value === "string") return plain(value);
  if (Array.isArray(value)) return value.map(shown);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, shown(member)]));
}

type Cell = ReturnType<typeof html> | string | number | readonly Cell[] | undefined;

function tableOf(caption: string, titles: readonly string[], rows: readonly (readonly Cell[])[]): Cell {
  if (rows.length === 0) return undefined;
  return html`<table><caption>${caption}</caption>
<thead><tr>${titles.map((title) => html`<th scope="col">${title}</th>`)}</tr></thead>
<tbody>
${rows.map(
  ([first, ...rest]) => html`<tr><th scope="row">${first}</th>${rest.map((cell) => html`<td>${cell}</td>`)}</tr>
`,
)}</tbody></table>`;
}

function rowOf(key: ShownKey, now: number): readonly Cell[] {
  const { createdAt, lastUsedAt, lastUsedFromAddr: from, stack = "none", holders, createdBy, projectId } = key;
  const ago = (iso: string) => time(`${formatDuration(now - Date.parse(iso))} ago`);
  const due = dueOf(key);
  const late = due === undefined ? 0 : now - Date.parse(due);
  const facts = [key.id, ...key.accounts, createdBy && `by ${createdBy}`, projectId && `project ${projectId}`];
  const consumers = holders.flatMap((holder) => holder.consumers);
  return [
    [key.name ?? "(no recorded name)", html`<small>${facts.filter(Boolean).join(" · ")}</small>`, flagsOf(key)],
    [
      stack,
      holders.map(({ resource, type, role, isSealed, ...holder }) => {
        const more = [type, role !== "current" && role, isSealed && "sealed", holder.stack !== stack && holder.stack];
        return html`<small>${resource} (${more.filter(Boolean).join(", ")})</small>`;
      }),
    ],
    consumers.map((urn) => html`<div>${nameInUrn(urn)}</div>`),
    createdAt && [
      time(formatDuration(now - Date.parse(createdAt))),
      html`<small>${time(createdAt.slice(0, 10))}</small>`,
    ],
    key.status !== "live"
      ? "not live"
      : [lastUsedAt ? ago(lastUsedAt) : "never", from && html`<small class="from">${from}</small>`],
    due && [time(due.slice(0, 10)), html`<small>${late < 0 ? time(`in ${formatDuration(-late)}`) : ago(due)}</small>`],
    key.next.text.split("`").map((part, at) => (at % 2 === 0 ? withTimes(part) : html`<code>${part}</code>`)),
  ];
}

/** A date or an age, which no line break divides. */
const time = (text: string): Cell => html`<time>${text}</time>`;

const withTimes = (text: string): Cell =>
  text.split(/(\d{4}-\d{2}-\d{2} \d{2}:\d{2} UTC)/).map((part, at) => (at % 2 === 0 ? part : time(part)));

const flagsOf = ({ flags }: ShownKey): Cell =>
  flags.map((flag) => html`<small class="${flag === "credential" ? "" : "flag"}">${flag}</small>`);

/** What keeps the report from being complete. */
function problemsOf({ accounts, stacks }: Report): readonly string[] {
  return [
    ...accounts.flatMap(({ label, problem }) => (problem ? [`Account ${label} could not be read: ${problem}`] : [])),
    ...stacks.flatMap(({ stack, hidden }) =>
      hidden ? [`${stack} contains encrypted key ids: no state seems to hold these keys`] : [],
    ),
  ];
}
