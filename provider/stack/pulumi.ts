import { execFile } from "node:child_process";
import { messageOf } from "../errors";
import type { EngineCommand } from "./command-line";
import { type Deployment, readDeployment } from "./deployment";
import { type Run, readHistory } from "./history";

const TIMEOUT_MS = 60_000;

/** Maximum size of an answer, in bytes. */
const MAX_ANSWER = 512 * 1024 * 1024;

/** How many of the last runs to look through. */
const RUNS = 100;

/**
 * Asks the Pulumi CLI about the stack that it is deploying. It answers in the middle of a run, and without the
 * passphrase of the stack. Both questions throw an error whose message is safe to show.
 */
export class Pulumi {
  /** @param timeoutMs - Maximum time to answer, in milliseconds. @default a minute */
  constructor(
    private readonly command: Pick<EngineCommand, "cli" | "stack">,
    private readonly timeoutMs = TIMEOUT_MS,
  ) {}

  /** The state as it is saved now, with every step that has ended. */
  async state(stack: string): Promise<Deployment> {
    const text = await this.#ask(["stack", "export"], stack);
    try {
      return readDeployment(text);
    } catch (error) {
      throw new Error(`the answer of \`pulumi stack export\` ${messageOf(error)}`);
    }
  }

  /** The last deployments. */
  async history(stack: string): Promise<readonly Run[]> {
    return readHistory(await this.#ask(["stack", "history", "--json", "--page-size", String(RUNS)], stack));
  }

  #ask(question: readonly string[], stack: string): Promise<string> {
    const { cli, stack: named } = this.command;
    // The name on the command line can contain the organization.
    const selected = named?.split("/").at(-1) === stack ? named : stack;
    const words = [...question, "--stack", selected, "--non-interactive"];
    const [file, args] = cli.endsWith(".js") ? [process.execPath, [cli, ...words]] : [cli, words];
    const env = { ...process.env, PULUMI_SKIP_UPDATE_CHECK: "true", NoDefaultCurrentDirectoryInExePath: "1" };
    return new Promise((resolve, reject) => {
      const limits = { maxBuffer: MAX_ANSWER, timeout: this.timeoutMs, killSignal: "SIGKILL" } as const;
      execFile(file, args, { env, encoding: "utf8", windowsHide: true, ...limits }, (error, stdout) => {
        if (error === null) resolve(stdout);
        // The message of the error repeats what the CLI printed.
        else reject(new Error(`\`pulumi ${question.slice(0, 2).join(" ")}\` ${failureOf(error)}`));
      }).stdin?.end();
    });
  }
}

function failureOf(error: Error & { readonly code?: unknown; readonly killed?: boolean | undefined }): string {
  if (error.killed) return "did not answer in time";
  return typeof error.code === "number" ? `failed with exit code ${error.code}` : `could not be run (${error.code})`;
}
