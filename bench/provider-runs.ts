import type { OperationRef } from "../provider/api";
import type { ControlPlane } from "../testing/control-plane";
import { measure } from "./processes";
import { judged, type Log, median } from "./results";
import { POLL_INTERVAL_MS, type Scenario } from "./scenarios";
import type { Task, Variant } from "./task";

/** Number of runs of the naive pattern up to a hundred keys. Larger or slow scenarios run once. */
const NAIVE_RUNS = 3;

interface Sample {
  readonly requests: number;
  readonly ms: number;
}

/** Measures one scenario at one size and round trip. Alternates all variants, and takes the median of each. */
export async function providerRow(
  plane: ControlPlane,
  scenario: Scenario,
  { n, rttMs, runs }: { readonly n: number; readonly rttMs: number; readonly runs: number },
): Promise<Log> {
  const { own: called = "keyplane" } = scenario;
  const samples: Record<Variant, Sample[]> = { keyplane: [], host: [], floor: [], naive: [] };
  let operations = await start(plane, scenario, n);
  for (let run = 0; run < runs; run++) {
    const variants: Variant[] = run % 2 === 0 ? ["floor", called] : [called, "floor"];
    // Slow variants do not need as many runs.
    const turns = n > 100 || scenario.name === "wait" ? 1 : NAIVE_RUNS;
    if (run < turns && n <= scenario.naiveUpTo) variants.push("naive");
    for (const variant of variants) {
      if (!scenario.keepsState) operations = await start(plane, scenario, n);
      samples[variant].push(await sample(plane, scenario, { n, rttMs, variant, operations }));
    }
  }
  const of = (variant: Variant) => {
    const taken = samples[variant];
    if (taken.length === 0) return undefined;
    return { requests: median(taken.map((each) => each.requests)), ms: median(taken.map((each) => each.ms)) };
  };
  const [own, floor, naive] = [of(called), of("floor"), of("naive")];
  const figures = {
    ...{ scenario: scenario.name, n, rttMs, unit: "ms" as const },
    ...{ requests: own?.requests ?? 0, requestsFloor: floor?.requests ?? 0, requestsNaive: naive?.requests ?? null },
    ...{ ms: own?.ms ?? 0, msFloor: floor?.ms ?? 0, msNaive: naive?.ms ?? null },
  };
  const { judgedFrom, target } = scenario;
  const { upTo = n } = judgedFrom;
  return judged(figures, target, n >= judgedFrom.n && n <= upTo && rttMs >= judgedFrom.rttMs);
}

/** Heap growth while a list is read page by page, in bytes. */
export async function heapGrowth(plane: ControlPlane, scenario: Scenario, n: number): Promise<number> {
  const operations = await start(plane, scenario, n);
  const { url, apiKey } = plane;
  const common = { scenario: scenario.name, variant: "keyplane", n, url, apiKey, operations } as const;
  const task = { ...common, pollIntervalMs: POLL_INTERVAL_MS, memory: true };
  const [measured] = await measure([task], async () => {});
  return measured?.heapGrowth ?? 0;
}

async function start(plane: ControlPlane, { prepare }: Scenario, n: number): Promise<readonly OperationRef[]> {
  await plane.reset();
  return (await prepare?.(plane, n)) ?? [];
}

async function sample(
  plane: ControlPlane,
  scenario: Scenario,
  {
    n,
    rttMs,
    variant,
    operations,
  }: {
    readonly n: number;
    readonly rttMs: number;
    readonly variant: Variant;
    readonly operations: readonly OperationRef[];
  },
): Promise<Sample> {
  const { url, apiKey } = plane;
  // The floor is a single process that does all the work.
  const processes = variant === "floor" ? 1 : (scenario.processes ?? 1);
  const common = { scenario: scenario.work ?? scenario.name, variant, n: n / processes, url, apiKey, operations };
  const task = { ...common, pollIntervalMs: POLL_INTERVAL_MS, memory: false };
  let before = 0;
  const measured = await measure(Array<Task>(processes).fill(task), async () => {
    if (scenario.limited) await plane.state.switch({ rateLimits: true });
    if (scenario.rule !== undefined) await plane.rules.add({ ...scenario.rule, delayMs: rttMs });
    if (rttMs > 0) await plane.rules.add({ route: "*", count: null, delayMs: rttMs });
    before = await plane.count();
  });
  const requests = (await plane.count()) - before;
  await plane.rules.clear();
  if (scenario.makesKeys && variant !== "naive") await mustHaveMade(plane, n);
  return { requests, ms: Math.max(...measured.map(({ ms }) => ms)) };
}

/** Throws unless each key was created exactly once and nothing was left behind. */
async function mustHaveMade(plane: ControlPlane, n: number): Promise<void> {
  const live = (await plane.liveKeys()).length;
  if (live !== n) throw new Error(`${n} keys were requested, but ${live} are live`);
}
