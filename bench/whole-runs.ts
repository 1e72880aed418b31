import { execFileSync } from "node:child_process";
import { generateKeyPairSync } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { type EngineName, type RunResult, Workspace } from "../testing";
import type { ControlPlane } from "../testing/control-plane";
import { compare, type Row, rowOf, type Sample } from "./results";

const PHASES = ["create", "noop", "refresh", "destroy"] as const;
type Phase = (typeof PHASES)[number];

/** What a stack of `n` keys is made of. */
interface Stack {
  readonly program: (n: number) => string;
  readonly plugins?: Readonly<Record<string, string>>;
  readonly env?: Readonly<Record<string, string>>;
}

/** A comparison of two stacks, on one engine. */
interface Comparison {
  readonly engine: EngineName;
  readonly own: Stack;
  readonly base: Stack;
  readonly n: number;
  readonly runs: number;
  /** The rows, by the phase that they measure. */
  readonly rows: Partial<Record<Phase, { readonly name: string; readonly ratio?: number | undefined }>>;
}

const REQUESTS: Readonly<Record<Phase, (n: number) => number>> = {
  create: (n) => n + 1,
  noop: () => 0,
  refresh: () => 1,
  destroy: (n) => n + 1,
};

const keys = (sdk: string, args: object = {}): Stack => ({
  program: (n) => `const { ApiKey } = require("${sdk}");
for (let at = 0; at < ${n}; at++) new ApiKey("key-" + at, ${JSON.stringify(args)});
`,
});

/** One line of provider code and three outputs: the cost of any resource with a dynamic provider. */
const NOTHING: Stack = {
  program: (n) => `const { CustomResource } = require("@pulumi/pulumi");
const inputs = { keyId: undefined, name: undefined, key: undefined };
const __provider = 'exports.handler=()=>require("nothing")';
for (let at = 0; at < ${n}; at++) {
  const options = { additionalSecretOutputs: ["key"] };
  new CustomResource("pulumi-nodejs:dynamic/nothing:Nothing", "key-" + at, { ...inputs, __provider }, options);
}
`,
};

/** Whole runs of an engine, compared with those of a provider that does nothing: how long `up` and the others take. */
export async function wholeRows(
  plane: ControlPlane,
  { engine, runs, isQuick }: { readonly engine: EngineName; readonly runs: number; readonly isQuick: boolean },
): Promise<Row[]> {
  const isJudged = engine === "cli" && !isQuick;
  const row = (phase: Phase, ratio: number) => ({
    name: `${engine}: ${phase}`,
    ratio: isJudged ? ratio : undefined,
  });
  const rows = {
    create: row("create", 1.1),
    noop: row("noop", 1.05),
    refresh: row("refresh", 1.35),
    destroy: row("destroy", 1.35),
  };
  const measured: Row[] = [];
  for (const n of isQuick ? [5] : [10, 100, 400]) {
    measured.push(...(await rowsOf(plane, { engine, own: keys("keyplane"), base: NOTHING, n, runs, rows })));
  }
  return measured;
}

/**
 * The plugin, compared with the dynamic provider. Both programs record no stack traces: Pulumi's SDK for Node records one
 * for each property of a generated class, and the programs that need the plugin are in other languages.
 */
export async function pluginRows(
  plane: ControlPlane,
  { engine, runs, isQuick }: { readonly engine: EngineName; readonly runs: number; readonly isQuick: boolean },
): Promise<Row[]> {
  execFileSync(process.execPath, [join("scripts", "plugin.mjs")], { stdio: ["ignore", "ignore", "inherit"] });
  const env = { NODE_OPTIONS: "--stack-trace-limit=0" };
  const own = { ...keys("plugin-sdk"), plugins: { keyplane: "bin" }, env };
  const base = { ...keys("keyplane"), env };
  const ratio = isQuick ? undefined : 1;
  const create = { create: { name: "plugin: create", ratio } };
  const refresh = { refresh: { name: "plugin: refresh", ratio } };
  return [
    ...(await rowsOf(plane, { engine, own, base, n: isQuick ? 5 : 100, runs, rows: create })),
    ...(await rowsOf(plane, { engine, own, base, n: isQuick ? 5 : 1000, runs, rows: refresh })),
  ];
}

/** A public key of each kind. The private key of the one of age is not known. */
const GITHUB = generateKeyPairSync("x25519").publicKey.export({ format: "der", type: "spki" }).subarray(-32);
const RSA = generateKeyPairSync("rsa", { modulusLength: 2048 }).publicKey.export({ format: "pem", type: "spki" });
const CERTIFICATE = readFileSync("test/unit/seal/vectors/renewed.crt", "utf8");
const RECIPIENTS: Readonly<Record<string, object>> = {
  age: { age: ["age1ql3z7hjy54pw3hyww5ayyfg7zqgvc7w3j2elw8zmrj2kg5sfn9aqmcac8p"] },
  github: { githubActions: { key: GITHUB.toString("base64") } },
  kubernetes: { kubernetes: { certificate: CERTIFICATE, namespace: "shop", name: "key" } },
  rsa: { rsa: [RSA] },
};

/** An `up` that creates sealed keys, compared with the same `up` without `sealTo`. */
export async function sealedRows(
  plane: ControlPlane,
  { engine, runs, isQuick }: { readonly engine: EngineName; readonly runs: number; readonly isQuick: boolean },
): Promise<Row[]> {
  const measured: Row[] = [];
  for (const [format, sealTo] of Object.entries(RECIPIENTS)) {
    const rows = { create: { name: `sealed: ${format}`, ratio: isQuick ? undefined : 1.25 } };
    const own = keys("keyplane", { sealTo });
    const n = isQuick ? 5 : 100;
    measured.push(...(await rowsOf(plane, { engine, own, base: keys("keyplane"), n, runs, rows })));
  }
  return measured;
}

async function rowsOf(plane: ControlPlane, { engine, own, base, n, runs, rows }: Comparison): Promise<Row[]> {
  const phases = PHASES.filter((phase) => rows[phase] !== undefined);
  const sample = (stack: Stack) => () => sampleOf(plane, engine, stack, n, phases);
  const samples = await compare(runs, sample(own), sample(base));
  return phases.map((phase) => {
    const { name = "", ratio } = rows[phase] ?? {};
    const [ownSamples, baseSamples] = samples.map((each) => each.map((sampled) => sampled[phase])) as [
      Sample[],
      Sample[],
    ];
    return rowOf({ name, n, target: { requests: REQUESTS[phase](n), ratio } }, ownSamples, baseSamples);
  });
}

/** Measures the phases of a stack of its own. The stack is always created first. */
async function sampleOf(
  plane: ControlPlane,
  engine: EngineName,
  { program, plugins = {}, env = {} }: Stack,
  n: number,
  phases: readonly Phase[],
): Promise<Record<Phase, Sample>> {
  await plane.reset();
  const workspace = await Workspace.create({
    engine,
    // As users run them: with the settings of `pulumi new`, and with everything that Pulumi's SDK loads.
    program: { "Pulumi.yaml": "name: proj\nruntime: nodejs\n", "index.js": program(n) },
    serializer: "eager",
    packages: { nothing: join("bench", "nothing"), "plugin-sdk": join("test", "plugin-sdk") },
    plugins,
    env: { ...env, KEYPLANE_BASE_URL: plane.url, KEYPLANE_API_KEY: plane.apiKey },
  });
  const work: Record<Phase, () => Promise<RunResult>> = {
    create: () => workspace.up(),
    noop: () => workspace.up(),
    refresh: () => workspace.refresh(),
    destroy: () => workspace.destroy(),
  };
  const samples: Partial<Record<Phase, Sample>> = {};
  try {
    for (const phase of PHASES.filter((each) => each === "create" || phases.includes(each))) {
      const before = await plane.count();
      const { durationMs: ms } = await work[phase]();
      samples[phase] = { requests: (await plane.count()) - before, ms };
    }
  } finally {
    await workspace.remove();
  }
  return samples as Record<Phase, Sample>;
}
