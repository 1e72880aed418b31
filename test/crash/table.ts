import { REPORTED } from "./exclusions";
import type { Case } from "./plan";
import type { CaseResult } from "./run-case";

/** The results of the matrix: a line per scenario, the sum, and whether everything was right. */
export function tableOf(cases: readonly Case[], results: readonly CaseResult[]): { text: string; isClean: boolean } {
  const byId = new Map(results.map((result) => [result.id, result]));
  const scenarios = [...new Set(cases.map((one) => one.scenario))];
  const rows = scenarios.map((scenario) =>
    rowOf(
      scenario,
      cases.filter((one) => one.scenario === scenario),
    ),
  );
  const sum = rowOf("all", cases);
  const lines = [HEADER, ...rows, sum].map((cells) =>
    cells.map((cell, at) => (at === 0 ? cell.padEnd(22) : cell.padStart(17))).join(""),
  );
  return { text: lines.join("\n"), isClean: sum.slice(4).every((cell) => cell === "0") };

  function rowOf(name: string, of: readonly Case[]): string[] {
    const done = of.flatMap((one) => byId.get(one.id) ?? []);
    const points = new Set(of.map(({ scenario, moment }) => JSON.stringify([scenario, moment]))).size;
    const counts = (["leaked", "revoked", "lost", "problems"] as const).map(
      (what) => done.filter((result) => result[what].length > 0).length,
    );
    const reported = done.filter(({ excluded }) => excluded.includes(REPORTED)).length;
    return [name, points, done.length, reported, ...counts, of.length - done.length].map(String);
  }
}

const HEADER = ["", "points", "runs", "reported", "leaked", "wrongly revoked", "lost", "other problems", "not run"];
