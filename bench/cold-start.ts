import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { judged, type Log, median } from "./results";

const run = promisify(execFile);

/** What is loaded without keyplane, and what keyplane adds. */
const starts = [
  { name: "cold-start-program", before: ["@pulumi/pulumi"], added: ["keyplane"], most: 30 },
  {
    name: "cold-start",
    before: ["@pulumi/pulumi", "@pulumi/pulumi/dynamic", "@pulumi/pulumi/proto/provider_grpc_pb"],
    added: ["keyplane/provider"],
    most: 60,
  },
  {
    name: "first-request",
    before: ["@pulumi/pulumi", "keyplane/provider"],
    added: ["./dist/provider/api/account.js", "undici"],
    most: undefined,
  },
] as const;

/**
 * Measures what keyplane adds to the start of a program and of the host, and what loading for a first request costs.
 */
export async function coldStartRows(runs: number): Promise<Log[]> {
  const rows: Log[] = [];
  for (const { name, before, added, most } of starts) {
    const script = `const t0 = performance.now();
for (const name of ${JSON.stringify(before)}) require(name);
const t1 = performance.now();
for (const name of ${JSON.stringify(added)}) require(name);
process.stdout.write(JSON.stringify([t1 - t0, performance.now() - t0]));`;
    const samples: (readonly [number, number])[] = [];
    for (let at = 0; at < runs; at++) {
      const { stdout } = await run(process.execPath, ["-e", script]);
      samples.push(JSON.parse(stdout) as [number, number]);
    }
    const msFloor = median(samples.map(([floor]) => floor));
    const figures = {
      ...{ scenario: name, n: 1, rttMs: 0, unit: "ms" as const, msNaive: null },
      ...{ requests: 0, requestsFloor: 0, requestsNaive: null },
      // Each pair was measured in one process. The median of the differences is steadier than the median of the sums.
      ...{ msFloor, ms: msFloor + median(samples.map(([floor, all]) => all - floor)) },
    };
    rows.push(judged(figures, most === undefined ? {} : { most }, false));
  }
  return rows;
}
