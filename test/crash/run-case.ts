import { existsSync, readFileSync } from "node:fs";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { nextSecond } from "../next-second";
import type { CrashHarness, Stage } from "./harness";
import { heldIn, judge, type Verdict } from "./judge";
import type { Case, Message } from "./plan";
import { changed, type Keys, marginOf, type Scenario, scenarioOf } from "./scenarios";

/** How long a provider may outlive its engine, in milliseconds. */
const OUTLIVES_MS = 10_000;

/** How long one command may take, in milliseconds. */
const TIMEOUT_MS = 120_000;

/** The result of one case. */
export interface CaseResult extends Verdict {
  readonly id: string;
  /** Any other problem: the moment never came, a command failed, or a file contained a secret. */
  readonly problems: readonly string[];
  readonly durationMs: number;
}

/** Interrupts a run at its moment, continues with the next command of the case, and judges the result. */
export async function runCase(harness: CrashHarness, one: Case): Promise<CaseResult> {
  const started = performance.now();
  const scenario = scenarioOf(one.scenario);
  const stage = await harness.stage(scenario);
  try {
    const runner = new CaseRunner(stage, one, scenario);
    const verdict = await runner.run();
    return { id: one.id, ...verdict, problems: runner.problems, durationMs: Math.round(performance.now() - started) };
  } finally {
    await stage.close();
  }
}

class CaseRunner {
  readonly problems: string[] = [];

  constructor(
    private readonly stage: Stage,
    private readonly one: Case,
    private readonly scenario: Scenario,
  ) {}

  async run(): Promise<Verdict> {
    const { plane } = this.stage;
    await this.crash();
    const atCrash = await heldIn(this.stage);
    const lastSeq = (await plane.log()).at(-1)?.seq ?? 0;
    const program = await this.goOn();
    const printed = Object.values(this.stage.stack.printed).slice(1).join("\n");
    const verdict = await judge(this.stage, this.scenario, { one: this.one, atCrash, lastSeq, printed, program });
    await this.hunt();
    return verdict;
  }

  /** Runs what follows. Returns the program that is deployed then. */
  private async goOn(): Promise<Keys | undefined> {
    const { plane } = this.stage;
    const { before, command, program } = this.scenario;
    if (this.one.next === "destroy") {
      await this.command("destroy", program);
      return undefined;
    }
    const isBack = this.one.next === "back";
    const next = isBack ? (before.at(-1)?.program ?? {}) : program;
    // A key whose deletion was interrupted is still in the state, so only a refresh shows that it is gone.
    await this.command("up", next, isBack || command === "destroy" ? ["--refresh"] : []);
    if (!isBack && this.one.commit === "now") return next;
    if (this.one.commit === "later") await setTimeout(marginOf(next));
    await plane.commitLate();
    await nextSecond();
    // A rotation that only waits for the previous key asks for no list, so that a refresh has to report what is left.
    await this.command("up", changed(next), this.one.commit === "later" ? ["--refresh"] : []);
    return changed(next);
  }

  private async crash(): Promise<void> {
    const { plane, workspace, notes } = this.stage;
    const { message, nth, victim, commit } = this.one;
    await rm(join(notes, "loaded"), { force: true });
    const { command, program, rules = [] } = this.scenario;
    if (commit === "later")
      await plane.rules.add({ ...routeOf(message), skip: nth - 1, fault: "hang", commit: "late" });
    for (const rule of rules) await plane.rules.add(rule);
    const env = this.stage.env(program, { message, nth, victim });
    const result = await workspace.start(command, { env, timeoutMs: TIMEOUT_MS }).done;
    this.stage.stack.collect("the interrupted run", result);
    if (!existsSync(join(notes, "struck"))) {
      this.problems.push(`the moment never came; exit code ${result.exit}\n${result.stdout}${result.stderr}`);
    }
    await this.allEnded();
    await plane.rules.clear();
    await workspace.cancel();
    await nextSecond();
    await setTimeout(marginOf(program));
  }

  /**
   * Waits until the last process of the run is gone. A host that never ran keyplane may stay, because it does nothing,
   * and so may the CLI's language host. Beside a plugin, the dynamic host runs only the consumers.
   */
  private async allEnded(): Promise<void> {
    const { notes, workspace, stack } = this.stage;
    if (!existsSync(join(notes, "loaded"))) return;
    const mayStay =
      stack.frontEnd === "plugin"
        ? /pulumi-language-nodejs|pulumi-resource-pulumi-nodejs|dynamic-provider/
        : /pulumi-language-nodejs/;
    const deadline = performance.now() + OUTLIVES_MS;
    for (;;) {
      const outlives = workspace
        .processes()
        .map(commandOf)
        .filter((command) => !mayStay.test(command));
      if (outlives.length === 0) return;
      if (performance.now() > deadline) {
        this.problems.push(`a process of the interrupted run outlived it: ${outlives.join("; ")}`);
        return;
      }
      await setTimeout(20);
    }
  }

  private async command(command: "up" | "destroy", program: Keys, args: readonly string[] = []): Promise<void> {
    const env = this.stage.env(program);
    const result = await this.stage.workspace.run(command, { env, args, mayFail: true, timeoutMs: TIMEOUT_MS });
    this.stage.stack.collect(command, result);
    if (result.exit === 0) return;
    this.problems.push(`${command} failed with exit code ${result.exit}\n${result.stdout}${result.stderr}`);
  }

  /** No file and no output may contain a secret. */
  private async hunt(): Promise<void> {
    const { stack, start } = this.stage;
    const findings = await stack.secretsShown(start.secrets);
    for (const { secret, place, form } of findings) this.problems.push(`${secret} is in ${place} (${form})`);
  }
}

function routeOf(message: Message): { readonly route: string } {
  if (message.channel === "engine") throw new Error("only a request can be carried out later");
  return { route: message.route };
}

function commandOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " ");
  } catch {
    return "";
  }
}
