import { existsSync, readFileSync } from "node:fs";
import { readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { type EngineRun, type Rule, type RunResult, searchSecrets } from "keyplane/testing";
import { nextSecond } from "../next-second";
import { confirmationOf } from "./exclusions";
import type { CrashHarness, Stage } from "./harness";
import {
  judgeDeployed,
  judgeDestroyed,
  judgeRevocations,
  type ProviderKill,
  shownResources,
  type Verdict,
} from "./judge";
import type { Case, Moment } from "./plan";
import type { Keys, Scenario } from "./scenario";
import { scenarioOf } from "./scenarios";

/** How long a provider may outlive its engine, in milliseconds. */
const OUTLIVES_MS = 10_000;

/** How long one command may take, in milliseconds. */
const TIMEOUT_MS = 60_000;

/** The result of one run of the matrix. */
export interface CaseResult extends Verdict {
  readonly id: string;
  /** Any other problem: the moment never came, a command failed, or a file contained a secret. */
  readonly problems: readonly string[];
  readonly durationMs: number;
}

/** Interrupts a run at its moment, continues with the next command of the case, and judges the result. */
export async function runCase(harness: CrashHarness, one: Case): Promise<CaseResult> {
  const started = performance.now();
  const scenario = scenarioOf(harness.frontEnd, one.scenario);
  const stage = await harness.stage(scenario);
  const runner = new CaseRunner(stage, one, scenario);
  try {
    const verdict = await runner.run();
    return { id: one.id, ...verdict, problems: runner.problems, durationMs: Math.round(performance.now() - started) };
  } finally {
    await stage.close();
  }
}

class CaseRunner {
  readonly problems: string[] = [];
  private readonly excluded: string[] = [];
  private kill: ProviderKill | undefined;
  private readonly printed: Record<string, string> = {};

  constructor(
    private readonly stage: Stage,
    private readonly one: Case,
    private readonly scenario: Scenario,
  ) {}

  async run(): Promise<Verdict> {
    const { next, commit } = this.one;
    const { isRecorded } = this;
    const interrupted = this.scenario.command;
    await this.crash();
    if (commit === "late") await this.stage.plane.commitLate();
    const leaked: string[] = [];
    const lost: string[] = [];
    if (next !== "destroy") {
      const program = next === "back" ? this.before : this.scenario.program;
      if (next === "refresh") await this.command("refresh", program);
      await this.command("up", program);
      if (commit === "later") await this.stage.plane.commitLate();
      if (commit === "later" || this.isTakenBack) await this.command("up", program, ["--refresh"]);
      const deployed = await judgeDeployed(this.stage, program, {
        interrupted,
        isRecorded,
        reported: this.reported,
      });
      leaked.push(...deployed.leaked);
      this.excluded.push(...deployed.excluded);
      lost.push(...deployed.lost);
    }
    const shown = await shownResources(this.stage);
    await this.command("destroy", this.scenario.program);
    const destroyed = await judgeDestroyed(this.stage, { interrupted, isRecorded, shown, reported: this.reported });
    leaked.push(...destroyed.leaked);
    this.excluded.push(...destroyed.excluded);
    const { revoked } = await judgeRevocations(this.stage, this.scenario, this.kill);
    await this.hunt();
    return { leaked, excluded: this.excluded, lost, revoked };
  }

  /**
   * Whether the healing `up` has another goal than the interrupted command or an earlier one. Then it may have nothing to
   * do and send no request, so that only a refresh finds what the crash left.
   */
  private get isTakenBack(): boolean {
    const { command, start } = this.scenario;
    return this.one.next === "back" || start.orphan === true || (command === "destroy" && this.one.next === "up");
  }

  /** Whether the state has a record of the creation: the engine notes that of a resource, until it has failed. */
  private get isRecorded(): boolean {
    return this.one.victim !== "host" && this.scenario.targets.some(({ op }) => op.startsWith("create"));
  }

  /** The program as it was before the interrupted run. */
  private get before(): Keys {
    return this.scenario.start.runs.at(-1)?.program ?? {};
  }

  private async crash(): Promise<void> {
    const { plane, workspace, notes } = this.stage;
    const { moment } = this.one;
    await rm(join(notes, "loaded"), { force: true });
    const rule = ruleFor(this.one);
    if (rule) await plane.rules.add(rule);
    for (const fault of this.scenario.faults ?? []) await plane.rules.add(fault);
    const { command, program, exchange, failing, continues } = this.scenario;
    if (exchange) await this.stage.exchange();
    const env = { ...this.stage.env(program, planFor(this.one)), CRASH_FAILING: failing };
    const args = continues ? ["--continue-on-error"] : [];
    await nextSecond();
    const run = workspace.start(command, { env, args, timeoutMs: TIMEOUT_MS });
    const struck = moment.at === "server" ? await this.strikeHeld(run) : undefined;
    const result = await run.done;
    this.note("the interrupted run", result);
    if (!(struck ?? existsSync(join(this.stage.notes, "struck")))) {
      this.problems.push(`the moment never came; exit code ${result.exit}\n${result.stdout}${result.stderr}`);
    }
    await this.allEnded();
    if (this.one.victim !== "engine") this.kill = await this.killOf(join(notes, "struck"));
    await plane.rules.clear();
    await workspace.cancel();
    await nextSecond();
  }

  /** The kill that the preload recorded; undefined if the service knew the moment, and so had the request. */
  private async killOf(file: string): Promise<ProviderKill | undefined> {
    if (!existsSync(file)) return undefined;
    // The time of the file would be a few milliseconds too early.
    return { at: Number(await readFile(file, "utf8")), lastSeq: (await this.stage.plane.log()).at(-1)?.seq ?? 0 };
  }

  /** Kills while the service holds the request, and then releases the request. */
  private async strikeHeld(run: EngineRun): Promise<boolean> {
    const { plane, notes } = this.stage;
    const held = plane.held.wait(1, TIMEOUT_MS).then(
      () => true,
      () => false,
    );
    if (!(await Promise.race([held, run.done.then(() => false)]))) return false;
    const host = Number(await readFile(join(notes, "host.pid"), "utf8"));
    if (this.one.victim !== "host") run.kill();
    if (this.one.victim !== "engine") process.kill(host, "SIGKILL");
    await (this.one.commit === "never" ? plane.held.drop() : plane.held.release());
    return true;
  }

  /**
   * Waits until the last process of the run is gone. A host that never ran keyplane may stay, because it does nothing,
   * and so may the CLI's language host. Beside a plugin, the dynamic host runs only the consumers.
   */
  private async allEnded(): Promise<void> {
    const { notes, workspace, frontEnd } = this.stage;
    if (!existsSync(join(notes, "loaded"))) return;
    const mayStay =
      frontEnd === "plugin"
        ? /pulumi-language-nodejs|pulumi-resource-pulumi-nodejs|dynamic-provider/
        : /pulumi-language-nodejs/;
    const deadline = performance.now() + OUTLIVES_MS;
    for (;;) {
      const left = workspace.processes().map(commandOf);
      const outlives = left.filter((command) => !mayStay.test(command));
      if (outlives.length === 0) return;
      if (performance.now() > deadline) {
        this.problems.push(`a process of the interrupted run outlived it: ${outlives.join("; ")}`);
        return;
      }
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }

  /** Runs a command and returns what it printed. */
  private async command(
    command: "up" | "refresh" | "destroy",
    program: Keys,
    args: string[] = [],
    confirmed: NodeJS.ProcessEnv = {},
  ): Promise<string> {
    const env = { ...this.stage.env(program), ...confirmed };
    const result = await this.stage.workspace.run(command, { env, args, mayFail: true });
    this.note(command, result);
    const printed = `${result.stdout}${result.stderr}`;
    const isExchanged = this.scenario.start.runs.some(({ exchange }) => exchange);
    const confirmation = result.exit === 0 ? undefined : confirmationOf(this.stage.frontEnd, isExchanged, printed);
    if (confirmation !== undefined && Object.keys(confirmed).length === 0) {
      this.excluded.push(confirmation.title);
      return this.command(command, program, args, confirmation.env);
    }
    if (result.exit !== 0) this.problems.push(`${command} failed with exit code ${result.exit}\n${printed}`);
    return printed;
  }

  /** Ids of the orphans that a command has reported so far. */
  private get reported(): ReadonlySet<string> {
    const printed = Object.values(this.printed).join("\n");
    const kept = printed.matchAll(/key (\d+) \(.*no resource has it.*`npx keyplane revoke \1`/g);
    const left = printed.matchAll(/key (\d+) \(.*was left by an interrupted run/g);
    return new Set(Array.from([...kept, ...left], ([, id = ""]) => id));
  }

  private note(what: string, { stdout, stderr }: RunResult): void {
    this.printed[`${Object.keys(this.printed).length + 1}: ${what}`] = stdout + stderr;
  }

  /** No file and no output may contain a secret. */
  private async hunt(): Promise<void> {
    const { plane, workspace, secretsBefore } = this.stage;
    const issued = [...new Set([...secretsBefore, ...(await plane.secretsEverIssued())])];
    const secrets = Object.fromEntries(issued.map((secret, at) => [`secret ${at}`, secret]));
    const findings = await searchSecrets(secrets, { paths: [workspace.directory], texts: this.printed });
    for (const { secret, place, form } of findings) this.problems.push(`${secret} is in ${place} (${form})`);
  }
}

function commandOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " ");
  } catch {
    return "";
  }
}

/** The plan for the preload; undefined if the service knows the moment. */
function planFor({ moment, victim }: Case): object | undefined {
  if (moment.at === "server") return undefined;
  const { at: channel, point } = moment;
  if (moment.at === "engine") return { channel, match: { point, urn: moment.urn, op: moment.op }, nth: 1, victim };
  return { channel, match: { point, route: moment.route }, nth: moment.nth, victim };
}

/** What the service does with the request of the moment; undefined if it serves it normally. */
function ruleFor({ moment, commit }: Case): Rule | undefined {
  if (moment.at === "engine" || moment.point === "before-send") return undefined;
  const of = { route: moment.route, skip: moment.nth - 1 };
  // Processes that survive the kill get no answer to a request that is carried out late.
  const late = commit === "late" || commit === "later" ? ({ commit: "late", fault: "hang" } as const) : {};
  if (isHeld(moment)) return { ...of, hold: moment.point === "held-before-commit" ? "before" : "after", ...late };
  if (commit === "now") return undefined;
  return { ...of, fault: "hang", commit: "never", ...late };
}

function isHeld(moment: Moment): boolean {
  return moment.at === "server";
}
