import type { OperationRef } from "../../provider/api";
import type { ControlPlane } from "../kit/control-plane";
import { measure } from "./processes";
import { judged, median, type Row } from "./results";
import { POLL_INTERVAL_MS, type Scenario } from "./scenarios";
import type { Variant } from "./task";

interface Sample {
  readonly requests: number;
  readonly ms: number;
}

/** Measures one scenario at one size and round trip: all variants by turns, each the median of its runs. */
export async function providerRow(
  plane: ControlPlane,
  scenario: Scenario,
  { n, rttMs, runs }: { readonly n: number; readonly rttMs: number; readonly runs: number },
): Promise<Row> {
  const samples: Record<Variant, Sample[]> = { keyplane: [], floor: [], naive: [] };
  let operations = await start(plane, scenario, n);
  for (let run = 0; run < runs; run++) {
    const variants: Variant[] = run % 2 === 0 ? ["floor", "keyplane"] : ["keyplane", "floor"];
    // What takes a hundred times as long needs no median.
    if (run === 0 && n <= scenario.naiveUpTo) variants.push("naive");
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
  const [own, floor, naive] = [of("keyplane"), of("floor"), of("naive")];
  const figures = {
    ...{ scenario: scenario.name, n, rttMs, unit: "ms" as const },
    ...{ requests: own?.requests ?? 0, requestsFloor: floor?.requests ?? 0, requestsNaive: naive?.requests ?? null },
    ...{ ms: own?.ms ?? 0, msFloor: floor?.ms ?? 0, msNaive: naive?.ms ?? null },
  };
  const { judgedFrom, target } = scenario;
  return judged(figures, target, n >= judgedFrom.n && rttMs >= judgedFrom.rttMs);
}

/** By how much the heap grows while a list is read page by page, in bytes. */
export async function heapGrowth(plane: ControlPlane, scenario: Scenario, n: number): Promise<number> {
  const operations = await start(plane, scenario, n);
  const { url, apiKey } = plane;
  const common = { scenario: scenario.name, variant: "keyplane", n, url, apiKey, operations } as const;
  const { heapGrowth: bytes = 0 } = await measure(
    { ...common, pollIntervalMs: POLL_INTERVAL_MS, memory: true },
    async () => {},
  );
  return bytes;
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
  const common = { scenario: scenario.name, variant, n, url, apiKey, operations };
  let before = 0;
  const { ms } = await measure({ ...common, pollIntervalMs: POLL_INTERVAL_MS, memory: false }, async () => {
    if (scenario.rule !== undefined) await plane.rules.add({ ...scenario.rule, delayMs: rttMs });
    if (rttMs > 0) await plane.rules.add({ route: "*", count: null, delayMs: rttMs });
    before = await plane.count();
  });
  const requests = (await plane.count()) - before;
  await plane.rules.clear();
  return { requests, ms };
}
