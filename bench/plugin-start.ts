import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:http2";
import type { AddressInfo } from "node:net";
import { promisify } from "node:util";
import { compare, type Row, rowOf, type Sample } from "./results";

const run = promisify(execFile);

/** Measures the time until the plugin prints its port, compared with the start of Node without a script. */
export async function pluginStartRow(runs: number): Promise<Row> {
  // Without an engine, the plugin ends at once.
  const engine = createServer().listen(0, "127.0.0.1");
  await once(engine, "listening");
  const address = `127.0.0.1:${(engine.address() as AddressInfo).port}`;
  const [own, base] = await compare(
    runs,
    timeOf(() => startOf("bin/pulumi-resource-keyplane", address)),
    timeOf(() => run(process.execPath, ["-e", "0"])),
  );
  engine.close();
  return rowOf({ name: "plugin: start", n: 0, target: { requests: 0, ratio: 3 } }, own, base);
}

/** Starts the plugin, and ends it after its first line. */
async function startOf(file: string, engine: string): Promise<void> {
  const child = spawn(file, [engine], { stdio: ["ignore", "pipe", "inherit"] });
  await once(child.stdout, "data");
  child.kill("SIGKILL");
}

function timeOf(work: () => Promise<unknown>): () => Promise<Sample> {
  return async () => {
    const begun = performance.now();
    await work();
    return { requests: 0, ms: performance.now() - begun };
  };
}
