import { createHash } from "node:crypto";
import { expect } from "vitest";
import { hasTagOf, isAutoName, ownerTag, tagOf } from "../../provider/keys/names";
import { pendingOf } from "../../provider/keys/readiness";
import type { Properties } from "../../provider/schema/resource-type";
import type { LiveKey, LogEntry } from "../../testing/control-plane";
import { StackHarness } from "../unit/resources/harness";
import type { Action } from "./actions";
import { DynamicEngine } from "./dynamic-engine";
import type { DeclaredKey, MiniEngine, Program, Stored } from "./mini-engine";

/** The grace period of rotating keys. Stories wait for longer and for shorter times. */
const GRACE = "1h";

/** The last program, if the story has none. */
const LAST: Program = { "plain-9": { rotating: false, consumed: true, inputs: {} } };

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
  /** Ids of adopted keys. */
  protected readonly adopted = new Set<string>();
  /** The last known status of the operations for which a key waited, by the key's id and their ids. */
  private readonly work = new Map<string, Map<string, "pending" | "failed" | "over">>();
  protected program = LAST;
  private judged = 0;
  private projectId = "";
  private operations = 0;

  constructor(
    protected readonly harness: StackHarness,
    protected readonly engine: MiniEngine = new DynamicEngine(harness),
  ) {}

  async close(): Promise<void> {
    await this.harness.plane.close();
    await this.engine.away?.harness.plane.close();
  }

  async run(story: readonly Action[]): Promise<void> {
    this.projectId = (await this.harness.plane.state.createProject()).id;
    for (const action of story) {
      await this.frugally(action);
      await this.judge();
    }
    await this.heal();
    await this.judgeHealed();
    await this.end();
  }

  /**
   * Executes an action. Records the keys that were missing from the last list of an owner that is now gone, because
   * nobody will look for them again.
   */
  private async act(action: Action): Promise<void> {
    const lies = async () => {
      const rules = await this.harness.plane.rules.list();
      return rules.reduce((sum, { lacks, struck }) => sum + (lacks === undefined ? 0 : struck), 0);
    };
    const before = await lies();
    await this.perform(action);
    if ((await lies()) === before) return;
    for (const key of await this.harness.plane.liveKeys()) if (this.isMissed(key)) this.unseen.add(key.id);
  }

  /** Whether nobody looks for a key again that a list lacked. */
  protected isMissed({ name }: LiveKey): boolean {
    const tags = [...this.engine.owners].filter((id) => id !== this.engine.ownerId).map(ownerTag);
    return tags.includes(tagOf(name) ?? "");
  }

  protected async perform(action: Action): Promise<void> {
    const { plane, clock } = this.harness;
    switch (action.do) {
      case "up": {
        if (action.away && this.engine.away === undefined) await this.openOtherAccount();
        this.program = action.program;
        const program = await this.completed();
        await this.preview(program);
        await this.forgettingNothing(this.engine.isAway(action) && !action.refresh, () =>
          this.engine.up(program, action),
        );
        break;
      }
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
        const key = own[action.which % Math.max(1, own.length)];
        if (key === undefined) break;
        if (action.do === "use") await plane.state.useKey(key.id);
        else await plane.state.revokeKey(key.id);
        break;
      }
      default:
        throw new Error(`${action.do} is for stories of the plugin`);
    }
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
        .flatMap(({ outputs }) => [outputs.keyId, outputs.previousKeyId, outputs.retired, outputs.pendingRevocations])
        .flat()
        .filter((id) => id !== undefined)
        .map(String)
        .sort();
    const before = keys();
    await command();
    if (isAway) expect(keys(), "I15: a command in another account has changed what the state holds").toEqual(before);
  }

  protected async preview(program: Program): Promise<void> {
    const before = await this.harness.plane.count();
    expect(await this.engine.preview(program), "the preview failed").toBe(true);
    expect((await this.harness.plane.count()) - before, "I11: requests of a preview").toBe(0);
  }

  /**
   * I10: each call of the provider, each fault, each operation and each key, live or gone, costs at most a few requests.
   * A request that is carried out late was counted when it was sent.
   */
  private async frugally(action: Action): Promise<void> {
    const { plane } = this.harness;
    const asked = async () => (await this.settledLog()).filter(({ lateOf }) => lateOf === null).length;
    const struck = async () => (await plane.rules.list()).reduce((sum, rule) => sum + rule.struck, 0);
    const live = (await plane.liveKeys()).map(({ id }) => String(id));
    // A key that is gone is looked up a few times, because a new key may take a moment to be known everywhere.
    const gone = this.heldIds().filter((id) => !live.includes(id)).length;
    const pending = this.operations + this.engine.state.flatMap(({ outputs }) => pendingOf(outputs)).length;
    const [requests, faults] = [await asked(), await struck()];
    await this.act(action);
    const spent = (await asked()) - requests;
    const odd = (await struck()) - faults + pending + gone;
    const most = 3 * this.engine.calls + 8 * odd + 2 * live.length + costOfWaiting(action, this.program);
    expect(spent, `I10: ${spent} requests of ${this.engine.calls} calls`).toBeLessThanOrEqual(most);
  }

  /** Checks the invariants that must hold at any time. */
  protected async judge(): Promise<void> {
    const log = await this.settledLog();
    for (const { outputs } of this.engine.state) {
      if (outputs.adopted) this.adopted.add((outputs.adopted as { readonly id: string }).id);
    }
    const byHand = [...this.byHand.values()].map(({ id }) => id).filter((id) => !this.adopted.has(id));
    // I4, I5: nobody needed a revoked key any more.
    for (const entry of log.filter(({ seq }) => seq > this.judged)) {
      for (const effect of entry.effects.filter((each) => each.kind === "key-revoked")) {
        expect(this.strangers, "I4: a stranger's key was revoked").not.toContain(effect.id);
        expect(byHand, "I4: a key was revoked that was never adopted").not.toContain(String(effect.id));
        if (this.isWeak(effect.id, entry)) continue;
        expect([...this.engine.kept], "a key was revoked that was to outlive its resource").not.toContain(
          String(effect.id),
        );
        const asked = entry.lateOf ?? entry.seq;
        const held = this.engine.holdings.findLast(({ since }) => since < asked);
        expect([...(held?.consumers ?? [])], "I5: a consumer held the key that was revoked").not.toContain(
          String(effect.id),
        );
        expect([...(held?.state ?? [])], "I5: the state held the key that was revoked").not.toContain(
          String(effect.id),
        );
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
  protected isWeak(_id: number, _entry: LogEntry): boolean {
    return false;
  }

  /** I7, I14: the secret in the state belongs to the id in the state. */
  private async judgeState(): Promise<void> {
    const { keys } = await this.harness.plane.state.read();
    for (const { name, outputs } of this.engine.state) {
      this.judgeWork(name, outputs);
      const live = keys.live.find(({ id }) => String(id) === outputs.keyId);
      if (live === undefined) continue;
      expect(typeof outputs.key, `I14: ${name} has no secret`).toBe("string");
      expect(createHash("sha256").update(String(outputs.key)).digest("hex"), `I7: the secret of ${name}`).toBe(
        live.hash,
      );
    }
  }

  /** I12: a failed operation stays failed, and nobody waits again for an operation that has ended. */
  private judgeWork(name: string, outputs: Properties): void {
    const known = this.work.get(String(outputs.keyId)) ?? new Map();
    this.work.set(String(outputs.keyId), known);
    const work = pendingOf(outputs).filter(({ operationId }) => operationId !== undefined);
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
      if (this.program[name]?.consumed) expect(this.engine.consumers.get(name), "I1").toBe(stored?.outputs.keyId);
    }
    expect(await this.orphans(), "I2: keys that nothing holds").toEqual([]);
    const before = await plane.count();
    await this.engine.up(await this.completed());
    expect((await plane.count()) - before, "I11: requests of an up that has nothing to do").toBe(0);
  }

  protected async end(): Promise<void> {
    this.engine.unprotect();
    const { state, ownerId } = this.engine;
    const said = this.engine.said.length;
    expect(await this.engine.destroy(), `the destroy failed: ${this.engine.said.at(-1)}`).toBe(true);
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
  }

  /** Whether a destroy that leaves this key alone has to say so. */
  protected mustReport({ name }: LiveKey, ownerId: string | undefined): boolean {
    return hasTagOf(name, String(ownerId));
  }

  /** Ids of the current and previous keys in the state. */
  protected heldIds(): string[] {
    return idsIn(this.engine.state);
  }

  /** Live keys of this stack, by tag or by adoption, that no state holds and nobody ever used. */
  protected async orphans(): Promise<LiveKey[]> {
    const held = this.heldIds();
    const tooLate = await this.madeTooLate();
    const isOwn = ({ id, name }: LiveKey) => this.hasOwnTag(name) || this.adopted.has(String(id));
    return (await this.harness.plane.liveKeys())
      .filter((key) => isOwn(key) && !tooLate.includes(key.id) && !this.unseen.has(key.id))
      .filter(({ id }) => !this.engine.kept.has(String(id)) && !this.engine.dropped.has(String(id)))
      .filter(
        ({ id, lastUsedAt }) => (lastUsedAt === null || this.adopted.has(String(id))) && !held.includes(String(id)),
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
  protected async completed(): Promise<Program> {
    const entries = Object.entries(this.program).map(async ([name, key]) => {
      const grace = key.rotating ? { gracePeriod: GRACE, quietPeriod: "1m" } : {};
      const wait = key.waits ? { waitForProjects: [this.projectId] } : {};
      const isNew = key.adopts && this.engine.state.every((each) => each.name !== name);
      const adoption = isNew ? { adopt: await this.keyToAdopt(name) } : {};
      return [name, { ...key, inputs: { ...key.inputs, ...grace, ...wait, ...adoption } }] as const;
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

/** Ids of the current and previous keys of resources. */
function idsIn(resources: readonly Stored[]): string[] {
  const ids = resources.flatMap(({ outputs }) => [outputs.keyId, outputs.previousKeyId]);
  return ids.filter((id) => id !== undefined).map(String);
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
  if (action.do !== "up" && action.do !== "copy") return 0;
  const keys = Object.values(action.do === "up" ? action.program : program);
  const isTried = ({ inputs, options }: DeclaredKey) => inputs.verify === true || options !== undefined;
  const adoptions = keys.filter(({ adopts }) => adopts).length;
  return 2 * keys.filter(({ waits }) => waits).length + keys.filter(isTried).length + 4 * adoptions;
}
