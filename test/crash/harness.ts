import { cp, mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { type ControlPlane, type EngineName, startControlPlane, type Workspace } from "keyplane/testing";
import { type FrontEnd, optionsFor, SDK, StackUnderTest } from "../e2e/stack-under-test";
import { nextSecond } from "../next-second";
import { type Case, casesOf, type Message } from "./plan";
import { HAND_ID, HAND_KEY, KEY_OF_A, type Keys, marginOf, type Scenario } from "./scenarios";

const ROOT = dirname(require.resolve("keyplane/package.json"));
const ASSETS = join(ROOT, "test", "crash");
const { tagOf } = require(join(ROOT, "dist", "provider", "keys", "naming.js")) as { tagOf(urn: string): string };
const API_KEY = "kp_admin-of-the-crash-tests-0123456789";

/** What a case starts from. */
interface Prepared {
  /** The content of the state file; undefined if nothing has been deployed. */
  readonly state: string | undefined;
  /** A folder with the history of the stack's runs. */
  readonly history: string;
  /** The content of the control plane's data file. */
  readonly data: string;
  /** Which key each consumer holds. */
  readonly deliveries: string;
  readonly keyOfA: string;
  readonly hand: { readonly id: string; readonly key: string };
  /** Ids of keys that do not belong to the stack. */
  readonly strangers: readonly number[];
  /** All secrets issued so far. */
  readonly secrets: readonly string[];
}

/** One stack at one control plane, for one case. */
export interface Stage {
  readonly plane: ControlPlane;
  readonly stack: StackUnderTest;
  readonly workspace: Workspace;
  /** The folder in which the processes of the run write their notes. */
  readonly notes: string;
  readonly start: Prepared;
  env(program: Keys, plan?: object): NodeJS.ProcessEnv;
  close(): Promise<void>;
}

const NOTHING: Prepared = {
  state: undefined,
  history: "",
  data: "",
  deliveries: "",
  keyOfA: "",
  hand: { id: "", key: "" },
  strangers: [],
  secrets: [],
};

/** Runs cases one after another, always at the same address, so that they can start from a state that is prepared once. */
export class CrashHarness {
  private readonly prepared = new Map<string, Promise<Prepared>>();

  private constructor(
    private readonly folder: string,
    private readonly port: number,
    readonly engine: EngineName,
    readonly frontEnd: FrontEnd,
  ) {}

  /** @param folder - Where files that runs share are stored. */
  static async open(folder: string, engine: EngineName, frontEnd: FrontEnd): Promise<CrashHarness> {
    await mkdir(folder, { recursive: true });
    const plane = await startControlPlane();
    const port = Number(new URL(plane.url).port);
    await plane.close();
    return new CrashHarness(folder, port, engine, frontEnd);
  }

  /** The stack of a scenario before the run that is interrupted. */
  async stage(scenario: Scenario): Promise<Stage> {
    let prepared = this.prepared.get(scenario.name);
    if (prepared === undefined) {
      prepared = this.prepare(scenario);
      this.prepared.set(scenario.name, prepared);
    }
    return this.open(await prepared);
  }

  /** The cases of a scenario, from what one run without a kill says. */
  async cases(scenario: Scenario): Promise<Case[]> {
    const { command, program, rules = [] } = scenario;
    const stage = await this.stage(scenario);
    try {
      for (const rule of rules) await stage.plane.rules.add(rule);
      const record = join(stage.notes, "messages");
      await stage.workspace.run(command, { env: stage.env(program, { record }) });
      const lines = (await readFile(record, "utf8")).trim().split("\n");
      return casesOf(
        scenario,
        lines.map((line) => JSON.parse(line) as Message),
      );
    } finally {
      await stage.close();
    }
  }

  private async open(start: Prepared): Promise<Stage> {
    const data = join(this.folder, "control-plane.json");
    await rm(data, { force: true });
    if (start.data !== "") await writeFile(data, start.data);
    const plane = await startControlPlane({ port: this.port, data, apiKey: API_KEY });
    const { packages, plugins } = optionsFor(this.frontEnd);
    const options = {
      engine: this.engine,
      plugins,
      config: { "keyplane:requestTimeout": "20s" },
      packages: { ...packages, consumer: join(ASSETS, "consumer") },
    };
    const stack = await StackUnderTest.of(plane, join(ASSETS, "program"), options, this.frontEnd);
    const { workspace } = stack;
    const notes = join(workspace.directory, "notes");
    await mkdir(notes);
    if (start.state !== undefined) {
      await mkdir(dirname(workspace.stateFile), { recursive: true });
      await writeFile(workspace.stateFile, start.state);
      await cp(start.history, historyOf(workspace), { recursive: true });
    }
    await writeFile(join(notes, "deliveries"), start.deliveries);
    const placeholders = { [KEY_OF_A]: start.keyOfA, [HAND_ID]: start.hand.id, [HAND_KEY]: start.hand.key };
    return {
      plane,
      stack,
      workspace,
      notes,
      start,
      env: (program, plan) => ({
        NODE_OPTIONS: `--require ${join(ASSETS, "preload.cjs")}`,
        CRASH_FRONT_END: this.frontEnd,
        CRASH_PROGRAM: Object.entries(placeholders).reduce(
          (text, [name, value]) => text.replaceAll(name, value),
          JSON.stringify(program),
        ),
        CRASH_PLAN: plan ? JSON.stringify(plan) : "",
        CRASH_FOLDER: notes,
        CRASH_CODE: this.folder,
        DERIVED_KEYS: this.folder,
        CRASH_URL: plane.url,
        ...(this.engine === "embedded" && { KEYPLANE_PULUMI: join(ROOT, "dist", "testing", "engine", "main.js") }),
      }),
      close: async () => {
        // The case itself looks for secrets.
        await workspace.remove({ search: false });
        await plane.close();
      },
    };
  }

  private async prepare({ before, waitMs, program }: Scenario): Promise<Prepared> {
    const first = await this.open(NOTHING);
    const { plane, workspace, notes } = first;
    try {
      await plane.state.createProject();
      // It looks like one of `a`, but nothing proves that it is.
      const tag = tagOf(`urn:pulumi:${workspace.stack}::${workspace.project}::${SDK[this.frontEnd].type}:ApiKey::a`);
      const stranger = await plane.state.createKey(`a-${tag}aaaaaaa`);
      const byHand = await plane.state.createKey("by-hand");
      const isAdopted = JSON.stringify(program).includes(HAND_ID);
      let keyOfA = "";
      for (const { program: declared, rules = [], killedAt } of before) {
        for (const rule of rules) await plane.rules.add(rule);
        const plan = killedAt && { ...killedAt, victim: "both" };
        await workspace.up({ env: first.env(declared, plan), mayFail: killedAt !== undefined || rules.length > 0 });
        keyOfA ||= keyOfAIn(await readFile(workspace.stateFile, "utf8"));
        await plane.rules.clear();
        await workspace.cancel();
        await nextSecond();
      }
      await setTimeout(waitMs ?? marginOf(program));
      const isDeployed = before.length > 0;
      const history = join(this.folder, `history-${this.prepared.size}`);
      if (isDeployed) await cp(historyOf(workspace), history, { recursive: true });
      return {
        state: isDeployed ? await readFile(workspace.stateFile, "utf8") : undefined,
        history,
        data: JSON.stringify(await plane.state.read()),
        deliveries: await readFile(join(notes, "deliveries"), "utf8"),
        keyOfA,
        hand: { id: String(byHand.id), key: byHand.key },
        strangers: [stranger.id, ...(isAdopted ? [] : [byHand.id])],
        secrets: await plane.secretsEverIssued(),
      };
    } finally {
      await first.close();
    }
  }
}

/** The folder with the history of a workspace's stack, beside its state. */
function historyOf({ stateFile, project, stack }: Workspace): string {
  return join(dirname(stateFile), "..", "..", "history", project, stack);
}

interface StateFile {
  readonly checkpoint: {
    readonly latest?: {
      readonly resources?: readonly { readonly urn: string; readonly outputs?: { readonly keyId?: unknown } }[];
    };
  };
}

/** The id of the key of `a` in a state; empty if there is none. */
function keyOfAIn(state: string): string {
  const { resources = [] } = (JSON.parse(state) as StateFile).checkpoint.latest ?? {};
  return String(resources.find(({ urn }) => urn.endsWith("::a"))?.outputs?.keyId ?? "");
}
