import { terminalColumns } from "../provider/terminal-columns";
import { shortened } from "../provider/text";
import { type Part, paint, plain, print, type Tone, wrapped } from "./terminal";

export interface Column<Row> {
  readonly title: string;
  readonly text: (row: Row) => string;
  readonly tone?: (row: Row) => Tone | undefined;
  /** Minimum width in a narrow terminal. @default the full width */
  readonly atLeast?: number;
  /** Whether to omit the column in a narrow terminal. @default false */
  readonly dispensable?: boolean;
}

const GAP = 2;

/** Prints rows as a table as wide as the terminal, and an empty line. */
export function printTable<Row>(rows: readonly Row[], columns: readonly Column<Row>[]): void {
  for (const line of table(rows, columns, terminalColumns(process.stdout))) print(...line);
  print("");
}

/**
 * Formats rows as table lines with a header. Cells may contain untrusted text. A table that is too wide first drops
 * dispensable columns, and names them, then shrinks the shrinkable columns, widest first, and then wraps the last column.
 */
export function table<Row>(
  rows: readonly Row[],
  columns: readonly Column<Row>[],
  width: number,
  dropped: readonly string[] = [],
): Part[][] {
  const cells = rows.map((row) => columns.map((column) => plain(column.text(row))));
  const widths = columns.map(({ title }, at) =>
    cells.reduce((widest, row) => Math.max(widest, lengthOf(row[at] ?? "")), title.length),
  );
  const first = columns.find(({ dispensable }) => dispensable);
  if (totalOf(widths) > width && first !== undefined) {
    const others = columns.filter((column) => column !== first);
    return table(rows, others, width, [...dropped, first.title]);
  }
  shrink(widths, columns, width);
  const last = columns.length - 1;
  const line = (texts: readonly string[], tones: readonly (Tone | undefined)[]): Part[][] => {
    const wrappedLast = wrapped(texts[last] ?? "", widths[last] ?? 0);
    const head = texts.slice(0, last).flatMap((text, at) => {
      const cut = shortened(text, widths[at] ?? 0);
      return [paint(tones[at], cut), " ".repeat((widths[at] ?? 0) - lengthOf(cut) + GAP)];
    });
    const indent = " ".repeat(widths.slice(0, last).reduce((sum, each) => sum + each + GAP, 0));
    return wrappedLast.map((part, at) => [...(at === 0 ? head : [indent]), paint(tones[last], part)]);
  };
  const head = line(
    columns.map(({ title }) => title),
    columns.map(() => "faint"),
  );
  const body = rows.flatMap((row, at) => {
    return line(
      cells[at] ?? [],
      columns.map(({ tone }) => tone?.(row)),
    );
  });
  const left = `${dropped.join(" and ")}: only in more than ${width} columns`;
  return [...head, ...body, ...(dropped.length > 0 ? [[paint("faint", left)]] : [])];
}

function shrink(widths: number[], columns: readonly Column<never>[], width: number): void {
  while (totalOf(widths) > width) {
    let widest = -1;
    columns.forEach(({ atLeast = Number.POSITIVE_INFINITY }, at) => {
      const own = widths[at] ?? 0;
      if (own > atLeast && own > (widths[widest] ?? 0)) widest = at;
    });
    if (widest < 0) return;
    widths[widest] = (widths[widest] ?? 0) - 1;
  }
}

function totalOf(widths: readonly number[]): number {
  return widths.reduce((sum, each) => sum + each, 0) + GAP * (widths.length - 1);
}

const lengthOf = (text: string): number => Array.from(text).length;
