// `npm run bench`: measures what keyplane costs, next to the least that the same work can cost.
import { parseArgs } from "node:util";
import { pulumiOnPath } from "../testing";
import { functionRows } from "./functions";
import { pluginStartRow } from "./plugin-start";
import { startService } from "./processes";
import { type Row, table } from "./results";
import { pluginRows, sealedRows, wholeRows } from "./whole-runs";

const PARTS = ["functions", "embedded", "cli", "plugin", "sealed"] as const;

const HELP = `Usage: npm run bench -- [--quick] [--only PART]... [--runs N]

  --quick    small sizes and one run of each: shows that everything works, says little about speed
  --only     only this part: ${PARTS.join(", ")}
  --runs     runs of each, of which the median is taken (default 5)
`;

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      quick: { type: "boolean", default: false },
      only: { type: "string", multiple: true, default: [] },
      runs: { type: "string" },
      help: { type: "boolean", default: false },
    },
  });
  if (values.help) {
    process.stdout.write(HELP);
    return;
  }
  const { quick: isQuick, only } = values;
  const wrong = only.filter((part) => !PARTS.some((each) => each === part));
  if (wrong.length > 0) throw new Error(`--only ${wrong.join(", ")} is no part. Use ${PARTS.join(", ")}`);
  const runs = Number(values.runs ?? (isQuick ? 1 : 5));
  const hasCli = pulumiOnPath() !== undefined;
  if (only.includes("cli") && !hasCli) throw new Error("--only cli needs the Pulumi CLI on the PATH");
  const { plane, stop } = await startService();
  const engine = hasCli ? "cli" : "embedded";
  const parts: Readonly<Record<(typeof PARTS)[number], () => Promise<readonly Row[]>>> = {
    functions: () => functionRows(plane, runs, isQuick),
    embedded: () => wholeRows(plane, { engine: "embedded", runs, isQuick }),
    cli: async () => (hasCli ? wholeRows(plane, { engine: "cli", runs, isQuick }) : []),
    plugin: async () => [...(await pluginRows(plane, { engine, runs, isQuick })), await pluginStartRow(runs)],
    sealed: () => sealedRows(plane, { engine, runs, isQuick }),
  };
  let missed = 0;
  try {
    for (const part of PARTS) {
      if (only.length > 0 && !only.includes(part)) continue;
      const rows = await parts[part]();
      missed += rows.filter(({ isMet }) => !isMet).length;
      // Shown at once, because all parts take half an hour.
      if (rows.length > 0) process.stdout.write(`\n${table(rows)}\n`);
    }
  } finally {
    stop();
  }
  process.stdout.write(`\n${missed === 0 ? "Every target is met." : `${missed} targets are missed.`}\n`);
}

main().catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
});
