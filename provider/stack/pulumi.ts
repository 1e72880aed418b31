import { type ExecFileException, execFile } from "node:child_process";
import { messageOf } from "../errors";
import type { EngineCommand } from "./command-line";
import { type Deployment, readDeployment } from "./deployment";
import { type RunPage, readHistory } from "./history";

const TIMEOUT_MS = 60_000;

const MAX_ANSWER = 512 * 1024 * 1024;

/** How many runs a page has. Services limit it. */
const RUNS = 100;

/** Why the Pulumi CLI did not answer. `failed` is any other reason. */
export type PulumiProblem =
  | "not found"
  | "no answer"
  | "no stack"
  | "no login"
  | "no project"
  | "no passphrase"
  | "wrong passphrase"
  | "failed";

/** The Pulumi CLI did not answer. The message is safe to show: it repeats nothing that the CLI printed. */
export class PulumiError extends Error {
  constructor(
    message: string,
    readonly problem: PulumiProblem,
  ) {
    super(message);
  }
}

interface PulumiOptions {
  /** Maximum time to answer, in milliseconds. @default a minute */
  readonly timeoutMs?: number | undefined;
  /** The folder of the project. @default the working directory of this process */
  readonly cwd?: string | undefined;
  /** The environment. @default that of this process */
  readonly env?: NodeJS.ProcessEnv | undefined;
}

/**
 * Asks the Pulumi CLI about a stack: the one that it is deploying, or one that the user names. It answers in the middle
 * of a run, and all but `secret` without the passphrase of the stack. Each question throws a `PulumiError` whose message
 * is safe to show.
 */
export class Pulumi {
  constructor(
    private readonly command: Pick<EngineCommand, "cli" | "stack">,
    private readonly options: PulumiOptions = {},
  ) {}

  /** The state as it is saved now, with every step that has ended. */
  async state(stack: string): Promise<Deployment> {
    const text = await this.#ask(["stack", "export"], stack);
    try {
      return readDeployment(text);
    } catch (error) {
      throw new PulumiError(`the answer of \`pulumi stack export\` ${messageOf(error)}`, "failed");
    }
  }

  /** A page of the runs of a stack, from 1, newest first. */
  async history(stack: string, page: number): Promise<RunPage> {
    const question = ["stack", "history", "--json", "--page-size", String(RUNS), "--page", String(page)];
    const runs = readHistory(await this.#ask(question, stack));
    return { runs, isLast: runs.length < RUNS };
  }

  /** A value of the stack's configuration, decrypted. An object is JSON. */
  async secret(key: string, stack: string): Promise<string> {
    return (await this.#ask(["config", "get", key], stack)).replace(/\r?\n$/, "");
  }

  async #ask(question: readonly string[], stack: string): Promise<string> {
    const { stack: named } = this.command;
    // A state that was renamed has the old name. That on the command line can contain the organization, too.
    const words = [...question, "--stack", named || stack];
    try {
      return await this.#run(words);
    } catch (error) {
      // Pulumi completes a name with the user's default organization. The selected stack can be in another one.
      if (named !== "" || !(error instanceof PulumiError && error.problem === "no stack")) throw error;
      return this.#run(question);
    }
  }

  #run(question: readonly string[]): Promise<string> {
    const { cli } = this.command;
    const { timeoutMs = TIMEOUT_MS, cwd, env: own = process.env } = this.options;
    const words = [...question, "--non-interactive"];
    const [file, args] = cli.endsWith(".js") ? [process.execPath, [cli, ...words]] : [cli, words];
    const env = { ...own, PULUMI_SKIP_UPDATE_CHECK: "true", NoDefaultCurrentDirectoryInExePath: "1" };
    return new Promise((resolve, reject) => {
      const limits = { maxBuffer: MAX_ANSWER, timeout: timeoutMs, killSignal: "SIGKILL" } as const;
      execFile(file, args, { env, cwd, encoding: "utf8", windowsHide: true, ...limits }, (error, stdout, stderr) => {
        if (error === null) resolve(stdout);
        // The message of the error repeats what the CLI printed.
        else {
          const message = `\`pulumi ${question.slice(0, 2).join(" ")}\` ${failureOf(error)}`;
          reject(new PulumiError(message, problemOf(error, stderr)));
        }
      }).stdin?.end();
    });
  }
}

function failureOf(error: ExecFileException): string {
  if (error.killed) return "did not answer in time";
  return typeof error.code === "number" ? `failed with exit code ${error.code}` : `could not be run (${error.code})`;
}

/** What the CLI prints about each problem. Its exit codes tell less: most problems of older versions have the same. */
const PRINTED: readonly (readonly [PulumiProblem, RegExp])[] = [
  ["no stack", /\bno stack named\b/],
  ["no login", /PULUMI_ACCESS_TOKEN must be set for login|\bpulumi login\b|\binvalid access token\b/],
  ["no project", /\bno Pulumi\.yaml\b/],
  ["no passphrase", /\bpassphrase must be set\b|\bno passphrase\b/],
  ["wrong passphrase", /\bincorrect passphrase\b/],
];

function problemOf(error: ExecFileException, printed: string): PulumiProblem {
  if (error.killed) return "no answer";
  if (typeof error.code !== "number") return error.code === "ENOENT" ? "not found" : "failed";
  return PRINTED.find(([, sentence]) => sentence.test(printed))?.[0] ?? "failed";
}
