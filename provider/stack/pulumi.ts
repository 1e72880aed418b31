import { type ExecFileException, execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { isSea } from "node:sea";
import { messageOf } from "../errors";
import { isObject, jsonIn, membersOf, textsOf } from "../members";
import { type Deployment, readDeployment } from "./deployment";
import { type Run, readHistory } from "./history";

/** The variable with the path of the Pulumi CLI. */
const CLI_VARIABLE = "KEYPLANE_PULUMI";

const TIMEOUT_MS = 60_000;

const MAX_ANSWER = 512 * 1024 * 1024;

/** How many runs are read. Services limit it. */
const RUNS = 100;

/** Why the Pulumi CLI did not answer. `failed` is any other reason. */
export type PulumiProblem =
  | "not found"
  | "no answer"
  | "no stack"
  | "none selected"
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
  /** The path of the CLI. @default `KEYPLANE_PULUMI`, else `pulumi` */
  readonly cli?: string | undefined;
  /** Maximum time to answer, in milliseconds. @default a minute */
  readonly timeoutMs?: number | undefined;
  /** The folder to ask in. @default the folder of the project */
  readonly cwd?: string | undefined;
  /** The environment. @default that of this process */
  readonly env?: NodeJS.ProcessEnv | undefined;
}

/**
 * Asks the Pulumi CLI about a stack: by default the one that is selected. It answers in the middle of a run, and all but
 * `config` without the passphrase of the stack. Each question throws a `PulumiError` whose message is safe to show.
 */
export class Pulumi {
  constructor(private readonly options: PulumiOptions = {}) {}

  /** The state as it is saved now, with every step that has ended. */
  async state(stack?: string): Promise<Deployment> {
    return answerOf("stack export", readDeployment, await this.#ask(["stack", "export"], stack));
  }

  /** The last 100 runs, newest first. */
  async history(stack?: string): Promise<readonly Run[]> {
    const question = ["stack", "history", "--json", "--page-size", String(RUNS)];
    return answerOf("stack history", readHistory, await this.#ask(question, stack));
  }

  /** The organizations of the user; none where the backend has none. */
  async organizations(): Promise<readonly string[]> {
    return answerOf(
      "whoami",
      (text) => textsOf(membersOf(jsonIn(text)).organizations),
      await this.#ask(["whoami", "--json"]),
    );
  }

  /** What the CLI prints as its version. */
  version(): Promise<string> {
    return this.#ask(["version"]);
  }

  /** The configuration of the stack, decrypted, by the whole names of its settings. An object is JSON. */
  async config(stack?: string): Promise<ReadonlyMap<string, ConfigValue>> {
    return answerOf("config", readConfig, await this.#ask(["config", "--json", "--show-secrets"], stack));
  }

  #ask(question: readonly string[], stack?: string): Promise<string> {
    const { cli = cliPath(), timeoutMs = TIMEOUT_MS, cwd = projectFolder(), env: own = process.env } = this.options;
    const words = [...question, ...(stack === undefined ? [] : ["--stack", stack]), "--non-interactive"];
    const [file, args] = cli.endsWith(".js") ? [nodePath(), [cli, ...words]] : [cli, words];
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

/** A setting of a stack. */
export interface ConfigValue {
  readonly text: string;
  readonly isSecret: boolean;
}

function readConfig(text: string): ReadonlyMap<string, ConfigValue> {
  const settings = jsonIn(text);
  if (!isObject(settings)) throw new Error("is not a JSON object");
  return new Map(
    Object.entries(settings).map(([name, setting]) => {
      const { value, secret } = membersOf(setting);
      return [name, { text: String(value ?? ""), isSecret: secret === true }] as const;
    }),
  );
}

/** What a project is described in. */
const PROJECT_FILES = ["Pulumi.yaml", "Pulumi.yml", "Pulumi.json"];

/**
 * The folder of the project, where a run usually starts: the CLI takes the relative path of a backend from the folder in
 * which it runs. A provider runs in the folder of the program (`main`), which can be below.
 */
function projectFolder(from = process.cwd()): string | undefined {
  if (PROJECT_FILES.some((name) => existsSync(join(from, name)))) return from;
  const above = dirname(from);
  return above === from ? undefined : projectFolder(above);
}

/** The path of the CLI that this process uses. It can be asked in another folder than this process's. */
function cliPath(): string {
  const path = process.env[CLI_VARIABLE] || "pulumi";
  return basename(path) === path ? path : resolve(path);
}

/** The Node for a CLI in JavaScript, which is that of tests. The plugin has its own inside, which runs nothing else. */
function nodePath(): string {
  return isSea() ? "node" : process.execPath;
}

function answerOf<Of>(command: string, read: (text: string) => Of, text: string): Of {
  try {
    return read(text);
  } catch (error) {
    throw new PulumiError(`the answer of \`pulumi ${command}\` ${messageOf(error)}`, "failed");
  }
}

function failureOf(error: ExecFileException): string {
  if (error.killed) return "did not answer in time";
  if (typeof error.signal === "string") return `was ended by ${error.signal}`;
  return typeof error.code === "number" ? `failed with exit code ${error.code}` : `could not be run (${error.code})`;
}

/** What the CLI prints about each problem. Its exit codes tell less: most problems of older versions have the same. */
const PRINTED: readonly (readonly [PulumiProblem, RegExp])[] = [
  ["no stack", /\bno stack named\b/],
  ["none selected", /\bno stack selected\b/],
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
