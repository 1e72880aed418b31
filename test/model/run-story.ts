import { createHash } from "node:crypto";
import { expect } from "vitest";
import { attemptIn, suffixIn } from "../../provider/keys/naming";
import { type ControlPlane, type LiveKey, type LogEntry, startControlPlane } from "../../testing/control-plane";
import { LinkedClock } from "../engineless/linked-clock";
import type { FrontEnd } from "../engineless/provider-process";
import {
  type Declared,
  type Event,
  type Flags,
  idsIn,
  type Outcome,
  type Program,
  type Saved,
  TestStack,
} from "../engineless/test-stack";
import { openedByAnybody } from "../recipients";
import { HOUR } from "../times";
import { type Action, CURRENT, GRACE_MS, MAX_OVERLAP_MS, PREVIOUS } from "./actions";

/** How long the key of a lost request is looked for. */
const LATEST_COMMIT_MS = HOUR;

/** The last program, if a story has none. */
const LAST: Program = { "plain-0": { kind: "ApiKey", inputs: {} } };

/** A state between two commands, and its credential. */
interface Checkpoint {
  readonly resources: readonly Saved[];
  readonly apiKey: string;
}

/** Runs a story, heals the stack, destroys it, and checks the invariants after each step. */
export function runStory(frontEnd: FrontEnd, actions: readonly Action[]): Promise<void> {
  return telling(frontEnd, (story) => story.run(actions));
}

/** How many requests each action of a story sends. */
export function requestsOf(frontEnd: FrontEnd, actions: readonly Action[]): Promise<number[]> {
  return telling(frontEnd, (story) => story.requestsOf(actions));
}

async function telling<T>(frontEnd: FrontEnd, tell: (story: Story) => Promise<T>): Promise<T> {
  const plane = await startControlPlane({ clock: { mode: "driven" } });
  try {
    const { now } = await plane.clock.read();
    return await tell(new Story(frontEnd, plane, new LinkedClock(plane, now)));
  } finally {
    await plane.close();
  }
}

export class Story {
  readonly stack: TestStack;
  readonly said: string[] = [];
  private readonly checkpoints: Checkpoint[] = [];
  private program = LAST;
  private byHand = { id: "", key: "" };
  private readonly strangers: number[] = [];
  /** Keys that somebody may need: the program has got them, or somebody uses them. */
  private readonly delivered = new Map<string, { isCovered: boolean }>();
  /** Ids of the keys that the command may revoke, and those of the last one: a killed one may have sent a request. */
  private mayRevoke = new Set<string>();
  private mightRevoke = new Set<string>();
  /** Ids of keys that left the state while they were to stay live. */
  private readonly released = new Set<string>();
  /** Ids of all keys that a state ever had. */
  private readonly held = new Set<string>();
  /** The same since an older state was restored, which does not know what was requested after it. */
  private readonly known = new Set<string>();
  /** When a key became the previous one, and when a whole run had delivered its successor since. */
  private readonly retiring = new Map<string, { readonly since: number; deliveredAt?: number }>();
  /** The previous keys at the beginning of the command. */
  private previous = new Set<string>();
  private judged = 0;

  constructor(
    frontEnd: FrontEnd,
    private readonly plane: ControlPlane,
    private readonly clock: LinkedClock,
  ) {
    const saw = (event: Event) => this.see(event);
    this.stack = new TestStack(plane, clock, { frontEnd, requestTimeoutMs: 2_000, saw });
  }

  async run(actions: readonly Action[]): Promise<void> {
    await this.plane.state.createProject();
    const { id, key } = await this.plane.state.createKey("by-hand");
    this.byHand = { id: String(id), key };
    for (const action of actions) {
      this.checkpoints.push({ resources: this.stack.resources, apiKey: String(this.stack.settings.apiKey) });
      await this.act(action);
    }
    await this.heal();
    await this.end();
  }

  async requestsOf(actions: readonly Action[]): Promise<number[]> {
    const counts: number[] = [];
    for (const action of actions) {
      const before = await this.requests();
      await this.act(action);
      counts.push((await this.requests()) - before);
    }
    return counts;
  }

  private async act(action: Action): Promise<void> {
    const { stack, plane, clock } = this;
    switch (action.do) {
      case "up": {
        this.program = this.completed(action.program);
        await this.up(this.program, action);
        break;
      }
      case "refresh":
      case "destroy":
        await this.command(() => stack[action.do](action));
        break;
      case "fault":
        await plane.rules.add(action.rule);
        break;
      case "commit late":
        await plane.commitLate();
        break;
      case "exchange": {
        // Another credential cannot tell a sealed key that is gone from one of another account.
        if (stack.resources.some(({ outputs }) => outputs.sealedKey ?? outputs.previousSealedKey)) break;
        const { id, key } = await plane.state.createKey(`credential-${this.strangers.length}`);
        this.strangers.push(id);
        stack.settings.apiKey = key;
        break;
      }
      case "wait":
        await clock.pass(action.minutes * 60_000);
        break;
      case "use":
      case "revoke": {
        const own = (await plane.liveKeys()).filter(({ id }) => this.held.has(String(id)));
        const key = own[action.which % own.length];
        if (key === undefined) break;
        await (action.do === "use" ? plane.state.useKey(key.id) : plane.state.revokeKey(key.id));
        break;
      }
      case "taint": {
        const keys = stack.resources.filter(
          (each) => !each.replaced && each.name !== "exact" && each.name !== "adopted",
        );
        const key = keys[action.which % keys.length];
        stack.resources = stack.resources.map((each) => (each.name === key?.name ? { ...each, tainted: true } : each));
        break;
      }
      case "restore":
        this.restore(this.checkpoints[action.which % this.checkpoints.length]);
        break;
    }
  }

  private async up(program: Program, flags: Flags = {}): Promise<boolean> {
    this.program = this.completed(program);
    const declared = this.program;
    await this.silently(async () => expect((await this.stack.preview(declared)).errors).toEqual({}), "a preview");
    return this.command(() => this.stack.up(declared, flags));
  }

  /** Runs a command, and waits until the service has carried out what it has sent. */
  private async command(body: () => Promise<Outcome>): Promise<boolean> {
    this.previous = new Set(this.stack.resources.flatMap(({ outputs }) => String(outputs.previousKeyId ?? [])));
    this.mightRevoke = this.mayRevoke;
    this.mayRevoke = new Set();
    for (const { inputs } of Object.values(this.program)) this.mayRevoke.add(String(inputs.revokeNow));
    const { succeeded } = await body();
    await this.settledLog();
    for (const { outputs } of this.stack.resources) {
      for (const id of idsIn(outputs)) {
        this.held.add(id);
        this.known.add(id);
      }
      const previous = outputs.previousKeyId;
      if (typeof previous === "string" && !this.retiring.has(previous)) {
        this.retiring.set(previous, { since: this.clock.now() });
      }
    }
    await this.judge();
    return succeeded;
  }

  private see(event: Event): void {
    if (event.kind === "said") this.said.push(event.text);
    else if (event.kind === "delivered")
      this.delivered.set(event.id, this.delivered.get(event.id) ?? { isCovered: false });
    else if (event.kind === "deleting") {
      for (const id of event.ids) (event.revokes ? this.mayRevoke : this.released).add(id);
    } else {
      if (event.succeeded) for (const delivery of this.delivered.values()) delivery.isCovered = true;
      const now = this.clock.now();
      if (!event.isWhole) return;
      for (const { outputs } of this.stack.resources) {
        const id = outputs.previousKeyId;
        if (typeof id !== "string") continue;
        const retiring = this.retiring.get(id) ?? { since: now };
        this.retiring.set(id, { ...retiring, deliveredAt: retiring.deliveredAt ?? now });
      }
    }
  }

  private restore(checkpoint: Checkpoint | undefined): void {
    if (checkpoint === undefined) return;
    const left = new Set(checkpoint.resources.flatMap(({ outputs }) => idsIn(outputs)));
    for (const { outputs } of this.stack.resources) {
      for (const id of idsIn(outputs).filter((each) => !left.has(each))) {
        this.released.add(id);
        // Nothing shows that a failed run has handed it out: a restored state takes it for a key of an interrupted run.
        if (this.delivered.get(id)?.isCovered === false) this.delivered.delete(id);
      }
    }
    this.known.clear();
    const { stack } = this;
    const kept = new Set(checkpoint.resources.map(({ inputs }) => inputs.__suffix));
    for (const { inputs } of [...stack.resources, ...stack.pending.map(({ resource }) => resource)]) {
      if (!kept.has(inputs.__suffix)) stack.dropped.add(String(inputs.__suffix));
    }
    stack.resources = checkpoint.resources;
    stack.settings.apiKey = checkpoint.apiKey;
    // `stack import` drops them.
    stack.pending = [];
  }

  /** The program with the ids of the keys that it names: the current ones, if it does not have ids yet. */
  private completed(program: Program): Program {
    const complete = ([name, key]: readonly [string, Declared]) => {
      const { revokeNow, adopt, ...inputs } = key.inputs;
      const stored = this.stack.find(name);
      const { keyId, previousKeyId } = stored?.outputs ?? {};
      const id = revokeNow === CURRENT ? keyId : revokeNow === PREVIOUS ? previousKeyId : revokeNow;
      // A new `revokeNow` that is no key of the resource is refused.
      const isKnown = typeof id === "string" && [keyId, previousKeyId, stored?.inputs.revokeNow].includes(id);
      const adopted = adopt === undefined ? {} : { adopt: this.byHand };
      return [name, { ...key, inputs: { ...inputs, ...adopted, ...(isKnown && { revokeNow: id }) } }] as const;
    };
    return Object.fromEntries(Object.entries(program).map(complete));
  }

  /** Runs something that must cost nothing. */
  private async silently(body: () => Promise<unknown>, what: string): Promise<void> {
    const [requests, asked] = [await this.requests(), this.stack.asked];
    await body();
    expect([(await this.requests()) - requests, this.stack.asked - asked], `I7: requests of ${what}`).toEqual([0, 0]);
  }

  private async requests(): Promise<number> {
    return (await this.settledLog()).filter(({ lateOf }) => lateOf === null).length;
  }

  /** The log once every request has been answered. A killed process gets no answer. */
  private async settledLog(): Promise<LogEntry[]> {
    let log = await this.plane.log();
    for (let round = 0; round < 100 && log.some(({ status }) => status === null); round++) {
      await new Promise((resolve) => setTimeout(resolve, 5));
      log = await this.plane.log();
    }
    return log;
  }

  /** Checks what must hold at any time. */
  private async judge(): Promise<void> {
    const log = await this.settledLog();
    for (const { effects } of log.slice(this.judged)) {
      for (const effect of effects) {
        const id = String("id" in effect ? effect.id : "");
        if (effect.kind === "key-revoked") this.judgeRevocation(id, effect.name);
        if (effect.kind !== "key-created" || suffixIn(effect.name) === undefined) continue;
        const before = log
          .flatMap((entry) => entry.effects)
          .find((each) => each.kind === "key-created" && each.name === effect.name);
        const isTwice =
          before !== undefined && "id" in before && String(before.id) !== id && this.known.has(String(before.id));
        expect(isTwice, `I4: ${effect.name} was created twice`).toBe(false);
      }
    }
    this.judged = log.length;
    const { keys } = await this.plane.state.read();
    for (const { name, outputs } of this.stack.resources) {
      const live = keys.live.find(({ id }) => String(id) === outputs.keyId);
      if (live === undefined) continue;
      const sealed = openedByAnybody(outputs.sealedKey);
      const secret = sealed ?? outputs.key;
      expect(createHash("sha256").update(String(secret)).digest("hex"), `I8: the secret of ${name}`).toBe(live.hash);
      if (sealed !== undefined) expect(JSON.stringify(outputs), `I6: ${name} is sealed`).not.toContain(sealed);
    }
    const said = this.said.join("\n");
    const secrets = await this.plane.secretsEverIssued();
    expect(secrets.filter((secret) => said.includes(secret)).length, "I6: a secret was said").toBe(0);
  }

  private judgeRevocation(id: string, name: string): void {
    const text = `key ${id} (${name}) was revoked`;
    expect(this.strangers, `I2: ${text}, a stranger's`).not.toContain(Number(id));
    if (this.mayRevoke.has(id) || this.mightRevoke.has(id)) return;
    if (this.previous.has(id)) {
      const { since = 0, deliveredAt } = this.retiring.get(id) ?? {};
      const now = this.clock.now();
      const isOver =
        (deliveredAt !== undefined && now >= deliveredAt + GRACE_MS - 2_000) || now >= since + MAX_OVERLAP_MS;
      expect(isOver, `I3: ${text} ${now - since} ms after its rotation, delivered at ${deliveredAt}`).toBe(true);
      return;
    }
    // An exact name must be free for its successor.
    if (name === "exact") return;
    expect(this.delivered.has(id), `I2: ${text}, though it was handed out`).toBe(false);
    expect(id === this.byHand.id && !this.held.has(id), `I2: ${text} before it was adopted`).toBe(false);
  }

  /** Ends all faults, and runs `up` until nothing is left to do. */
  private async heal(): Promise<void> {
    const { plane, clock } = this;
    await plane.rules.clear();
    await plane.commitLate();
    // A key that an adoption or an exact name wants may be gone, or somebody's.
    const { exact: _, adopted: __, ...program } = this.program;
    this.program = Object.keys(program).length === 0 ? LAST : program;
    await this.mustEnd("the first up after an interruption");
    await clock.pass(LATEST_COMMIT_MS);
    // It also looks for what lists had not shown yet, or what is gone.
    expect(await this.command(() => this.stack.refresh()), `I5: a refresh failed: ${this.said.at(-1)}`).toBe(true);
    await this.mustEnd("an up after a refresh");
    await this.judgeHealed();
    const isOpen = this.stack.resources.some(({ outputs }) => outputs.previousKeyId ?? outputs.lostNames);
    if (!isOpen) await this.silently(() => this.up(this.program), "an up that has nothing to do");
    this.program = changed(this.program);
    await clock.pass(MAX_OVERLAP_MS + GRACE_MS);
    for (let round = 0; round < 3; round++) {
      await this.mustEnd("an up after the grace");
      await clock.pass(GRACE_MS);
    }
    expect((await this.left()).map(shown), "I1: keys that runs with changes have left behind").toEqual([]);
    const left = this.stack.resources.filter(({ outputs }) => outputs.previousKeyId);
    expect(
      left.map(({ name }) => name),
      "I3: previous keys that stay for good",
    ).toEqual([]);
  }

  private async mustEnd(what: string): Promise<void> {
    const said = this.said.length;
    const ended = await this.up(this.program);
    expect(ended, `I5: ${what} failed: ${this.said.slice(said).join("; ")}`).toBe(true);
  }

  private async judgeHealed(): Promise<void> {
    const live = await this.plane.liveKeys();
    for (const name of Object.keys(this.program)) {
      const stored = this.stack.find(name);
      expect(stored?.notReady, `I5: ${name} is not ready`).toBeUndefined();
      expect(
        live.map(({ id }) => String(id)),
        `I1: ${name} has no live key`,
      ).toContain(String(stored?.outputs.keyId));
    }
    const { resources, pending } = this.stack;
    const pendingSuffixes = new Set(pending.map(({ resource }) => resource.inputs.__suffix));
    const isNext = ({ name }: LiveKey) =>
      resources.some(({ inputs: { __suffix }, outputs: { attempts = 1 } }) => {
        return __suffix === suffixIn(name) && attemptIn(name) > Number(attempts);
      });
    const unproven = (await this.left()).filter((key) => !pendingSuffixes.has(suffixIn(key.name)) && !isNext(key));
    expect(unproven.map(shown), "I1: keys that nothing proves").toEqual([]);
  }

  /** The live keys that are not in the state, and that nobody was asked to look after. */
  private async left(): Promise<LiveKey[]> {
    const { resources, dropped } = this.stack;
    const ids = new Set(resources.flatMap(({ outputs }) => idsIn(outputs)));
    const reported = this.said.filter((text) => /It stays live|stays? live: |nothing knows of it/.test(text));
    return (await this.plane.liveKeys()).filter(({ id, name }) => {
      if (name === "exact" || [...this.strangers, Number(this.byHand.id)].includes(id)) return false;
      if (ids.has(String(id)) || this.released.has(String(id)) || dropped.has(String(suffixIn(name)))) return false;
      return !reported.some((text) => text.includes(`key ${id} (`) || text.includes(name));
    });
  }

  private async end(): Promise<void> {
    const ended = await this.command(() => this.stack.destroy());
    expect(ended, `I5: the destroy failed: ${this.said.at(-1)}`).toBe(true);
    expect((await this.left()).map(shown), "I1: keys that a destroy has left behind").toEqual([]);
  }
}

/** The program with another trigger for each key. */
function changed(program: Program): Program {
  const change = ([name, key]: readonly [string, Declared]) =>
    [name, { ...key, inputs: { ...key.inputs, rotationTriggers: { trigger: "changed" } } }] as const;
  return Object.fromEntries(Object.entries(program).map(change));
}

function shown({ id, name }: LiveKey): string {
  return `${id} (${name})`;
}
