import { cp, mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { type ControlPlane, type EngineName, startControlPlane, Workspace } from "keyplane/testing";
import { nextSecond } from "../next-second";
import type { FrontEnd } from "./plan";
import { KEY_OF_A } from "./programs";
import type { Keys, Scenario } from "./scenario";

const ROOT = dirname(require.resolve("keyplane/package.json"));
const ASSETS = join(ROOT, "test", "crash");
const { nonceFrom, startMark } = require(join(ROOT, "dist", "provider", "keys", "names.js")) as {
  nonceFrom(seed: string, attempt: number): string;
  startMark(startedAt: number): string;
};
const { keepStates } = require(join(ASSETS, "keep-states.cjs")) as {
  keepStates(file: string, folder: string): () => void;
};
const API_KEY = "kp_admin-of-the-crash-tests-0123456789";

/** A key that exists from the start and looks like the stack's. It must stay live. */
const STRANGER = "a-strangers-x7k2mq4z-aaaaaaaa";

/** The name of another credential of the account. */
const CREDENTIAL = "another-credential";

/** The state of the stack, the service and the consumers from which a run starts. */
interface Prepared {
  /** The content of the state file; undefined if nothing has been deployed. */
  readonly state: string | undefined;
  /** A folder with the history of its runs. */
  readonly history: string;
  /** The content of the control plane's data file. */
  readonly data: string;
  /** Which key each consumer holds. */
  readonly deliveries: string;
  /** The id of the first key of `a`. */
  readonly keyOfA: string;
  /** All secrets issued so far. */
  readonly secrets: readonly string[];
  /** The configured credential. */
  readonly credential: string;
}

/** One stack at one control plane, for one run of the matrix. */
export interface Stage {
  readonly plane: ControlPlane;
  readonly workspace: Workspace;
  readonly frontEnd: FrontEnd;
  /** The folder in which the processes of the run write their notes. */
  readonly notes: string;
  /** Ids of keys that do not belong to the stack. */
  readonly strangers: readonly number[];
  /** Secrets issued before the run. The control plane knows the later ones. */
  readonly secretsBefore: readonly string[];
  /** @param keyOfA - The id of the first key of `a`. By default that of the state from which the run starts. */
  env(program: Keys, plan?: object, keyOfA?: string): NodeJS.ProcessEnv;
  /** Creates another credential of the same account, configures it and returns it. */
  exchange(): Promise<string>;
  close(): Promise<void>;
}

/**
 * Prepares one run after another, always at the same address, so that many runs can start from a state that is prepared
 * only once.
 */
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

  /** The environment in which the scenario starts. */
  async stage(scenario: Scenario): Promise<Stage> {
    let prepared = this.prepared.get(scenario.name);
    if (prepared === undefined) {
      prepared = this.prepare(scenario);
      this.prepared.set(scenario.name, prepared);
    }
    return this.set(await prepared);
  }

  /** Removes the files that runs share. */
  async close(): Promise<void> {
    await rm(this.folder, { recursive: true, force: true });
  }

  private async set(start: Prepared | undefined): Promise<Stage> {
    const data = join(this.folder, "control-plane.json");
    await rm(data, { force: true });
    if (start) await writeFile(data, start.data);
    const plane = await startControlPlane({ port: this.port, data, apiKey: API_KEY });
    if (start === undefined) await plane.state.createKey(STRANGER);
    const strangers = (await plane.liveKeys()).filter(({ name }) => [STRANGER, CREDENTIAL].includes(name));
    const ids = strangers.map(({ id }) => id);
    const workspace = await Workspace.create({
      engine: this.engine,
      program: join(ASSETS, "program"),
      packages: { consumer: join(ASSETS, "consumer"), "plugin-sdk": join(ROOT, "test", "plugin-sdk") },
      ...(this.frontEnd === "plugin" && { plugins: { keyplane: join(ROOT, "bin") } }),
      config: { "keyplane:baseUrl": plane.url, "keyplane:requestTimeout": "2s" },
      secretConfig: { "keyplane:apiKey": start?.credential ?? API_KEY },
    });
    const notes = join(workspace.directory, "notes");
    await mkdir(notes);
    if (start?.state) {
      await mkdir(dirname(workspace.stateFile), { recursive: true });
      await writeFile(workspace.stateFile, start.state);
      await cp(start.history, historyOf(workspace), { recursive: true });
      await mkdir(join(notes, "states"));
      await writeFile(join(notes, "states", "0-0.json"), start.state);
    }
    await writeFile(join(notes, "deliveries"), start?.deliveries ?? "");
    const keepNoMore = keepStates(workspace.stateFile, join(notes, "states"));
    return {
      plane,
      workspace,
      frontEnd: this.frontEnd,
      notes,
      strangers: ids,
      exchange: async () => {
        const { id, key } = await plane.state.createKey(CREDENTIAL);
        ids.push(id);
        await workspace.setConfig("keyplane:apiKey", key, { secret: true });
        return key;
      },
      secretsBefore: start?.secrets ?? [],
      env: (program, plan, keyOfA = start?.keyOfA ?? "") => ({
        NODE_OPTIONS: `--require ${join(ASSETS, "preload.cjs")}`,
        CRASH_FRONT_END: this.frontEnd,
        CRASH_PROGRAM: JSON.stringify(program).replaceAll(KEY_OF_A, keyOfA),
        CRASH_PLAN: plan ? JSON.stringify(plan) : "",
        CRASH_FOLDER: notes,
        CRASH_STATE: workspace.stateFile,
        CRASH_CODE: this.folder,
        DERIVED_KEYS: this.folder,
        CRASH_URL: plane.url,
      }),
      close: async () => {
        keepNoMore();
        await workspace.remove();
        await plane.close();
      },
    };
  }

  private async prepare({ start }: Scenario): Promise<Prepared> {
    const stage = await this.set(undefined);
    const { plane, workspace, notes } = stage;
    try {
      let credential = API_KEY;
      let keyOfA = "";
      for (const { program, rules = [], exchange, failing } of start.runs) {
        if (exchange) credential = await stage.exchange();
        for (const rule of rules) await plane.rules.add(rule);
        const env = { ...stage.env(program, undefined, keyOfA), CRASH_FAILING: failing };
        await workspace.up({ env, mayFail: failing !== undefined });
        keyOfA ||= keyOfAIn(await readFile(workspace.stateFile, "utf8"));
        await plane.rules.clear();
      }
      if (start.orphan) await leaveOrphan(this.frontEnd, stage);
      if (start.refresh) {
        await workspace.refresh({ env: stage.env(start.runs.at(-1)?.program ?? {}) });
      }
      if (start.waitMs) await new Promise((resolve) => setTimeout(resolve, start.waitMs));
      const deployed = start.runs.length > 0;
      const history = join(this.folder, `history-${this.prepared.size}`);
      if (deployed) await cp(historyOf(workspace), history, { recursive: true });
      return {
        state: deployed ? await readFile(workspace.stateFile, "utf8") : undefined,
        history,
        keyOfA,
        data: JSON.stringify(await plane.state.read()),
        deliveries: await readFile(join(notes, "deliveries"), "utf8"),
        secrets: await plane.secretsEverIssued(),
        credential,
      };
    } finally {
      await stage.close();
    }
  }
}

/** The folder with the history of a workspace's stack, beside its state. */
function historyOf({ stateFile, project, stack }: Workspace): string {
  return join(dirname(stateFile), "..", "..", "history", project, stack);
}

interface StoredResource {
  readonly urn: string;
  readonly inputs: Readonly<Record<string, unknown>>;
  readonly outputs?: Readonly<Record<string, unknown>>;
  readonly [name: string]: unknown;
}

interface StateFile {
  readonly checkpoint: { readonly latest: { readonly resources: StoredResource[]; pending_operations?: unknown[] } };
}

/** The id of the key of `a` in a state; empty if there is none. */
function keyOfAIn(state: string): string {
  const { resources } = (JSON.parse(state) as StateFile).checkpoint.latest;
  return String(resources.find(({ urn }) => urn.endsWith("::a"))?.outputs?.keyId ?? "");
}

/**
 * What a crash between the creation of a key and the saving of its state leaves: another key for `a`, and the record of
 * its request in the state: the id of the run with the owner, or the interrupted creation with the seed of the name.
 */
async function leaveOrphan(frontEnd: FrontEnd, { plane, workspace }: Stage): Promise<void> {
  const own = (await plane.liveKeys()).find(({ name }) => name.startsWith("a-") && name !== STRANGER);
  if (own === undefined) throw new Error("no key whose tag an orphan could bear");
  const content = JSON.parse(await readFile(workspace.stateFile, "utf8")) as StateFile;
  const { latest } = content.checkpoint;
  const find = (end: string) => {
    const found = latest.resources.find(({ urn }) => urn.endsWith(end));
    if (found === undefined) throw new Error(`the state has no ${end}`);
    return found;
  };
  await nextSecond();
  const mark = startMark(Date.now());
  if (frontEnd === "dynamic") {
    // The run that was interrupted is another one than the one that made this state.
    const run = "crash";
    (find("Owner::keyplane").inputs.runs as string[]).push(run + mark);
    await writeFile(workspace.stateFile, JSON.stringify(content));
    await plane.state.createKey(own.name.replace(/[^-]+$/, `${run}aaa`));
    return;
  }
  const { outputs: _outputs, id: _id, ...resource } = find("::a");
  const seed = `orphaned${mark}`;
  await plane.state.createKey(own.name.replace(/[^-]+$/, nonceFrom(seed, 0)));
  const inputs = { ...resource.inputs, __nonce: seed };
  latest.pending_operations = [{ resource: { ...resource, inputs }, type: "creating" }];
  await writeFile(workspace.stateFile, JSON.stringify(content));
}
