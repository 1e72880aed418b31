import { join } from "node:path";
import { type EngineName, type RunResult, Workspace } from "../testing";
import type { ControlPlane } from "../testing/control-plane";
import { judged, type Log, median, type Target } from "./results";
import type { Variant } from "./task";

const ASSETS = "bench";

type Whole = Exclude<Variant, "host"> | "plugin";

/** Number of runs of the naive pattern, and its maximum number of keys. More keys take minutes. */
const NAIVE_RUNS = 2;
const NAIVE_UP_TO = 100;

const keysOf = (sdk: string) => (n: number, trigger: number) => ({
  "index.js": `const { ApiKey } = require("${sdk}");
for (let at = 0; at < ${n}; at++) new ApiKey("key-" + at, { rotationTriggers: { n: "${trigger}" } });
`,
});

const programs: Readonly<Record<Whole, (n: number, trigger: number) => Readonly<Record<string, string>>>> = {
  keyplane: keysOf("keyplane"),
  plugin: keysOf("plugin-sdk"),
  // One line of provider code and three outputs: the cost of any resource with a dynamic provider.
  floor: (n) => ({
    "index.js": `const { CustomResource } = require("@pulumi/pulumi");
const inputs = { keyId: undefined, name: undefined, key: undefined };
const __provider = 'exports.handler=()=>require("nothing")';
for (let at = 0; at < ${n}; at++) {
  const options = { additionalSecretOutputs: ["key"] };
  new CustomResource("pulumi-nodejs:dynamic/nothing:Nothing", "key-" + at, { ...inputs, __provider }, options);
}
`,
  }),
  naive: (n) => ({
    "index.js": `const { Key } = require("naive");
for (let at = 0; at < ${n}; at++) new Key("key-" + at);
`,
  }),
};

const phases = ["create", "noop", "refresh", "destroy"] as const;
type Phase = (typeof phases)[number];

interface Sample {
  readonly requests: number;
  readonly ms: number;
}

type Samples = Record<Phase | "state", Sample[]>;

const targets: Readonly<Record<Phase, Target>> = {
  create: { requests: (n) => n + 1, ratio: 1.05 },
  noop: { requests: () => 0, ratio: 1.05 },
  refresh: { requests: () => 1 },
  destroy: { requests: (n) => n + 1, ratio: 1.05 },
};

/** The minimum number of requests for each phase. */
const least: Readonly<Record<Phase, (n: number) => number>> = {
  create: (n) => n + 1,
  noop: () => 0,
  refresh: () => 1,
  destroy: (n) => n + 1,
};

/** Measures whole runs of an engine, each with its own stack: `up`, `up` without changes, `refresh`, `destroy`. */
export async function wholeRows(
  plane: ControlPlane,
  { engine, n, runs }: { readonly engine: EngineName; readonly n: number; readonly runs: number },
): Promise<Log[]> {
  const samples = { keyplane: noSamples(), floor: noSamples(), naive: noSamples() };
  for (let run = 0; run < runs; run++) {
    const variants: (keyof typeof samples)[] = run % 2 === 0 ? ["floor", "keyplane"] : ["keyplane", "floor"];
    if (run < NAIVE_RUNS && n <= NAIVE_UP_TO) variants.push("naive");
    for (const variant of variants) await sampleOf(plane, engine, variant, n, samples[variant]);
  }
  const suffix = engine === "cli" ? "-cli" : "";
  const [own, floor, naive] = [samples.keyplane, samples.floor, samples.naive];
  const rows = phases.map((phase) => {
    const figures = {
      // Only an `up` without changes has no part below the engine that can be measured separately.
      ...{ scenario: `${phase === "noop" ? phase : `${phase}-up`}${suffix}`, n, rttMs: 0, unit: "ms" as const },
      ...{ requests: middle(own[phase], "requests"), requestsFloor: least[phase](n) },
      ...{ requestsNaive: ifTaken(naive[phase], "requests") },
      ...{ ms: middle(own[phase], "ms"), msFloor: middle(floor[phase], "ms"), msNaive: ifTaken(naive[phase], "ms") },
    };
    return judged(figures, targets[phase], n >= 10);
  });
  const state = {
    ...{ scenario: `state${suffix}`, n, rttMs: 0, unit: "bytes" as const },
    ...{ requests: 0, requestsFloor: 0, requestsNaive: n <= NAIVE_UP_TO ? 0 : null },
    ...{ ms: middle(own.state, "ms"), msFloor: middle(floor.state, "ms"), msNaive: ifTaken(naive.state, "ms") },
  };
  // The fixed cost of a stack is negligible for a hundred keys, but not for ten.
  return [...rows, judged(state, n >= 100 ? { most: 1750 } : {}, false)];
}

/**
 * Measures a stack of one variant once.
 * @param plugin - The folder of the plugin, for the variant that uses it.
 * @param env - More variables of the environment.
 */
export async function sampleOf(
  plane: ControlPlane,
  engine: EngineName,
  variant: Whole,
  n: number,
  samples: Samples,
  { plugin, env }: { readonly plugin?: string; readonly env?: Readonly<Record<string, string>> } = {},
): Promise<void> {
  await plane.reset();
  const workspace = await Workspace.create({
    engine,
    // Both as users run them: with the settings of `pulumi new`, and with everything that Pulumi's SDK loads.
    program: { "Pulumi.yaml": "name: proj\nruntime: nodejs\n", ...programs[variant](n, 1) },
    serializer: "eager",
    packages: {
      ...{ nothing: join(ASSETS, "nothing"), naive: join(ASSETS, "naive") },
      "plugin-sdk": join("test", "plugin-sdk"),
    },
    ...(plugin !== undefined && { plugins: { keyplane: plugin } }),
    env: { ...env, KEYPLANE_BASE_URL: plane.url, KEYPLANE_API_KEY: plane.apiKey },
  });
  try {
    const work: Record<Phase, () => Promise<RunResult>> = {
      create: () => workspace.up(),
      noop: () => workspace.up(),
      refresh: () => workspace.refresh(),
      destroy: () => workspace.destroy(),
    };
    for (const phase of phases) {
      const before = await plane.count();
      const { durationMs } = await work[phase]();
      samples[phase].push({ requests: (await plane.count()) - before, ms: durationMs });
      if (phase === "noop") {
        samples.state.push({ requests: 0, ms: JSON.stringify(await workspace.exportState()).length / n });
      }
    }
  } finally {
    await workspace.remove();
  }
}

/** Samples to be filled. */
export function noSamples(): Samples {
  return { create: [], noop: [], refresh: [], destroy: [], state: [] };
}

function middle(samples: readonly Sample[], figure: keyof Sample): number {
  return median(samples.map((each) => each[figure]));
}

function ifTaken(samples: readonly Sample[], figure: keyof Sample): number | null {
  return samples.length === 0 ? null : middle(samples, figure);
}
