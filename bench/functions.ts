import type { ControlPlane } from "../testing/control-plane";
import { measure } from "./processes";
import { compare, type Row, rowOf, type Sample } from "./results";
import type { FunctionName, Task } from "./task";

const RTT_MS = 20;

/** The requests of each function for `n` keys, and the most time. */
const TARGETS: Readonly<Record<FunctionName, { readonly requests: (n: number) => number; readonly ratio: number }>> = {
  create: { requests: (n) => n + 1, ratio: 1.3 },
  refresh: { requests: () => 1, ratio: 3 },
  rotate: { requests: (n) => 2 * n + 1, ratio: 1.3 },
  retire: { requests: (n) => n + 1, ratio: 1.3 },
  destroy: { requests: (n) => n + 1, ratio: 1.3 },
};

/** Measures the functions that Pulumi's host calls, without an engine. */
export async function functionRows(plane: ControlPlane, runs: number, isQuick: boolean): Promise<Row[]> {
  const n = isQuick ? 10 : 1000;
  const rows: Row[] = [];
  for (const name of Object.keys(TARGETS) as FunctionName[]) {
    const { requests, ratio } = TARGETS[name];
    const sample = (client: Task["client"]) => () => sampleOf(plane, { name, client, n });
    const [own, base] = await compare(runs, sample("keyplane"), sample("bare"));
    const target = { requests: requests(n), ratio: isQuick ? undefined : ratio };
    rows.push(rowOf({ name: `functions: ${name}`, n, target }, own, base));
  }
  return rows;
}

async function sampleOf(plane: ControlPlane, task: Pick<Task, "name" | "client" | "n">): Promise<Sample> {
  await plane.reset();
  let before = 0;
  const ms = await measure({ ...task, url: plane.url, apiKey: plane.apiKey }, async () => {
    await plane.rules.add({ route: "*", count: null, delayMs: RTT_MS });
    before = await plane.count();
  });
  return { requests: (await plane.count()) - before, ms };
}
