import { once } from "node:events";
import { createInterface } from "node:readline";
import type { Command } from "commander";
import { isKeyText } from "../provider/secrets";
import { credentialsIn } from "../provider/settings/settings";
import { print, printInfo, printKey } from "./output";
import { UsageError } from "./usage-error";

interface ServeFlags {
  readonly port: string;
  readonly apiKey?: string;
  readonly data?: string;
  readonly json?: true;
}

/** `keyplane serve`: runs the control plane on this machine. */
export function addServe(program: Command): void {
  program
    .command("serve")
    .description("runs a control plane on this machine, for tests and experiments")
    .option("--port <port>", "port of the API; 0 means any free port", "0")
    .option("--api-key <key>", "the admin key; - reads it from standard input (default: a new one, which is shown)")
    .option("--data <file>", "keeps the state in a file across restarts")
    .option("--json", "prints its addresses as one line of JSON")
    .addHelpText(
      "after",
      "\nThe API is below /api/v2, the control endpoints of tests are below /_control.\nStop with Ctrl+C.",
    )
    .action(serve);
}

/**
 * Returns the given admin key, and whether the control endpoints may reveal it. They reveal a key from the command
 * line, which is visible anyway. They do not reveal a key from standard input, or one that is also in the environment,
 * because it could be a real key.
 */
async function givenKey(option: string | undefined): Promise<{ apiKey?: string; showsApiKey?: boolean }> {
  if (option === undefined) return {};
  const apiKey = option === "-" ? await firstLineOfInput() : option;
  if (!isKeyText(apiKey)) throw new UsageError("the admin key must be visible ASCII characters without spaces");
  const known = [...Object.values(process.env), ...credentialsIn(() => undefined).values()];
  return { apiKey, showsApiKey: option !== "-" && !known.includes(apiKey) };
}

async function firstLineOfInput(): Promise<string> {
  for await (const line of createInterface({ input: process.stdin })) return line.trim();
  return "";
}

function readPort(text: string): number {
  const port = Number(text);
  if (/^\d{1,5}$/.test(text) && port <= 65535) return port;
  throw new UsageError("--port must be a whole number from 0 to 65535");
}

/** Runs the control plane. Resolves after it was told to stop and has stopped. */
async function serve({ port, apiKey, data, json }: ServeFlags): Promise<void> {
  const seed = { port: readPort(port), ...(await givenKey(apiKey)), clock: { mode: "real" } } as const;
  // Loaded only here, so that other commands do not load a web server.
  const { startControlPlane } = await import("../testing/control-plane/index.js");
  const plane = await startControlPlane({ ...seed, ...(data === undefined ? {} : { data }) });
  // A second signal ends the process immediately.
  const stop = Promise.race(["SIGINT", "SIGTERM"].map((signal) => once(process, signal)));
  const controlUrl = `${new URL(plane.url).origin}/_control`;
  // A generated key must be shown to be usable. Whoever needs a given key already knows it.
  const made = apiKey === undefined ? { apiKey: plane.apiKey } : {};
  if (json) {
    printKey(JSON.stringify({ url: plane.url, controlUrl, ...made }));
  } else {
    print(`API:      ${plane.url}`);
    if (made.apiKey !== undefined) printKey(`API key:  ${made.apiKey}`);
    print(`Control:  ${controlUrl} (no key needed; also ${plane.controlUrl})`);
    print("Stop with Ctrl+C.");
  }
  if (apiKey === undefined && process.env.KEYPLANE_API_KEY) {
    printInfo("KEYPLANE_API_KEY is not used here: set it to the key above, or choose a key with --api-key.");
  }
  await stop;
  await plane.close();
}
