import { createHash } from "node:crypto";
import { redact } from "../../provider/secrets";
import { cleanText, counted, printableJson } from "../../provider/text";
import type { PageParts } from "./page-parts";
import { FLAGS, type Flag, type Report } from "./report-data";

/** Maximum length of a text in the page, in characters. */
const MAX_TEXT = 300;

/** The columns of the table. Those with a name can be sorted by it. */
const COLUMNS: readonly (readonly [title: string, sort?: string])[] = [
  ["Key", "name"],
  ["Stack", "stack"],
  ["Used by"],
  ["Age", "age"],
  ["Last use", "use"],
  ["Due", "due"],
  ["What happens next", "next"],
];

/**
 * The report as one HTML page that needs nothing else. Its policy allows only its own script and style. Pure: the same
 * report and parts give the same page.
 */
export function pageOf(given: Report, { style, script }: PageParts): string {
  const report = shown(given);
  const { at, accounts, stacks, keys, flagged, version } = report;
  const time = at.slice(0, 16).replace("T", " ");
  const flags = FLAGS.flatMap((flag) => (flagged[flag] === undefined ? [] : [[flag, flagged[flag]] as const]));
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policyOf({ style, script })}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<title>API keys, ${time} UTC</title>
<style>${style}</style>
</head>
<body>
<header>
<h1>API keys</h1>
<p class="faint">${time} UTC, by keyplane ${html(version)}. ${counted(accounts.length, "list")} of the service, ${counted(stacks.length, "state")}.</p>
</header>
<main>
${problemsOf(report)}
<noscript><p class="problem">The table needs JavaScript, which this browser does not run.</p></noscript>
<div id="flags" role="group" aria-label="Show keys by flag">
${[["", keys.length] as const, ...flags].map(([flag, count]) => flagButton(flag, count)).join("\n")}
</div>
<div class="filters" role="search">
<label>Search <input id="search" type="search" autocomplete="off" placeholder="Name, id, resource, consumer"></label>
${selectOf("stack", "Stack", "All stacks", [...new Set(keys.map(({ stack }) => stack ?? "none"))])}
${selectOf("account", "Account", "All accounts", [...new Set(keys.flatMap((key) => key.accounts))])}
</div>
<ul id="legend" aria-label="Marks in the timelines"></ul>
<table id="table" role="table">
<caption>Live keys, and keys that a state holds. Shown: <span id="count" role="status"></span></caption>
<thead role="rowgroup"><tr role="row">
${COLUMNS.map(([title, sort]) => headOf(title, sort)).join("\n")}
<th scope="col" role="columnheader">Timeline <span class="axis"><span id="from"></span><span id="to"></span></span></th>
</tr></thead>
<tbody id="keys" role="rowgroup"></tbody>
</table>
<div id="end"></div>
<button type="button" id="more" hidden>Show more keys</button>
${sourcesOf(report)}
</main>
<script type="application/json" id="data">${printableJson(JSON.stringify(report)).replace(/[<>&]/g, escaped)}</script>
<script>${script}</script>
</body>
</html>
`;
}

/** The policy of the page: nothing is loaded or sent, and only this script and this style are in force. */
export function policyOf({ style, script }: PageParts): string {
  const hash = (text: string) => `'sha256-${createHash("sha256").update(text).digest("base64")}'`;
  return [
    "default-src 'none'",
    `script-src ${hash(script)}`,
    `style-src ${hash(style)}`,
    "base-uri 'none'",
    "form-action 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join("; ");
}

/** A value with all its texts as they are safe to show: printable, of limited length, without secrets. */
function shown<T>(value: T): T;
function shown(value: unknown): unknown {
  if (typeof value === "string") return cleanText(redact(value), MAX_TEXT);
  if (Array.isArray(value)) return value.map(shown);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, shown(member)]));
}

/** A character as JSON, so that no text ends the element of the script. */
const escaped = (char: string): string => `\\u00${char.charCodeAt(0).toString(16)}`;

/** Text as the content of an element or the value of an attribute. */
function html(text: string): string {
  return text.replace(/[<>&"']/g, (found) => `&#${found.charCodeAt(0)};`);
}

function flagButton(flag: Flag | "", count: number): string {
  const text = `${flag === "" ? "all keys" : flag}: ${count.toLocaleString("en")}`;
  return `<button type="button" data-flag="${flag}" aria-pressed="${flag === ""}">${text}</button>`;
}

function selectOf(id: string, label: string, all: string, values: readonly string[]): string {
  const options = values.toSorted().map((value) => `<option value="${html(value)}">${html(value)}</option>`);
  return `<label>${label} <select id="${id}"><option value="">${all}</option>${options.join("")}</select></label>`;
}

function headOf(title: string, sort: string | undefined): string {
  if (sort === undefined) return `<th scope="col" role="columnheader">${title}</th>`;
  const sorted = sort === "due" ? ' aria-sort="ascending"' : "";
  return `<th scope="col" role="columnheader" data-sort="${sort}"${sorted}><button type="button">${title}</button></th>`;
}

/** What keeps the report from being complete. */
function problemsOf({ accounts, stacks }: Report): string {
  const unread = accounts.flatMap(({ label, problem }) =>
    problem === undefined ? [] : [`Account ${label} could not be read: ${problem}`],
  );
  const sealed = stacks.filter(({ hidden }) => hidden !== undefined);
  const hidden = sealed.map(({ stack }) => `${stack} contains encrypted key ids: no state seems to hold these keys`);
  return [...unread, ...hidden].map((problem) => `<p class="problem">${html(problem)}</p>`).join("\n");
}

/** The lists and the states that the report is made of. */
function sourcesOf({ accounts, stacks }: Report): string {
  const lists = accounts.map(({ label, origin, keys = "not read" }) => [label, origin, String(keys)]);
  const states = stacks.map(({ stack, savedAt, keys, isOutdated, underWay }) => {
    const notes = [isOutdated && "left out: older", underWay && "saved during a run or after a kill"];
    return [stack || "(empty)", savedAt ?? "unknown", String(keys), notes.filter(Boolean).join(", ") || "none"];
  });
  return [
    tableOf("Lists of the service", ["Account", "Service", "Live keys"], lists),
    tableOf("States", ["Stack", "Saved", "Keys", "Notes"], states),
  ].join("\n");
}

function tableOf(caption: string, titles: readonly string[], rows: readonly (readonly string[])[]): string {
  if (rows.length === 0) return "";
  const head = titles.map((title) => `<th scope="col">${title}</th>`).join("");
  const body = rows.map(([first = "", ...rest]) => {
    return `<tr><th scope="row">${html(first)}</th>${rest.map((text) => `<td>${html(text)}</td>`).join("")}</tr>`;
  });
  return `<details><summary>${caption}: ${rows.length}</summary><table><caption>${caption}</caption><thead><tr>${head}</tr></thead><tbody>
${body.join("\n")}
</tbody></table></details>`;
}
