import { setTimeout as sleep } from "node:timers/promises";
import { nameOf, newSuffix } from "../provider/keys/naming";
import { DYNAMIC } from "../provider/resource-types";
import { type RunResult, Workspace } from "../testing";
import type { ControlPlane } from "../testing/control-plane";
import { judged, type Log, median } from "./results";

const programOf = (n: number) => ({
  "index.js": `const { ApiKey } = require("keyplane");
for (let at = 0; at < ${n}; at++) new ApiKey("key-" + at);
`,
});

/** Both kinds of runs: whether a key that no resource has makes the run ask for the stack's state. */
const KINDS = ["unknown key", "no unknown key"] as const;

/**
 * Measures an `up` that adds the last of `n` keys while the service has an unused key with the tag of that resource. Its
 * fate depends on the stack's state, which keyplane exports once. The floor is the same `up` without that key.
 */
export async function unknownKeyRow(
  plane: ControlPlane,
  { n, runs }: { readonly n: number; readonly runs: number },
): Promise<Log> {
  const samples = { "unknown key": [] as Sample[], "no unknown key": [] as Sample[] };
  for (let run = 0; run < runs; run++) {
    for (const kind of run % 2 === 0 ? KINDS : [...KINDS].reverse()) {
      samples[kind].push(await sampleOf(plane, kind === "unknown key", n));
    }
  }
  const [own, floor] = [samples["unknown key"], samples["no unknown key"]];
  const figures = {
    ...{ scenario: "unknown-key", n, rttMs: 0, unit: "ms" as const, requestsNaive: null, msNaive: null },
    ...{ requests: median(own.map((each) => each.requests)), ms: median(own.map((each) => each.ms)) },
    ...{ requestsFloor: median(floor.map((each) => each.requests)), msFloor: median(floor.map((each) => each.ms)) },
  };
  return judged(figures, { requests: () => 2, ratio: 2 }, n >= 100);
}

interface Sample {
  readonly requests: number;
  readonly ms: number;
}

async function sampleOf(plane: ControlPlane, hasUnknownKey: boolean, n: number): Promise<Sample> {
  await plane.reset();
  const workspace = await Workspace.create({
    engine: "embedded",
    program: { "Pulumi.yaml": "name: proj\nruntime: nodejs\n", ...programOf(n - 1) },
    env: { KEYPLANE_BASE_URL: plane.url, KEYPLANE_API_KEY: plane.apiKey },
  });
  try {
    await workspace.up();
    const planted = hasUnknownKey ? await plantKey(plane, n) : undefined;
    await workspace.setProgram(programOf(n));
    const before = await plane.count();
    const result = await workspace.up();
    if (planted !== undefined) mustHaveTold(result, planted);
    return { requests: (await plane.count()) - before, ms: result.durationMs };
  } finally {
    await workspace.remove();
  }
}

/** Creates a key with the tag of the last resource, as a run of another stack of this name would. Returns its id. */
async function plantKey(plane: ControlPlane, n: number): Promise<string> {
  const urn = `urn:pulumi:dev::proj::${DYNAMIC}ApiKey::key-${n - 1}`;
  const { id } = await plane.state.createKey(nameOf("key", newSuffix(urn), 1));
  // Only a key that is older than a process can be left behind, and lists have whole seconds.
  await sleep(1_000);
  return String(id);
}

/** A run that does not tell about the key has not asked for the state, so that its time says nothing. */
function mustHaveTold({ stdout, stderr }: RunResult, id: string): void {
  if (!`${stdout}${stderr}`.includes(id)) throw new Error("the run did not judge the unknown key");
}
