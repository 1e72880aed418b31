import { formatDuration } from "../../../provider/duration";
import type { ReportHolder, ReportKey } from "../report-data";
import { type Child, dateElement, element, faint, textWithCommands } from "./elements";
import { type Period, timeline } from "./timeline";

/** Number of consumers that a row names. The details name all. */
const CONSUMERS = 2;

export function rowOf(key: ReportKey, period: Period): HTMLElement {
  const [holder] = key.holders;
  const { createdAt } = key;
  const due = key.next.after ?? key.revokeAfter ?? key.rotateAt;
  return element(
    "tr",
    { role: "row" },
    element(
      "th",
      { scope: "row", role: "rowheader" },
      element("span", { class: "name" }, key.name ?? "(no recorded name)"),
      faint(`${key.id} · ${key.accounts.join(" + ") || "unknown account"}`),
      ...key.flags.map((flag) => element("span", { class: `flag ${flag.replace(" ", "-")}` }, flag)),
      detailsOf(key),
    ),
    cell("Stack", key.stack ?? "none", holder && faint(holderText(holder))),
    cell("Used by", ...usersOf(holder)),
    cell("Age", createdAt && ageText(createdAt, period), createdAt && faint(dateElement(createdAt))),
    cell("Last use", ...useOf(key, period)),
    cell("Due", due === undefined ? "no date" : dateElement(due), whenOf(due, period), deadlineOf(key)),
    cell("What happens next", ...textWithCommands(key.next.text)),
    cell("Timeline", timeline(key, period)),
  );
}

function cell(label: string, ...children: Child[]): HTMLElement {
  return element("td", { role: "cell", "data-label": label }, element("div", {}, ...children));
}

function holderText({ resource, type, role, isSealed }: ReportHolder): string {
  const facts = [type, role !== "current" && role, isSealed && "sealed"].filter(Boolean);
  return `${resource} (${facts.join(", ")})`;
}

function usersOf(holder: ReportHolder | undefined): Child[] {
  const names = (holder?.consumers ?? []).map((urn) => urn.split("::").slice(3).join("::"));
  if (names.length === 0) return [holder === undefined ? "unknown" : "no resource in its stack"];
  const rest = names.length - CONSUMERS;
  const shown = names.slice(0, CONSUMERS).map((name) => element("span", { class: "line" }, name));
  return rest > 0 ? [...shown, faint(`and ${rest} more`)] : shown;
}

const ageText = (iso: string, { now }: Period): string => formatDuration(now - Date.parse(iso));

function useOf({ status, lastUsedAt, lastUsedFromAddr }: ReportKey, period: Period): Child[] {
  if (status !== "live") return ["not live"];
  if (lastUsedAt === null || lastUsedAt === undefined) return ["never"];
  const from = lastUsedFromAddr && faint(`from ${lastUsedFromAddr}`);
  return [`${ageText(lastUsedAt, period)} ago`, from || undefined];
}

function whenOf(due: string | undefined, { now }: Period): Child {
  if (due === undefined) return undefined;
  const ms = Date.parse(due) - now;
  return faint(ms > 0 ? `in ${formatDuration(ms)}` : `${formatDuration(-ms)} ago`);
}

/** The deadline of a key, unless it is what happens next. */
function deadlineOf({ expiresAt, next }: ReportKey): Child {
  if (expiresAt === undefined || expiresAt === next.after) return undefined;
  return faint("deadline ", dateElement(expiresAt));
}

/** Everything about a key. It is created when it is opened. */
function detailsOf(key: ReportKey): HTMLElement {
  const details = element("details", {}, element("summary", {}, "Details"));
  details.addEventListener("toggle", () => {
    if (details.childElementCount === 1) details.append(...factsOf(key));
  });
  return details;
}

function factsOf({ events, holders, createdBy, projectId, resource }: ReportKey): HTMLElement[] {
  const facts: (readonly [string, string | undefined])[] = [
    ["Created by", createdBy],
    ["Project", projectId],
    ["Has a name of", holders.length === 0 ? resource : undefined],
    ...events.map(({ what, at }) => [what, at] as const),
    ...holders.flatMap(({ stack, urn, role, frontEnd, isAdopted, isSealed, consumers }) => {
      const more = [role, frontEnd, isAdopted && "adopted", isSealed && "sealed"];
      return [
        [`Held by ${stack}`, `${urn} (${more.filter(Boolean).join(", ")})`] as const,
        ...consumers.map((consumer) => ["Used by", consumer] as const),
      ];
    }),
  ];
  const known = facts.filter(([, value]) => value !== undefined);
  const entries = known.flatMap(([name, value]) => [element("dt", {}, name), element("dd", {}, value)]);
  return [element("dl", {}, ...entries)];
}
