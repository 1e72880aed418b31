import { createHash } from "node:crypto";
import { expect } from "vitest";
import { hasTagOf, isAutoName, ownerTag, tagOf } from "../../provider/keys/names";
import { pendingIn } from "../../provider/keys/readiness";
import { textsOf } from "../../provider/members";
import type { Properties } from "../../provider/schema/outputs";
import type { LiveKey, LogEntry } from "../../testing/control-plane";
import { opened, openedByAnybody } from "../recipients";
import { StackHarness } from "../unit/resources/harness";
import type { Action, Elsewhere } from "./actions";
import { DynamicEngine } from "./dynamic-engine";
import type { MiniEngine, Saved } from "./mini-engine";
import { type Ended, GRACE_MS, judgeRevocation, MAX_OVERLAP_MS, PERIODS, type Use } from "./revocations";
import { type DeclaredKey, type Flags, handedOutIn, keysIn, type Program, type Stored } from "./state";

/** The last program, if the story has none. */
const LAST: Program = { "plain-9": { rotating: false, consumed: true, inputs: {} } };

/** For how long the key of a lost request is looked for. */
const LATEST_COMMIT_MS = 3_600_000;

/** Maximum number of stacks beside the first one. */
const MAX_OTHERS = 4;

/** Another stack, or the same one in another backend. */
interface Other {
  readonly engine: MiniEngine;
  program: Program;
  /** Whether it goes on with the keys of the first stack as their owner. */
  readonly isFork: boolean;
  /** Ids of owners from before a renaming of the stack that it was copied from. */
  readonly formerOwners: ReadonlySet<string>;
}

/** Runs a story, heals the stack, and checks the invariants after each step. */
export async function runStory(story: readonly Action[]): Promise<void> {
  await tell(new Story(await StackHarness.start()), story);
}

export async function tell(told: Story, story: readonly Action[]): Promise<void> {
  try {
    await told.run(story);
  } finally {
    await told.close();
  }
}

export class Story {
  /** Ids of keys that somebody else created. */
  protected readonly strangers: number[] = [];
  /** Keys that were created by hand for adoption, by the name of the adopting resource. */
  protected readonly byHand = new Map<string, { readonly id: string; readonly key: string }>();
  /** Ids of keys that were missing from the last list that their owner read. */
  protected readonly unseen = new Set<number>();
  /** Ids of keys that may have been missing from a list, so that a ledger has forgotten them. */
  private readonly hidden = new Set<number>();
  /** Whether somebody has revoked a key that the stack held. For the stack, another history may have gone on. */
  private hasLostHeldKey = false;
  /** Ids of adopted keys. */
  protected readonly adopted = new Set<string>();
  /** Ids of owners from before a renaming of the stack. */
  protected readonly formerOwners = new Set<string>();
  protected readonly others: Other[] = [];
  /** The last known status of the operations for which a key waited, by the key's id and their ids. */
  private readonly work = new Map<string, Map<string, "pending" | "failed" | "over">>();
  private readonly ended: Ended[] = [];
  private readonly checkpoints: Saved[] = [];
  /** The uses of keys, by the key's id. */
  private readonly uses = new Map<string, Use>();
  /** Keys as programs have declared them last, by name. */
  private readonly declared = new Map<string, DeclaredKey>();
  protected program = LAST;
  /** Whether a key that is not revoked may have the exact name. */
  private isExactTaken = false;
  protected isDestroyed = false;
  /** The names that the state had on record when it was destroyed. */
  private readonly recordAtEnd = new Set<string>();
  private judged = 0;
  /** The last request, by its number in the log, of the time in which a key was adopted that no longer is. */
  private readonly adoptedUntil = new Map<string, number>();
  private projectId = "";
  private operations = 0;

  constructor(
    protected readonly harness: StackHarness,
    protected readonly engine: MiniEngine = new DynamicEngine(harness, "dev"),
  ) {}

  async close(): Promise<void> {
    await this.harness.plane.close();
    await this.engine.away?.harness.plane.close();
  }

  async run(story: readonly Action[]): Promise<void> {
    this.projectId = (await this.harness.plane.state.createProject()).id;
    for (const action of story) {
      this.checkpoints.push(this.engine.saved());
      await this.frugally(action);
      await this.judge();
    }
    await this.heal();
    await this.judgeHealed();
    await this.judgeRetired();
    await this.end();
  }

  /**
   * Executes an action. Records the keys that were missing from the last list of an owner that is now gone, because
   * nobody will look for them again.
   */
  private async act(action: Action): Promise<void> {
    const before = await this.engine.lies();
    await this.perform(action);
    if ((await this.engine.lies()) === before) return;
    for (const key of await this.harness.plane.liveKeys()) {
      this.hidden.add(key.id);
      if (this.isMissed(key)) this.unseen.add(key.id);
    }
  }

  /** Whether nobody looks for a key again that a list lacked. */
  protected isMissed({ name }: LiveKey): boolean {
    const tags = [...this.engine.owners].filter((id) => id !== this.engine.ownerId).map(ownerTag);
    return tags.includes(tagOf(name) ?? "");
  }

  protected async perform(action: Action): Promise<void> {
    const { plane, clock } = this.harness;
    switch (action.do) {
      case "up":
        await this.up(action.program, action);
        break;
      case "refresh":
        await this.forgettingNothing(this.engine.isAway(), () => this.engine.refresh(action));
        break;
      case "destroy":
        await this.forgettingNothing(this.engine.isAway(), () => this.engine.destroy(action));
        break;
      case "exchange":
        await this.exchange();
        break;
      case "fault":
        await plane.rules.add(action.rule);
        break;
      case "commit late":
        await plane.commitLate();
        break;
      case "wait":
        await clock.pass(action.ms);
        break;
      case "operation":
        this.operations += 1;
        await plane.state.startOperations({ projectId: this.projectId, ...action.course });
        break;
      case "stranger": {
        const [tag] = [...this.engine.owners].map(ownerTag);
        const name = `${["x", "plain-0", "rotating-1"][action.which % 3]}-${tag ?? "aaaaaaaa"}-${action.which}`;
        if ((await plane.liveKeys()).some((each) => each.name === name)) break;
        this.strangers.push((await plane.state.createKey(name)).id);
        break;
      }
      case "use":
      case "revoke": {
        const held = this.heldIds();
        const own = (await plane.liveKeys())
          .filter(({ id }) => !this.strangers.includes(id))
          // Somebody who uses what a crash has left under an exact name makes it theirs to clear away.
          .filter(({ id, name }) => isAutoName(name) || held.includes(String(id)));
        const key = pick(own, action.which);
        if (key === undefined) break;
        if (action.do === "revoke") {
          await plane.state.revokeKey(key.id);
          this.hasLostHeldKey ||= held.includes(String(key.id));
        } else {
          await plane.state.useKey(key.id);
          const { after = this.judged } = this.uses.get(String(key.id)) ?? {};
          this.uses.set(String(key.id), { after, at: clock.now() });
        }
        break;
      }
      case "restore":
        this.restore(action);
        break;
      case "fork":
        await this.addOther(this.engine.fork(), true, action.commands);
        break;
      case "copy":
        await this.addOther(this.engine.fork(`copy${this.others.length}`), false, action.commands);
        break;
      case "elsewhere": {
        const other = pick(this.others, action.which);
        if (other) for (const command of action.commands) await this.runOther(other, command);
        break;
      }
      case "state delete":
      case "state taint":
      case "state rename":
      case "state move":
        await this.editState(action.do, action.which);
        break;
      case "rename stack":
        this.engine.renameStack(`${this.engine.stack}x`, action.keepsOwner);
        if (action.keepsOwner) break;
        // A checkpoint that is restored later has the former name, too.
        for (const { owners } of [this.engine, ...this.checkpoints]) for (const id of owners) this.formerOwners.add(id);
        // A key of a former owner is never revoked.
        this.leaveExact();
        break;
      case "upgrade":
        throw new Error("only the plugin has versions of its own");
    }
  }

  private async up(given: Program, asked: Flags): Promise<void> {
    const isFree = this.engine.mintsOwner || this.engine.isUnused;
    const flags = { ...asked, away: asked.away === true && !isFree };
    if (flags.away && this.engine.away === undefined) await this.openOtherAccount();
    this.program = this.isExactTaken ? without("exact", given) : given;
    for (const [name, key] of Object.entries(given)) this.declared.set(name, key);
    const program = await this.completed();
    await this.preview(program);
    await this.forgettingNothing(this.engine.isAway(flags) && !flags.refresh, () => this.engine.up(program, flags));
  }

  private restore({ which, midway = false }: Extract<Action, { do: "restore" }>): void {
    const checkpoint = pick(midway ? this.engine.midway : this.checkpoints, which);
    if (checkpoint === undefined) return;
    const { known, line } = this.engine.saved();
    const held = this.heldIds();
    this.ended.push({ known, line, consumers: new Set(this.engine.consumers.values()), until: this.judged });
    this.engine.restore(checkpoint);
    // A key that somebody uses, and that no state tells to be the stack's, is in the way of an exact name.
    if (held.some((id) => this.uses.has(id) && !this.heldIds().includes(id))) this.leaveExact();
    // No state tells any more that a key was adopted. It is somebody else's again.
    const adopted = this.engine.state.flatMap(({ outputs }) => adoptedIn(outputs));
    for (const id of this.adopted) {
      if (adopted.includes(id)) continue;
      this.adopted.delete(id);
      this.adoptedUntil.set(id, this.judged);
    }
  }

  private leaveExact(): void {
    this.isExactTaken = true;
    this.program = without("exact", this.program);
  }

  /** Changes the state as `pulumi state` does, without a call of the provider. */
  private async editState(command: `state ${"delete" | "taint" | "rename" | "move"}`, which: number): Promise<void> {
    const keys = this.engine.state.filter(({ kind, doomed }) => kind.endsWith("ApiKey") && !doomed);
    // A forced replacement of a key with an exact name blocks or revokes its own predecessor, as documented.
    const isFree = ({ name, pendingReplacement }: Stored) =>
      !pendingReplacement && !(command === "state taint" && name === "exact");
    const found = pick(keys.filter(isFree), which);
    if (found === undefined) return;
    const exists = (name: string) => this.engine.state.some((each) => each.name === name);
    if (command === "state taint") this.engine.taint(found);
    else if (command === "state delete") this.engine.forget(found);
    else if (command === "state move") this.moveAway(found);
    else {
      const to = [0, 1, 2, 3].map((at) => found.name.replace(/\d$/, String(at))).find((name) => !exists(name));
      if (to !== undefined) this.engine.renameResource(found, to);
    }
    if (found.name === "exact") this.leaveExact();
  }

  /** Moves a resource to another stack, which declares what it got. */
  private moveAway(moved: Stored): void {
    let other = this.others.find(({ engine }) => engine.stack === "other");
    if (other?.engine.state.some(({ name }) => name === moved.name)) return;
    if (other === undefined) {
      other = { engine: this.engine.emptyStack("other"), program: {}, isFork: false, formerOwners: new Set() };
      this.others.push(other);
    }
    this.engine.move(moved, other.engine);
    const key = this.declared.get(moved.name) ?? { rotating: moved.kind === "RotatingApiKey", inputs: {} };
    other.program = { ...other.program, [moved.name]: { ...key, consumed: false } };
  }

  private async addOther(engine: MiniEngine, isFork: boolean, commands: readonly Elsewhere[]): Promise<void> {
    if (this.others.length >= MAX_OTHERS) return;
    // Both cannot have a key with an exact name, and only one may adopt a key.
    const program = without("exact", without("adopted", this.program));
    const other = { engine, program, isFork, formerOwners: new Set(this.formerOwners) };
    this.others.push(other);
    for (const command of commands) await this.runOther(other, command);
  }

  /** Runs a command of another stack. Returns whether it succeeded. */
  protected async runOther(other: Other, command: Elsewhere): Promise<boolean> {
    const { engine } = other;
    const adopted = new Set(engine.state.flatMap(({ outputs }) => adoptedIn(outputs)));
    if (command === "rotate") {
      const bump = ({ inputs, ...key }: DeclaredKey) => ({
        ...key,
        inputs: { ...inputs, rotationTriggers: { trigger: `elsewhere ${engine.turns.length}` } },
      });
      other.program = Object.fromEntries(Object.entries(other.program).map(([name, key]) => [name, bump(key)]));
    }
    const ended =
      command === "refresh" || command === "destroy"
        ? await engine[command]()
        : await engine.up(await this.completed(other.program, engine));
    this.engine.calls += engine.calls;
    this.engine.said.push(...engine.said.splice(0));
    this.engine.names.push(...engine.names.splice(0));
    this.engine.wronglyGone.push(...engine.wronglyGone.splice(0));
    await this.judge(adopted);
    return ended;
  }

  /** Another account, whose keys have the same ids and names as keys of the stack. */
  private async openOtherAccount(): Promise<void> {
    const harness = await this.harness.elsewhere();
    for (const name of ["exact", ...Array.from({ length: 20 }, (_, at) => `x-${at}`)])
      await harness.plane.state.createKey(name);
    this.engine.away = { harness, apiKey: harness.plane.apiKey };
  }

  private async exchange(): Promise<void> {
    const { id, key } = await this.harness.plane.state.createKey(`credential-${this.strangers.length}`);
    this.strangers.push(id);
    this.engine.home = { harness: this.harness, apiKey: key };
  }

  /** I15: in another account, no command forgets a key, unless the engine does so without calling the provider. */
  protected async forgettingNothing(isAway: boolean, command: () => Promise<unknown>): Promise<void> {
    const keys = () =>
      this.engine.state
        .filter(({ kind, pendingReplacement }) => kind !== "Ledger" && !pendingReplacement)
        .filter(({ options }) => !options.retainOnDelete && !options.deletedWith)
        .flatMap(({ outputs }) => keysIn(outputs))
        .sort();
    const before = keys();
    await command();
    if (isAway) expect(keys(), "I15: a command in another account has changed what the state holds").toEqual(before);
  }

  protected async preview(program: Program): Promise<void> {
    const before = await this.asked();
    expect(await this.engine.preview(program), "the preview failed").toBe(true);
    expect((await this.asked()) - before, "I11: requests of a preview").toBe(0);
    expect(this.engine.asked, "I11: a preview asked for the state").toEqual({ states: 0, histories: 0 });
  }

  /** How many requests were sent. One that is carried out late was counted when it was sent. */
  private async asked(): Promise<number> {
    return (await this.settledLog()).filter(({ lateOf }) => lateOf === null).length;
  }

  /** I10: each call of the provider, each fault, each operation and each key, live or gone, costs at most a few requests. */
  private async frugally(action: Action): Promise<void> {
    const { plane } = this.harness;
    const struck = async () => (await plane.rules.list()).reduce((sum, rule) => sum + rule.struck, 0);
    const live = (await plane.liveKeys()).map(({ id }) => String(id));
    // A key that is gone is looked up a few times, because a new key may take a moment to be known everywhere.
    const gone = this.heldIds().filter((id) => !live.includes(id)).length;
    const pending = this.operations + this.engine.state.flatMap(({ outputs }) => pendingIn(outputs.pending)).length;
    const [requests, faults] = [await this.asked(), await struck()];
    this.engine.calls = 0;
    await this.act(action);
    const spent = (await this.asked()) - requests;
    const odd = (await struck()) - faults + pending + gone;
    // The provider revokes the keys that it is creating when the engine dies.
    const each = "crash" in action && action.crash !== undefined ? 4 : 3;
    const most = each * this.engine.calls + 8 * odd + 2 * live.length + costOfWaiting(action, this.program);
    expect(spent, `I10: ${spent} requests of ${this.engine.calls} calls`).toBeLessThanOrEqual(most);
  }

  /**
   * Checks the invariants that must hold at any time.
   * @param adoptedElsewhere - Ids of the keys that the stack whose command has ended had adopted, if it is another one.
   */
  protected async judge(adoptedElsewhere: ReadonlySet<string> = new Set()): Promise<void> {
    const log = await this.settledLog();
    for (const { outputs } of this.engine.state) for (const id of adoptedIn(outputs)) this.adopted.add(id);
    const isAdopted = (id: string) => this.adopted.has(id) || adoptedElsewhere.has(id);
    const byHand = [...this.byHand.values()].map(({ id }) => id).filter((id) => !isAdopted(id));
    const wasAdopted = (id: string, { seq, lateOf }: LogEntry) => (lateOf ?? seq) <= (this.adoptedUntil.get(id) ?? 0);
    const { turns } = this.engine;
    const engines = [this.engine, ...this.others.map(({ engine }) => engine)];
    const isWeak = (id: string, engine: MiniEngine) => this.isWeak(id, engine);
    const world = { turns, engines, ended: this.ended, uses: this.uses, isWeak };
    for (const entry of log.filter(({ seq }) => seq > this.judged)) {
      for (const effect of entry.effects.filter((each) => each.kind === "key-revoked")) {
        // I4: somebody else's keys, and keys that were not adopted yet, stay.
        expect(this.strangers, "I4: a stranger's key was revoked").not.toContain(effect.id);
        const unadopted = byHand.filter((id) => !wasAdopted(id, entry));
        expect(unadopted, "I4: a key was revoked that was never adopted").not.toContain(String(effect.id));
        judgeRevocation(effect, entry, log, world);
      }
    }
    this.judged = log.length;
    const changes = (await this.engine.away?.harness.plane.log())?.filter(({ method }) => method !== "GET") ?? [];
    expect(changes, "I15: something was changed in another account").toEqual([]);
    expect(this.engine.wronglyGone, "I9: a read has taken a live key for gone").toEqual([]);
    await this.judgeState();
    // I6: no message contains a secret.
    const secrets = await this.harness.plane.secretsEverIssued();
    const said = this.engine.said.join("\n");
    expect(secrets.filter((secret) => said.includes(secret)).length, "I6: a secret was said").toBe(0);
    // I8: no name is requested twice.
    const minted = this.engine.names.filter(isAutoName);
    expect(new Set(minted).size, "I8: a name was sent twice").toBe(minted.length);
  }

  /** Whether a provider is declared not to notice that somebody needs this key. */
  protected isWeak(_id: string, _engine: MiniEngine): boolean {
    return false;
  }

  /** I7, I14: the secret in the state belongs to the id in the state. I21: that of a sealed key is in the state only sealed. */
  private async judgeState(): Promise<void> {
    const { keys } = await this.harness.plane.state.read();
    for (const { name, outputs } of this.engine.state) {
      this.judgeWork(name, outputs);
      const live = keys.live.find(({ id }) => String(id) === outputs.keyId);
      if (live === undefined) continue;
      const sealed = openedByAnybody(outputs.sealedKey);
      if (sealed !== undefined) expect(JSON.stringify(outputs), `I21: ${name} is sealed`).not.toContain(sealed);
      const key = sealed ?? outputs.key;
      expect(typeof key, `I14: ${name} has no secret`).toBe("string");
      expect(createHash("sha256").update(String(key)).digest("hex"), `I7: the secret of ${name}`).toBe(live.hash);
    }
  }

  /** I21: whoever the program names can open the key, and nobody else. During a grace, this may take another rotation. */
  private judgeRecipients(): void {
    for (const { name, outputs, doomed } of this.engine.state) {
      const key = this.program[name];
      if (doomed || key === undefined || outputs.previousKeyId !== undefined) continue;
      const { sealTo } = key.inputs;
      const isOpen = sealTo === undefined ? typeof outputs.key === "string" : opened(outputs.sealedKey, sealTo);
      expect(isOpen, `I21: the key of ${name} is not for its recipients`).toBeTruthy();
    }
  }

  /** I12: a failed operation stays failed, and nobody waits again for an operation that has ended. */
  private judgeWork(name: string, outputs: Properties): void {
    const known = this.work.get(String(outputs.keyId)) ?? new Map();
    this.work.set(String(outputs.keyId), known);
    const work = pendingIn(outputs.pending).filter(({ operationId }) => operationId !== undefined);
    const now = new Map(work.map(({ operationId = "", status }) => [operationId, status ?? ("pending" as const)]));
    for (const [id, before] of known) {
      if (before !== "pending") expect(now.get(id) ?? "over", `I12: operation ${id} of ${name}`).toBe(before);
      else if (!now.has(id)) known.set(id, "over");
    }
    for (const [id, status] of now) known.set(id, status);
  }

  /** Ends all faults, carries out late requests, and runs `up --refresh` until nothing is left to do. */
  protected async heal(): Promise<void> {
    const { plane } = this.harness;
    await plane.rules.clear();
    await plane.commitLate();
    await this.settledLog();
    this.program = Object.fromEntries(Object.entries(this.program).map(([name, key]) => [name, unprotected(key)]));
    this.engine.unprotect();
    // A refresh uses the configuration of the last `up`. In the second `up`, the user confirms the account.
    for (let round = 0; round < 2; round++) await this.healOnce({ refresh: false });
    let ended = false;
    let said = 0;
    for (let round = 0; round < 2; round++) {
      said = this.engine.said.length;
      ended = await this.healOnce({ refresh: true });
    }
    expect(ended, `the healing up failed: ${this.engine.said.slice(said).join("; ")}`).toBe(true);
  }

  protected async healOnce(flags: { readonly refresh: boolean }): Promise<boolean> {
    const program = await this.completed();
    await this.preview(program);
    const { said } = this.engine;
    const before = said.length;
    const ended = await this.engine.up(program, flags);
    await this.judge();
    if (!ended && said.slice(before).some((text) => text.includes("KEYPLANE_CONFIRM_ACCOUNT"))) {
      const proofs = (await this.harness.plane.liveKeys()).filter(({ name }) => this.provesAccount(name));
      expect(proofs, "I16: the account was refused, though a key of the stack is there").toEqual([]);
      this.engine.home = { ...this.engine.home, confirmed: true };
    }
    return ended;
  }

  /** Whether a key with this name proves that the account is the one of the stack. */
  protected provesAccount(name: string): boolean {
    return tagOf(name) === ownerTag(String(this.engine.ownerId));
  }

  protected async judgeHealed(): Promise<void> {
    const { plane } = this.harness;
    const live = new Set((await plane.liveKeys()).map(({ id }) => String(id)));
    for (const name of Object.keys(this.program)) {
      const stored = this.engine.state.find((each) => each.name === name && !each.doomed);
      expect(live.has(String(stored?.outputs.keyId)), `I1: ${name} has no live key`).toBe(true);
      expect(stored?.notReady, `${name} is not ready`).toBe(false);
      if (this.program[name]?.consumed) {
        expect(this.engine.recorded.get(name)?.keyId, "I1").toBe(stored?.outputs.keyId);
        const has = this.engine.consumers.get(name);
        if (has !== undefined) expect(live, `I1: the consumer of ${name} has no live key`).toContain(has);
      }
    }
    this.judgeRecipients();
    expect(await this.orphans(), "I2: keys that nothing holds").toEqual([]);
    // As long as a lost request may be carried out, each run looks for its key.
    if (this.engine.state.some(({ outputs }) => outputs.lostNames !== undefined)) {
      await this.harness.clock.pass(LATEST_COMMIT_MS);
      await this.engine.up(await this.completed());
    }
    const before = await this.asked();
    await this.engine.up(await this.completed());
    expect((await this.asked()) - before, "I11: requests of an up that has nothing to do").toBe(0);
    expect(this.engine.asked, "I11: an up that has nothing to do asked for the state").toEqual({
      states: 0,
      histories: 0,
    });
  }

  /** I20: no previous key stays live for good. */
  private async judgeRetired(): Promise<void> {
    if (
      this.engine.state.every(({ outputs: { previousKeyId, retired } }) => (previousKeyId ?? retired) === undefined)
    ) {
      return;
    }
    // The plugin may need one run to see that the successor was delivered, and another one after the grace.
    for (let round = 0; round < 3; round++) {
      await this.harness.clock.pass(MAX_OVERLAP_MS + GRACE_MS);
      const said = this.engine.said.length;
      const ended = await this.engine.up(await this.completed());
      expect(ended, `an up after the grace failed: ${this.engine.said.slice(said).join("; ")}`).toBe(true);
      await this.judge();
    }
    const left = this.engine.state.filter(({ outputs: { previousKeyId, retired } }) => previousKeyId ?? retired);
    const live = new Set((await this.harness.plane.liveKeys()).map(({ id }) => String(id)));
    const former = left.flatMap(({ outputs: { keyId, ...others } }) => keysIn(others)).filter((id) => live.has(id));
    expect(former, "I20: previous keys that stay live").toEqual([]);
    expect(await this.orphans(), "I20: previous keys that nothing holds").toEqual([]);
    this.judgeRecipients();
  }

  protected async end(): Promise<void> {
    for (const other of this.others.filter(({ isFork }) => !isFork)) await this.destroyOther(other);
    this.engine.unprotect();
    const { state, ownerId, line } = this.engine;
    for (const name of line) if (this.engine.isOnRecord(name)) this.recordAtEnd.add(name);
    const said = this.engine.said.length;
    expect(await this.engine.destroy(), `the destroy failed: ${this.engine.said.at(-1)}`).toBe(true);
    this.isDestroyed = true;
    await this.judge();
    expect(await this.orphans(), "I2: keys that a destroy has left behind").toEqual([]);
    const live = await this.harness.plane.liveKeys();
    const report = this.engine.said.slice(said).join("\n");
    const tooLate = await this.madeTooLate();
    const untold = live
      .filter((key) => this.mustReport(key, ownerId) && !tooLate.includes(key.id))
      .filter(({ id, name }) => !report.includes(`${id} (${name}`));
    expect(untold, "I2: keys that a destroy has left behind without a word").toEqual([]);
    expect(await this.engine.deleteAgain(state), `I13: a second delete failed: ${this.engine.said.at(-1)}`).toBe(true);
    // A repeated destroy may revoke keys that the first one was to delete together with another resource.
    const stillLive = (await this.harness.plane.liveKeys()).map(({ id }) => id);
    const gone = live.filter(({ id }) => !stillLive.includes(id) && !this.engine.dropped.has(String(id)));
    expect(gone, "I13: a second delete has revoked something").toEqual([]);
    for (const other of this.others.filter(({ isFork }) => isFork)) await this.destroyOther(other);
  }

  private async destroyOther(other: Other): Promise<void> {
    const { engine } = other;
    engine.unprotect();
    const { state, owners } = engine;
    const said = this.engine.said.length;
    const ended = await this.runOther(other, "destroy");
    const messages = this.engine.said.slice(said).join("\n");
    // Nobody confirms an account there.
    if (!ended && messages.includes("KP-WRONG-ACCOUNT")) return;
    expect(ended, `the destroy of another stack failed: ${messages}`).toBe(true);
    const held = new Set(state.flatMap(({ outputs }) => handedOutIn(outputs)));
    const current = [...owners].filter((owner) => !other.formerOwners.has(owner));
    const isOwn = ({ name }: LiveKey) => current.some((owner) => hasTagOf(name, owner));
    const { kept, released, dropped } = engine;
    const isKept = ({ id }: LiveKey) => [kept, released, dropped].some((ids) => ids.has(String(id)));
    // The first stack, which may have been destroyed, has left what it did not create.
    const left = (await this.harness.plane.liveKeys()).filter((key) => isOwn(key) && held.has(String(key.id)));
    expect(
      left.filter((key) => !isKept(key)),
      "I2: own keys of another stack that was destroyed",
    ).toEqual([]);
  }

  /** Whether a destroy that leaves this key alone has to say so. */
  protected mustReport({ name }: LiveKey, ownerId: string | undefined): boolean {
    return hasTagOf(name, String(ownerId));
  }

  /** Ids of the current and previous keys in the state. */
  protected heldIds(): string[] {
    return this.engine.state.flatMap(({ outputs }) => handedOutIn(outputs));
  }

  /** Live keys of this stack, by tag or by adoption, that no state holds and that it should have revoked. */
  protected async orphans(): Promise<{ readonly key: LiveKey; readonly said: readonly string[] }[]> {
    // A retired key waits for the end of its grace.
    const retired = this.engine.state.flatMap(({ outputs }) => textsOf(outputs.retired));
    const held = [...this.heldIds(), ...retired];
    const tooLate = await this.madeTooLate();
    const isOwn = ({ id, name }: LiveKey) => this.hasOwnTag(name) || this.adopted.has(String(id));
    return (await this.harness.plane.liveKeys())
      .filter((key) => isOwn(key) && !held.includes(String(key.id)) && !tooLate.includes(key.id))
      .filter((key) => this.excuse(key) === undefined)
      .map((key) => ({ key, said: this.engine.said.filter((text) => text.includes(String(key.id))) }));
  }

  /** Why a key that no resource holds may stay live. */
  protected excuse(key: LiveKey): string | undefined {
    const { id: number, name, lastUsedAt } = key;
    const { engine } = this;
    const id = String(number);
    if (engine.kept.has(id) || this.isToldKept(key)) return "revokeOnDelete is false";
    if (engine.released.has(id) || engine.dropped.has(id)) return "the engine removed it without a call";
    if (this.unseen.has(number)) return "a list lacked it";
    if ([...this.formerOwners].some((owner) => hasTagOf(name, owner))) return "the stack was renamed";
    if (this.adopted.has(id)) return this.formerOwners.size > 0 ? "the stack that adopted it was renamed" : undefined;
    if (lastUsedAt !== null) return "it was used";
    if (!engine.line.has(name)) return "another history requested it";
    if (this.others.some((other) => other.engine.known.has(id))) return "another stack has it";
    if (this.hasLostHeldKey && this.isTold(key)) return "the account lacked a key that the stack held";
    if (this.hidden.has(number) && this.isTold(key)) return "a list may have lacked it, and the ledger forgot it";
    if (engine.mayHaveBeenDelivered(key) && this.isTold(key)) return "a run that no ledger knows may have delivered it";
    // Only what the state has on record is revoked. All others are reported, by a destroy at the latest.
    const isUnexplained = !engine.known.has(id) && !this.wasOnRecord(name);
    return isUnexplained && (!this.isDestroyed || this.isTold(key)) ? "nothing shows that nobody needs it" : undefined;
  }

  protected wasOnRecord(name: string): boolean {
    return this.isDestroyed ? this.recordAtEnd.has(name) : this.engine.isOnRecord(name);
  }

  /** Whether a message has said how to revoke a key that stays live. */
  protected isTold({ id }: LiveKey): boolean {
    return this.engine.said.some((text) => text.includes(`\`npx keyplane revoke ${id}\``));
  }

  /** Whether the deletion of its resource has said that a key stays live. Nothing has to prove that such a key was used. */
  private isToldKept({ id, name }: LiveKey): boolean {
    const starts = [`key ${id} (${name}) stays live,`, `key ${id}, which a rotation replaced, stays live,`];
    return this.engine.said.some(
      (text) => text.includes("revokeOnDelete is false") && starts.some((start) => text.startsWith(start)),
    );
  }

  protected hasOwnTag(name: string): boolean {
    return [...this.engine.owners].some((id) => hasTagOf(name, id));
  }

  /** Ids of keys whose request was carried out after their owner was gone, so that nobody could look for them. */
  protected async madeTooLate(): Promise<number[]> {
    const late = (await this.settledLog()).filter(({ lateOf }) => lateOf !== null);
    return late.flatMap(({ seq, effects }) => {
      const { owner } = this.engine.holdings.findLast(({ since }) => since < seq) ?? {};
      const made = effects.filter(({ kind }) => kind === "key-created") as { id: number; name: string }[];
      return made.filter(({ name }) => owner === undefined || !hasTagOf(name, owner)).map(({ id }) => id);
    });
  }

  /** The log, once no request is under way. */
  protected async settledLog(): Promise<LogEntry[]> {
    // The requests of a killed process still arrive a few turns of the event loop later.
    for (let turn = 0; turn < 5; turn++) await new Promise(setImmediate);
    for (;;) {
      const log = await this.harness.plane.log();
      if (log.every(({ status }) => status !== null)) return log;
      await new Promise(setImmediate);
    }
  }

  /**
   * The program with values that only the story knows: a short grace period, the project to wait for, and the key to
   * adopt.
   */
  protected async completed(program = this.program, engine = this.engine): Promise<Program> {
    const entries = Object.entries(program).map(async ([name, key]) => {
      const periods = key.rotating ? PERIODS : {};
      const wait = key.waits ? { waitForProjects: [this.projectId] } : {};
      const isNew = key.adopts && engine.state.every((each) => each.name !== name);
      const adoption = isNew ? { adopt: await this.keyToAdopt(name) } : {};
      return [name, { ...key, inputs: { ...key.inputs, ...periods, ...wait, ...adoption } }] as const;
    });
    return Object.fromEntries(await Promise.all(entries));
  }

  protected async keyToAdopt(name: string): Promise<{ readonly id: string; readonly key: string }> {
    const live = (await this.harness.plane.liveKeys()).map(({ id }) => String(id));
    const known = this.byHand.get(name);
    if (known !== undefined && live.includes(known.id)) return known;
    const { id, key } = await this.harness.plane.state.createKey(`by-hand-${this.byHand.size}-${live.length}`);
    this.byHand.set(name, { id: String(id), key });
    return { id: String(id), key };
  }
}

/** The id of the key that a resource has adopted. */
function adoptedIn({ adopted }: Properties): readonly string[] {
  return adopted === undefined ? [] : [(adopted as { readonly id: string }).id];
}

function pick<T>(list: readonly T[], which: number): T | undefined {
  return list[which % Math.max(1, list.length)];
}

export function without(name: string, program: Program): Program {
  return Object.fromEntries(Object.entries(program).filter(([each]) => each !== name));
}

/** A key without the protection that would prevent the engine from healing the stack. */
function unprotected(key: DeclaredKey): DeclaredKey {
  return { ...key, options: { ...key.options, protect: false } };
}

/**
 * Requests that the keys of a program cost besides their creation. Checking an idle project takes two, because a page
 * that is not full may not be the last one, and trying a key takes one.
 */
function costOfWaiting(action: Action, program: Program): number {
  const commands = "commands" in action ? action.commands.length : Number(action.do === "up");
  const keys = Object.values(action.do === "up" ? action.program : program);
  const isTried = ({ inputs, options }: DeclaredKey) => inputs.verify === true || options !== undefined;
  const adoptions = keys.filter(({ adopts }) => adopts).length;
  return commands * (2 * keys.filter(({ waits }) => waits).length + keys.filter(isTried).length + 4 * adoptions);
}
