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

test("a table in a narrow terminal drops a column and says so, shortens names, wraps the last column, keeps ids whole", () => {
  const [note, ...lines] = printed(table(rows, columns, 30)).reverse();
  expect(lines.reverse()).toEqual([
    "ID  NAME          FLAGS",
    "1   a-name…-long  unused-90d",
    "                  unmanaged",
  ]);
  expect(lines.every((line) => line.length <= 30)).toBe(true);
  expect(note).toBe("FROM: only in more than 30 columns");
});

test("a table drops only as many columns as it must", () => {
  const two: readonly Column<Row>[] = [
    ...columns.slice(0, 3),
    { ...columns[1], title: "OTHER", dispensable: true } as Column<Row>,
  ];
  expect(printed(table(rows, two, 50))).toEqual([
    "ID  NAME                 OTHER",
    "1   a-name-that-is-long  a-name-that-is-long",
    "FROM: only in more than 50 columns",
  ]);
});

test("a text is shortened in the middle, because names of keys differ at the end", () => {
  expect(shortened("app-c6ognt43-37c5hbxc", 15)).toBe("app-c6o…7c5hbxc");
  expect(shortened("short", 5)).toBe("short");
});
