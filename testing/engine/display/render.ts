// Renders the state of a run as lines.
import { SECRET_MARK } from "../run/events";
import { isMap, type Json, mapSecrets, type Properties } from "../state/property";
import { isProviderType } from "../state/urn";
import type { Messages, Row, RunModel } from "./model";
import { cut, harmless, type Paint, padded, widthOf } from "./text";
import { WORDS } from "./words";

/** How to render lines. */
export interface Style {
  readonly paint: Paint;
  /** Number of columns of the screen. No limit without a screen. */
  readonly columns: number;
  /** Whether the run only plans. */
  readonly planning: boolean;
}

/** Widths of the columns before the status. */
export interface Widths {
  type: number;
  name: number;
}

const SIGN_WIDTH = 3;
const INDENT = "    ";
// Narrower screens have no room for the type next to the name and the status.
const NARROW = 60;
const UNKNOWN = "04da6b54-80e4-46f7-96ec-b56ff0331ba9";
// Operations in the summary. Both halves of a replacement count as one.
const COUNTED = ["create", "update", "replace", "delete", "refresh"] as const;

/** Whether a completed row gets a line. */
export function isTold(row: Row): boolean {
  if (row.state === "failed") return true;
  // The creation and the deletion represent a replacement.
  return row.op !== "same" && row.op !== "replace" && !isProviderType(row.type);
}

/**
 * Renders one row. Widens the columns as needed.
 * @returns one line, and a second one for changed inputs that do not fit, if the row has ended. An active row is one line.
 */
export function rowLines(row: Row, now: number, widths: Widths, style: Style): string[] {
  const words = WORDS[row.op];
  widths.type = Math.max(widths.type, widthOf(row.type));
  widths.name = Math.max(widths.name, widthOf(row.name));
  const narrow = style.columns < NARROW;
  const status = statusOf(row, now, style.planning);
  const changed = row.changed.length > 0 && row.state !== "failed" ? `[diff: ${row.changed.join(", ")}]` : "";
  const before = [
    padded(words.sign, SIGN_WIDTH),
    ...(narrow ? [] : [padded(row.type, widths.type), "  "]),
    padded(row.name, narrow ? widthOf(row.name) : widths.name),
    "  ",
  ].join("");
  const plain = [before + status, changed, row.message].filter((text) => text !== "").join("  ");
  const room = style.columns - 1;
  const wraps = changed !== "" && row.state !== "running" && widthOf(plain) > room;
  const line = cut(wraps ? before + status : plain, room);
  const tone = row.state === "failed" ? "error" : words.tone;
  // Colored after it is cut: half an escape sequence would color the rest of the screen.
  const [from, to] = [before.length, before.length + status.length];
  const sign = style.paint(tone, line.slice(0, SIGN_WIDTH));
  const colored = sign + line.slice(SIGN_WIDTH, from) + style.paint(tone, line.slice(from, to)) + line.slice(to);
  return wraps ? [colored, cut(INDENT + changed, room)] : [colored];
}

/** Renders the messages, grouped by resource. */
export function messageLines(messages: readonly Messages[], { paint }: Style): string[] {
  const groups = messages.map(({ title, lines }) => [
    ...(title === "" ? [] : [`  ${paint("strong", title)}:`]),
    ...lines.flatMap(({ severity, message }) => {
      const text = harmless(message).trimEnd().split("\n");
      const isLoud = severity === "error" || severity === "warning";
      const first = isLoud ? `${paint(severity, `${severity}:`)} ${text[0]}` : (text[0] ?? "");
      return [first, ...text.slice(1)].map((line) => `${title === "" ? "  " : INDENT}${line}`.trimEnd());
    }),
  ]);
  return groups.length === 0 ? [] : [paint("strong", "Diagnostics:"), ...groups.flat(), ""];
}

/** Renders the stack's outputs. Secrets appear as `[secret]`. Omits `null` outputs, as the CLI does. */
export function outputLines(outputs: Properties, { paint }: Style): string[] {
  const known = Object.entries(outputs).filter(([, value]) => value !== null);
  const entries = known.toSorted(([a], [b]) => (a < b ? -1 : 1));
  if (entries.length === 0) return [];
  const width = Math.max(...entries.map(([name]) => widthOf(name)));
  const lines = entries.flatMap(([name, value]) => {
    const [first = "", ...more] = valueText(mapSecrets(value, () => SECRET_MARK)).split("\n");
    return [`${INDENT}${padded(harmless(name), width)}: ${first}`, ...more.map((line) => INDENT + line)];
  });
  return [paint("strong", "Outputs:"), ...lines, ""];
}

/** Renders the counts of operations and the duration. */
export function summaryLines(model: RunModel, elapsedMs: number, style: Style): string[] {
  const changes = model.summary?.resourceChanges ?? {};
  const parts = COUNTED.flatMap((op) => {
    const count = changes[op] ?? 0;
    const { sign, tone, plan, done } = WORDS[op];
    return count === 0 ? [] : [style.paint(tone, `${sign} ${count} ${style.planning ? `to ${plan}` : done}`)];
  });
  const unchanged = changes.same ?? 0;
  if (unchanged > 0) parts.push(`${unchanged} unchanged`);
  if (model.failures > 0) parts.push(style.paint("error", `${model.failures} failed`));
  return [
    `${style.paint("strong", "Resources:")} ${parts.join(", ") || "nothing to do"}`,
    `${style.paint("strong", "Duration:")}  ${durationText(elapsedMs)}`,
  ];
}

/** Formats a duration: `0.4s`, `12s`, `2m5s`. */
export function durationText(ms: number): string {
  const seconds = ms / 1000;
  if (seconds < 10) return `${seconds.toFixed(1)}s`;
  if (seconds < 60) return `${Math.round(seconds)}s`;
  const whole = Math.round(seconds);
  return `${Math.floor(whole / 60)}m${whole % 60}s`;
}

function statusOf(row: Row, now: number, planning: boolean): string {
  const { plan, doing, done } = WORDS[row.op];
  if (row.state === "failed") return `${doing} failed`;
  if (planning) return plan;
  const seconds = Math.floor((now - row.startedAt) / 1000);
  if (row.state === "running") return seconds > 0 ? `${doing} (${seconds}s)` : doing;
  return `${done} (${durationText((row.endedAt ?? now) - row.startedAt)})`;
}

function valueText(value: Json): string {
  if (value === SECRET_MARK) return SECRET_MARK;
  if (value === UNKNOWN) return "[unknown]";
  if (Array.isArray(value) || isMap(value)) {
    const text = JSON.stringify(value, withoutMarker, 2).replaceAll(`"${SECRET_MARK}"`, SECRET_MARK);
    return harmless(text.replaceAll(`"${UNKNOWN}"`, "[unknown]"));
  }
  return harmless(JSON.stringify(value));
}

/** Removes a marker that Pulumi's SDK adds to each resource in a preview's outputs. */
function withoutMarker(key: string, value: Json): Json | undefined {
  return key === "@isPulumiResource" ? undefined : value;
}
