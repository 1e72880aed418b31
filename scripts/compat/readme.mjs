import { readFileSync, writeFileSync } from "node:fs";

const readme = new URL("../../README.md", import.meta.url);
const begin = "<!-- compat:begin -->";
const end = "<!-- compat:end -->";

/** Puts the table between its marks in the README. */
export function writeIntoReadme(table) {
  const text = readFileSync(readme, "utf8");
  const [from, to] = [text.indexOf(begin), text.indexOf(end)];
  if (from < 0 || to < from) throw new Error(`the README has no place for the table: ${begin} ... ${end}`);
  writeFileSync(readme, `${text.slice(0, from + begin.length)}\n\n${table}\n\n${text.slice(to)}`);
}
