import { expect, test } from "vitest";
import { type Column, table } from "../../../cli/table";
import type { Part } from "../../../cli/terminal";
import { shortened } from "../../../provider/text";

type Row = readonly [string, string, string];

const columns: readonly Column<Row>[] = [
  { title: "ID", text: ([id]) => id },
  { title: "NAME", text: ([, name]) => name, atLeast: 8 },
  { title: "FROM", text: () => "192.0.2.1", dispensable: true },
  { title: "FLAGS", text: ([, , flags]) => flags, atLeast: 9 },
];
const rows: readonly Row[] = [["1", "a-name-that-is-long", "unused-90d unmanaged"]];

/** The lines as they are printed, without colours. */
const printed = (lines: readonly Part[][]): string[] =>
  lines.map((parts) =>
    parts
      .map((part) => (typeof part === "string" ? part : part.text))
      .join("")
      .trimEnd(),
  );

test("a table without a limit takes the width that it needs", () => {
  expect(printed(table(rows, columns, Number.POSITIVE_INFINITY))).toEqual([
    "ID  NAME                 FROM       FLAGS",
    "1   a-name-that-is-long  192.0.2.1  unused-90d unmanaged",
  ]);
});

test("a table in a narrow terminal drops a column, shortens names, wraps the last column and keeps ids whole", () => {
  const lines = printed(table(rows, columns, 30));
  expect(lines).toEqual(["ID  NAME          FLAGS", "1   a-name…-long  unused-90d", "                  unmanaged"]);
  expect(lines.every((line) => line.length <= 30)).toBe(true);
});

test("a text is shortened in the middle, because names of keys differ at the end", () => {
  expect(shortened("app-c6ognt43-37c5hbxc", 15)).toBe("app-c6o…7c5hbxc");
  expect(shortened("short", 5)).toBe("short");
});
