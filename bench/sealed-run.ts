import { generateKeyPairSync } from "node:crypto";
import { readFileSync } from "node:fs";
import { Workspace } from "../testing";
import type { ControlPlane } from "../testing/control-plane";
import { judged, type Log, median } from "./results";

/** A public key of each kind. The private key of the one of age is not known. */
const GITHUB = generateKeyPairSync("x25519").publicKey.export({ format: "der", type: "spki" }).subarray(-32);
const RSA = generateKeyPairSync("rsa", { modulusLength: 2048 }).publicKey.export({ format: "pem", type: "spki" });
const CERTIFICATE = readFileSync("test/unit/seal/vectors/renewed.crt", "utf8");
const AGE = "age1ql3z7hjy54pw3hyww5ayyfg7zqgvc7w3j2elw8zmrj2kg5sfn9aqmcac8p";

/** The rows: for whom the keys are sealed. */
const recipients: Readonly<Record<string, object>> = {
  "sealed-age": { age: [AGE] },
  "sealed-github": { githubActions: { key: GITHUB.toString("base64") } },
  "sealed-kubernetes": { kubernetes: { certificate: CERTIFICATE, namespace: "shop", name: "key" } },
  "sealed-rsa": { rsa: [RSA] },
};

const programOf = (n: number, args: object) => ({
  "Pulumi.yaml": "name: proj\nruntime: nodejs\n",
  "index.js": `const { ApiKey } = require("keyplane");
for (let at = 0; at < ${n}; at++) new ApiKey("key-" + at, ${JSON.stringify(args)});
`,
});

interface Sample {
  readonly requests: number;
  readonly ms: number;
}

/** Measures an `up` that creates `n` sealed keys. The floor is the same `up` without `sealTo`. */
export async function sealedRows(
  plane: ControlPlane,
  { n, runs }: { readonly n: number; readonly runs: number },
): Promise<Log[]> {
  const kinds: Readonly<Record<string, object>> = { floor: {}, ...recipients };
  const samples = new Map<string, Sample[]>(Object.keys(kinds).map((kind) => [kind, []]));
  for (let run = 0; run < runs; run++) {
    const turns = run % 2 === 0 ? Object.keys(kinds) : Object.keys(kinds).reverse();
    for (const kind of turns) {
      const sealTo = kinds[kind];
      const args = kind === "floor" ? {} : { sealTo };
      samples.get(kind)?.push(await sampleOf(plane, programOf(n, args)));
    }
  }
  const of = (kind: string) => {
    const taken = samples.get(kind) ?? [];
    return { requests: median(taken.map((each) => each.requests)), ms: median(taken.map((each) => each.ms)) };
  };
  const floor = of("floor");
  return Object.keys(recipients).map((scenario) => {
    const figures = {
      ...{ scenario, n, rttMs: 0, unit: "ms" as const, requestsNaive: null, msNaive: null },
      ...{ ...of(scenario), requestsFloor: floor.requests, msFloor: floor.ms },
    };
    return judged(figures, { requests: () => n + 1, ratio: 1.25 }, n >= 100);
  });
}

async function sampleOf(plane: ControlPlane, program: Readonly<Record<string, string>>): Promise<Sample> {
  await plane.reset();
  const workspace = await Workspace.create({
    engine: "embedded",
    program,
    env: { KEYPLANE_BASE_URL: plane.url, KEYPLANE_API_KEY: plane.apiKey },
  });
  try {
    const before = await plane.count();
    const { durationMs } = await workspace.up();
    return { requests: (await plane.count()) - before, ms: durationMs };
  } finally {
    await workspace.remove();
  }
}
