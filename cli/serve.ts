import { createInterface } from "node:readline";
import type { Command } from "commander";
import type { Session } from "./session";
import { print } from "./terminal";
import { UsageError } from "./usage-error";

interface ServeFlags {
  readonly port: string;
  readonly apiKey?: string;
  readonly data?: string;
  readonly host: string;
  readonly json?: true;
}

/** `keyplane serve`: the control plane on this machine. */
export function addServe(program: Command, _session: Session): void {
  program
    .command("serve")
    .description("serves the control plane on this machine, for tests and for trying things out")
    .option("--port <port>", "port of the API; 0 takes any free one", "0")
    .option("--api-key <key>", "the admin key; - reads it from standard input (default: KEYPLANE_API_KEY)")
    .option("--data <file>", "keeps the whole state in a file, so that it outlives the process")
    .option("--host <address>", "the only address that is served: the control endpoints need no key", "127.0.0.1")
    .option("--json", "prints where it serves as one line of JSON")
    .addHelpText(
      "after",
      "\nThe API is below /api/v2, the control endpoints of tests are below /_control.\nStop with Ctrl+C.",
    )
    .action(serve);
}

async function firstLineOfInput(): Promise<string> {
  const lines = createInterface({ input: process.stdin });
  for await (const line of lines) return line.trim();
  return "";
}

async function readKey(option: string | undefined): Promise<string> {
  const key = option === "-" ? await firstLineOfInput() : (option ?? process.env.KEYPLANE_API_KEY ?? "");
  if (key === "") throw new UsageError("an admin key is needed: --api-key KEY, or KEYPLANE_API_KEY in the environment");
  if (!/^[\x21-\x7e]+$/.test(key))
    throw new UsageError("the admin key must be visible ASCII characters without spaces");
  return key;
}

function readPort(text: string): number {
  const port = Number(text);
  if (/^\d{1,5}$/.test(text) && port <= 65535) return port;
  throw new UsageError("--port must be a whole number from 0 to 65535");
}

/** Resolves when the process is told to stop; a second signal ends it at once. */
function stopped(): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => resolve());
  });
}

/** Serves; resolves when it was told to stop and has stopped. */
async function serve({ port, apiKey, data, host, json }: ServeFlags): Promise<void> {
  if (host !== "127.0.0.1") throw new UsageError("--host can only be 127.0.0.1: the control endpoints need no key");
  const seed = { port: readPort(port), apiKey: await readKey(apiKey), clock: { mode: "real" } } as const;
  // Loaded only here, so that no other command pays for a web server.
  const { startControlPlane } = await import("../test/kit/control-plane/index.js");
  const plane = await startControlPlane({ ...seed, ...(data === undefined ? {} : { data }) });
  const stop = stopped();
  const controlUrl = `${new URL(plane.url).origin}/_control`;
  if (json) {
    print(JSON.stringify({ url: plane.url, controlUrl }));
  } else {
    print(`API:      ${plane.url}`);
    print(`Control:  ${controlUrl} (no key needed; also ${plane.controlUrl})`);
    print("Stop with Ctrl+C.");
  }
  await stop;
  await plane.close();
}
