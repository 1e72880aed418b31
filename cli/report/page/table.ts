import { getOrCreate } from "../../../provider/get-or-create";
import type { Report, ReportKey } from "../report-data";
import { part } from "./elements";
import { rowOf } from "./rows";
import { legend, periodOf } from "./timeline";

/** Number of rows that are created at a time, so that the page is ready at once. */
const ROWS = 100;
const report = JSON.parse(part("data").textContent ?? "") as Report;
const period = periodOf(report);
const body = part("keys");
const search = part("search") as HTMLInputElement;
const stack = part("stack") as HTMLSelectElement;
const account = part("account") as HTMLSelectElement;
const flags = [...part("flags").querySelectorAll("button")];
const heads = [...document.querySelectorAll<HTMLElement>("th[data-sort]")];
const texts = new Map<ReportKey, string>();

const columns: Readonly<Record<string, (key: ReportKey) => string>> = {
  name: ({ name = "" }) => name.toLowerCase(),
  stack: (key) => `${key.stack ?? "\uffff"} ${key.holders[0]?.resource ?? ""}`,
  age: ({ createdAt = "" }) => createdAt,
  use: ({ lastUsedAt }) => lastUsedAt ?? "",
  due: ({ next, rotateAt, revokeAfter }) => next.after ?? revokeAfter ?? rotateAt ?? (next.isDue ? "" : "\uffff"),
  next: ({ next }) => `${next.isDue ? 0 : 1} ${next.text}`,
};
let sorted = { column: "due", isDescending: false };
let flag = "";
let shown: readonly ReportKey[] = [];
let rows = 0;

const searchText = (key: ReportKey): string =>
  getOrCreate(texts, key, () => {
    const urns = key.holders.flatMap(({ urn, consumers }) => [urn, ...consumers]);
    return [key.id, key.name, key.stack, key.createdBy, key.resource, ...urns].join(" ").toLowerCase();
  });

const addRows = (count: number): void => {
  const next = shown.slice(rows, rows + count);
  body.append(...next.map((key) => rowOf(key, period)));
  rows += next.length;
  const number = (count: number) => count.toLocaleString("en");
  const of = shown.length === report.keys.length ? "" : ` (${number(report.keys.length)} in all)`;
  part("count").textContent = `${number(rows)} of ${number(shown.length)} ${shown.length === 1 ? "key" : "keys"}${of}`;
  part("more").hidden = rows >= shown.length;
};

const show = (): void => {
  const words = search.value.toLowerCase().split(/\s+/);
  const found = report.keys.filter(
    (key) =>
      (flag === "" || key.flags.some((each) => each === flag)) &&
      (stack.value === "" || (key.stack ?? "none") === stack.value) &&
      (account.value === "" || key.accounts.includes(account.value)) &&
      words.every((word) => word === "" || searchText(key).includes(word)),
  );
  const value = columns[sorted.column] ?? (() => "");
  const order = found.map((key) => [value(key), key] as const);
  const sign = sorted.isDescending ? -1 : 1;
  order.sort(([one], [other]) => (one < other ? -sign : one > other ? sign : 0));
  shown = order.map(([, key]) => key);
  rows = 0;
  body.replaceChildren();
  addRows(ROWS);
};

for (const head of heads) {
  head.querySelector("button")?.addEventListener("click", () => {
    const column = head.dataset.sort ?? "";
    sorted = { column, isDescending: sorted.column === column && !sorted.isDescending };
    for (const each of heads) {
      if (each === head) each.setAttribute("aria-sort", sorted.isDescending ? "descending" : "ascending");
      else each.removeAttribute("aria-sort");
    }
    show();
  });
}
for (const button of flags) {
  button.addEventListener("click", () => {
    flag = button.dataset.flag ?? "";
    for (const each of flags) each.setAttribute("aria-pressed", String(each === button));
    show();
  });
}
for (const control of [search, stack, account]) control.addEventListener("input", show);
part("more").addEventListener("click", () => {
  const before = rows;
  addRows(ROWS);
  // The keyboard goes on where the new rows begin, also if no button is left.
  if (part("more").hidden) body.children[before]?.querySelector<HTMLElement>("summary")?.focus();
});
if ("IntersectionObserver" in window) {
  const end = new IntersectionObserver((entries) => {
    if (entries.some(({ isIntersecting }) => isIntersecting) && rows < shown.length) addRows(ROWS);
  });
  end.observe(part("end"));
}
window.addEventListener("beforeprint", () => addRows(shown.length));
for (const end of ["from", "to"] as const) part(end).textContent = new Date(period[end]).toISOString().slice(0, 10);
part("legend").append(...legend());
show();
