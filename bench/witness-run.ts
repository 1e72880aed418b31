import { type RunResult, Workspace } from "../testing";
import type { ControlPlane } from "../testing/control-plane";
import { judged, median, type Row } from "./results";

const programOf = (n: number) => ({
  "index.js": `const { ApiKey } = require("keyplane");
for (let at = 0; at < ${n}; at++) new ApiKey("key-" + at);
`,
});

/** Both kinds of runs: whether a key that no resource has makes the run ask for the stack's state. */
const KINDS = ["unknown key", "no unknown key"] as const;

/**
 * Measures an `up` that adds the last of `n` keys while the service has an unknown key with the stack's tag. Its fate
 * depends on the stack's state, which keyplane exports once. The floor is the same `up` without that key.
 */
export async function witnessRow(
  plane: ControlPlane,
  { n, runs }: { readonly n: number; readonly runs: number },
): Promise<Row> {
  const samples = { "unknown key": [] as Sample[], "no unknown key": [] as Sample[] };
  for (let run = 0; run < runs; run++) {
    for (const kind of run % 2 === 0 ? KINDS : [...KINDS].reverse()) {
      samples[kind].push(await sampleOf(plane, kind === "unknown key", n));
    }
  }
  const [own, floor] = [samples["unknown key"], samples["no unknown key"]];
  const figures = {
    ...{ scenario: "witness", n, rttMs: 0, unit: "ms" as const, requestsNaive: null, msNaive: null },
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
    if (hasUnknownKey) await plantKey(plane);
    await workspace.setProgram(programOf(n));
    const before = await plane.count();
    const result = await workspace.up();
    mustHaveTold(result, hasUnknownKey);
    return { requests: (await plane.count()) - before, ms: result.durationMs };
  } finally {
    await workspace.remove();
  }
}

/** Creates a key with the stack's tag that the stack does not have. */
async function plantKey(plane: ControlPlane): Promise<void> {
  const [key] = await plane.liveKeys();
  const name = key?.name.replace(/.{8}$/, "zzzzzzzz");
  const headers = { authorization: `Bearer ${plane.apiKey}`, "content-type": "application/json" };
  const answer = await fetch(`${plane.url}/api_keys`, {
    method: "POST",
    headers,
    body: JSON.stringify({ key_name: name }),
  });
  if (!answer.ok) throw new Error(`the service answered ${answer.status}`);
}

/** A run that does not report the key has not asked for the state, so that its time says nothing. */
function mustHaveTold({ stdout, stderr }: RunResult, hasUnknownKey: boolean): void {
  const isTold = `${stdout}${stderr}`.includes("no resource has it");
  if (isTold !== hasUnknownKey) throw new Error("the run did not judge the unknown key");
}
