// `npm run bench`: measures what keyplane costs, next to the floor and a naive provider, in one run.
import { readFile, writeFile } from "node:fs/promises";
import { parseArgs } from "node:util";
import { pulumiOnPath } from "../testing";
import { chart } from "./chart";
import { coldStartRows } from "./cold-start";
import { identifyRows } from "./identify-runs";
import { parts, wrongParts } from "./parts";
import { buildPlugin, pluginRows, pluginStartRow } from "./plugin-runs";
import { startService } from "./processes";
import { heapGrowth, providerRow } from "./provider-runs";
import { growth, type Log, merged } from "./results";
import { scenarios } from "./scenarios";
import { sealedRows } from "./sealed-run";
import { table } from "./table";
import { CONCURRENCY } from "./task";
import { unknownKeyRow } from "./unknown-key-run";
import { wholeRows } from "./whole-runs";

const RESULTS = "bench/results.json";

const HELP = `Usage: npm run bench -- [--quick] [--only NAME]... [--write] [--runs N] [--engine embedded|cli]...

  --quick    small sizes and one run of each: shows that everything works, says little about speed; writes nothing
  --only     only the scenarios of this name: ${parts.join(", ")}; writes nothing
  --write    with --only: writes what was measured, and keeps the other results
  --runs     runs of each, of which the median is taken (default 5)
  --engine   engines for whole runs (default: the embedded one, and the Pulumi CLI where it is on the PATH)
`;

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      quick: { type: "boolean", default: false },
      only: { type: "string", multiple: true, default: [] },
      write: { type: "boolean", default: false },
      runs: { type: "string" },
      engine: { type: "string", multiple: true },
      help: { type: "boolean", default: false },
    },
  });
  if (values.help) {
    print(HELP);
    return;
  }
  const { quick, only, write } = values;
  const wrong = wrongParts(only);
  if (wrong !== undefined) throw new Error(wrong);
  if (quick && write) throw new Error("--write does not work with --quick, because its figures say little");
  const runs = Number(values.runs ?? (quick ? 1 : 5));
  const engines = (["embedded", "cli"] as const).filter((engine) => {
    return values.engine?.includes(engine) ?? (engine === "embedded" || pulumiOnPath() !== undefined);
  });
  const wanted = (name: string) => only.length === 0 || only.includes(name);
  const rows: Log[] = [];
  const note = (added: readonly Log[]) => {
    rows.push(...added);
    for (const { scenario, n, rttMs, ratioToFloor } of added) {
      process.stderr.write(`${scenario} ${n} (${rttMs} ms): ${ratioToFloor.toFixed(2)} x floor\n`);
    }
  };

  const { plane, stop } = await startService();
  let heap: number | undefined;
  try {
    for (const scenario of scenarios.filter(({ name }) => wanted(name))) {
      for (const n of quick ? scenario.quickSizes : scenario.sizes) {
        for (const rttMs of scenario.rtts) note([await providerRow(plane, scenario, { n, rttMs, runs })]);
      }
      const n = Math.max(...(quick ? scenario.quickSizes : scenario.sizes));
      if (scenario.name === "list-operations") heap = await heapGrowth(plane, scenario, n);
    }
    if (wanted("cold-start")) note(await coldStartRows(Math.max(runs, 5)));
    if (wanted("plugin")) {
      const plugin = buildPlugin();
      note([await pluginStartRow(plugin, Math.max(runs, 5))]);
      note(await pluginRows(plane, plugin, { n: quick ? 5 : 100, runs }));
    }
    if (wanted("unknown-key")) note([await unknownKeyRow(plane, { n: quick ? 5 : 400, runs })]);
    if (wanted("sealed")) note(await sealedRows(plane, { n: quick ? 5 : 100, runs }));
    if (wanted("identify")) note(await identifyRows(runs, quick));
    for (const engine of wanted("up") ? engines : []) {
      for (const n of quick ? [5] : [1, 10, 100, 400]) note(await wholeRows(plane, { engine, n, runs }));
    }
  } finally {
    stop();
  }

  if (rows.length === 0) throw new Error("nothing was measured. Check --engine");
  const exponents = growthOf(rows);
  print(`\n${table(rows)}\n`);
  if (heap !== undefined) print(`\nHeap growth while operations are streamed: ${Math.round(heap / 1024)} KiB\n`);
  for (const { scenario, exponent } of exponents) print(`Growth of ${scenario}: n^${exponent.toFixed(2)}\n`);
  const missed = rows.filter(({ met }) => met === false);
  print(missed.length === 0 ? "\nEvery target is met.\n" : `\n${missed.length} targets are missed.\n`);
  if (!quick && (only.length === 0 || write)) await save(rows, heap, { runs, engines, isPart: only.length > 0 });
}

/** Writes the results and their picture. A part of the rows replaces those in the file. */
async function save(
  measured: readonly Log[],
  heap: number | undefined,
  { runs, engines, isPart }: { readonly runs: number; readonly engines: readonly string[]; readonly isPart: boolean },
): Promise<void> {
  const earlier = isPart ? JSON.parse(await readFile(RESULTS, "utf8")) : undefined;
  const rows = merged(earlier?.results ?? [], measured.map(rounded));
  const { dependencies, devDependencies } = JSON.parse(await readFile("package.json", "utf8"));
  const context = {
    node: process.versions.node.split(".")[0],
    pulumi: devDependencies["@pulumi/pulumi"],
    undici: dependencies.undici,
    ...{ concurrency: CONCURRENCY, runs, engines: engines.join(", ") },
  };
  const results = {
    context: earlier?.context ?? context,
    results: rows,
    growth: growthOf(rows),
    heapGrowthBytes: heap ?? earlier?.heapGrowthBytes,
  };
  await writeFile(RESULTS, `${JSON.stringify(results, null, 2)}\n`);
  await writeFile("docs/performance.svg", chart(rows));
}

/** How each scenario's cost grows with its size, from the rows without a round trip. */
function growthOf(rows: readonly Log[]): { readonly scenario: string; readonly exponent: number }[] {
  const names = [...new Set(rows.filter(({ unit }) => unit === "ms").map(({ scenario }) => scenario))];
  return names.flatMap((scenario) => {
    const points = rows.filter((row) => row.scenario === scenario && row.rttMs === 0);
    // Below a hundred, one-time costs dominate.
    const large = points.filter(({ n }) => n >= 100).map(({ n, ms }) => ({ n, cost: ms }));
    return large.length < 2 ? [] : [{ scenario, exponent: Number(growth(large).toFixed(2)) }];
  });
}

function rounded(row: Log): Log {
  const round = (value: number) => Number(value.toFixed(2));
  return {
    ...row,
    ...{ ms: round(row.ms), msFloor: round(row.msFloor), msNaive: row.msNaive === null ? null : round(row.msNaive) },
    ratioToFloor: round(row.ratioToFloor),
    ratioToNaive: row.ratioToNaive === null ? null : round(row.ratioToNaive),
  };
}

function print(text: string): void {
  process.stdout.write(text);
}

main().catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
});
