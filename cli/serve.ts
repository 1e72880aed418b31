import { createInterface } from "node:readline";
import { parseArgs } from "node:util";
import { type ControlPlane, startControlPlane } from "../test/kit/control-plane";
import { UsageError } from "./usage-error";

/** What `keyplane help serve` prints. */
export const serveHelp = `Usage: keyplane serve --port PORT --api-key KEY [--data FILE]

Serves the control plane on this machine until it is stopped by Ctrl+C or SIGTERM.

  --port PORT       port of the API; 0 takes any free one (default: 0)
  --api-key KEY     the admin key; - reads it from the first line of standard input
                    (default: the environment variable KEYPLANE_API_KEY)
  --data FILE       keeps the whole state in FILE, so that it outlives the process
  --host 127.0.0.1  the only address that is served: the control endpoints need no key

The API is below /api/v2, the control endpoints of tests are below /_control.
`;

const options = {
  port: { type: "string", default: "0" },
  "api-key": { type: "string" },
  data: { type: "string" },
  host: { type: "string", default: "127.0.0.1" },
} as const;

function parse(args: string[]) {
  try {
    return parseArgs({ args, options }).values;
  } catch (error) {
    throw new UsageError(error instanceof Error ? (error.message.split("\n", 1)[0] ?? "") : String(error));
  }
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

/** Runs `keyplane serve`; resolves when it was told to stop and has stopped. */
export async function serve(args: string[]): Promise<void> {
  const { port, "api-key": keyOption, data, host } = parse(args);
  if (host !== "127.0.0.1") throw new UsageError("--host can only be 127.0.0.1: the control endpoints need no key");
  const plane: ControlPlane = await startControlPlane({
    port: readPort(port),
    apiKey: await readKey(keyOption),
    clock: { mode: "real" },
    ...(data === undefined ? {} : { data }),
  });
  const stop = stopped();
  const origin = new URL(plane.url).origin;
  console.log(`API:      ${plane.url}`);
  console.log(`Control:  ${origin}/_control (no key needed; also ${plane.controlUrl})`);
  console.log("Stop with Ctrl+C.");
  await stop;
  await plane.close();
}
