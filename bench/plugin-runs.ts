import { execFile, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:http2";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { promisify } from "node:util";
import type { ControlPlane } from "../testing/control-plane";
import { judged, type Log, median } from "./results";
import { noSamples, sampleOf } from "./whole-runs";

const run = promisify(execFile);

/** Builds the plugin and returns its folder. */
export function buildPlugin(): string {
  execFileSync(process.execPath, [join("scripts", "plugin.mjs")], { stdio: ["ignore", "ignore", "inherit"] });
  return "bin";
}

/** Pulumi's SDK records a stack trace for each property of a generated class, but not in the npm package. */
const NO_TRACES = { NODE_OPTIONS: "--stack-trace-limit=0" };

/**
 * Measures `up` through the plugin: with new keys, and without a change. The floor is the same with the dynamic provider.
 * Both programs run without stack traces, because the programs that need the plugin are in other languages.
 */
export async function pluginRows(
  plane: ControlPlane,
  plugin: string,
  { n, runs }: { readonly n: number; readonly runs: number },
): Promise<Log[]> {
  const samples = { plugin: noSamples(), keyplane: noSamples() };
  for (let at = 0; at < runs; at++) {
    const variants = at % 2 === 0 ? (["keyplane", "plugin"] as const) : (["plugin", "keyplane"] as const);
    for (const variant of variants)
      await sampleOf(plane, "embedded", variant, n, samples[variant], { plugin, env: NO_TRACES });
  }
  return (["create", "noop"] as const).map((phase) => {
    const [own, dynamic] = [samples.plugin[phase], samples.keyplane[phase]];
    const figures = {
      ...{ scenario: `${phase}-plugin`, n, rttMs: 0, unit: "ms" as const, requestsNaive: null, msNaive: null },
      ...{ requests: median(own.map((each) => each.requests)), ms: median(own.map((each) => each.ms)) },
      ...{
        requestsFloor: median(dynamic.map((each) => each.requests)),
        msFloor: median(dynamic.map((each) => each.ms)),
      },
    };
    return judged(figures, { requests: (keys) => (phase === "create" ? keys + 1 : 0), ratio: 1 }, n >= 10);
  });
}

/** Measures the time until the plugin prints its port. The floor is the start of Node without a script. */
export async function pluginStartRow(plugin: string, runs: number): Promise<Log> {
  const [own, floor]: [number[], number[]] = [[], []];
  // Without an engine, the plugin ends at once.
  const engine = createServer().listen(0, "127.0.0.1");
  await once(engine, "listening");
  const address = `127.0.0.1:${(engine.address() as AddressInfo).port}`;
  for (let at = 0; at < runs; at++) {
    own.push(await timeOf(() => startOf(join(plugin, "pulumi-resource-keyplane"), address)));
    floor.push(await timeOf(() => run(process.execPath, ["-e", "0"])));
  }
  engine.close();
  const figures = {
    ...{ scenario: "plugin-start", n: 1, rttMs: 0, unit: "ms" as const, msNaive: null },
    ...{ requests: 0, requestsFloor: 0, requestsNaive: null, ms: median(own), msFloor: median(floor) },
  };
  return judged(figures, { ratio: 3 }, true);
}

/** Starts the plugin, and ends it after its first line. */
async function startOf(file: string, engine: string): Promise<void> {
  const child = spawn(file, [engine], { stdio: ["ignore", "pipe", "inherit"] });
  await once(child.stdout, "data");
  child.kill("SIGKILL");
}

async function timeOf(work: () => Promise<unknown>): Promise<number> {
  const begun = performance.now();
  await work();
  return performance.now() - begun;
}
