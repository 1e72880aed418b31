import { readFileSync, writeFileSync } from "node:fs";

const page = new URL("../../docs/compatibility.md", import.meta.url);
const begin = "<!-- compat:begin -->";
const end = "<!-- compat:end -->";

/** Writes a text between its markers in docs/compatibility.md. */
export function writeIntoPage(tried) {
  const text = readFileSync(page, "utf8");
  const [from, to] = [text.indexOf(begin), text.indexOf(end)];
  if (from < 0 || to < from) throw new Error(`docs/compatibility.md has no place for the text: ${begin} ... ${end}`);
  writeFileSync(page, `${text.slice(0, from + begin.length)}\n\n${tried}\n\n${text.slice(to)}`);
}
