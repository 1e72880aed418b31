import type { Log } from "./results";

const head = ["scenario", "n", "rtt", "requests", "floor", "naive", "cost", "floor", "naive", "ratio", "target", ""];

/** Formats the results as a table for a terminal. */
export function table(rows: readonly Log[]): string {
  const lines = [head, ...rows.map(cells)];
  const widths = head.map((_, at) => Math.max(...lines.map((line) => line[at]?.length ?? 0)));
  const isText = (at: number) => at === 0 || at >= 10;
  return lines
    .map((line) => line.map((cell, at) => (isText(at) ? cell.padEnd(widths[at] ?? 0) : cell.padStart(widths[at] ?? 0))))
    .map((line) => line.join("  ").trimEnd())
    .join("\n");
}

function cells(row: Log): string[] {
  const cost = (value: number | null) => {
    if (value === null) return "-";
    return row.unit === "bytes" ? `${Math.round(value)} B` : `${value.toFixed(value < 100 ? 1 : 0)} ms`;
  };
  return [
    row.scenario,
    String(row.n),
    String(row.rttMs),
    String(row.requests),
    String(row.requestsFloor),
    String(row.requestsNaive ?? "-"),
    cost(row.ms),
    cost(row.msFloor),
    cost(row.msNaive),
    row.ratioToFloor.toFixed(2),
    row.target ?? "",
    row.met === null ? "" : row.met ? "met" : "MISSED",
  ];
}
