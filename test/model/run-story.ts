import { createHash } from "node:crypto";
import { expect } from "vitest";
import type { Properties } from "../../provider/resources";
import { ownerTag, tagOf } from "../../provider/resources/names";
import { pendingOf } from "../../provider/resources/pending";
import type { LogEntry } from "../kit/control-plane";
import { Bench } from "../unit/resources/harness";
import type { Action } from "./actions";
import { MiniEngine, type Program } from "./mini-engine";

/** The grace of rotating keys, in the program's words; stories wait for longer, and for less. */
const GRACE = "1h";

/** What the story ends with, where its own last program would be missing. */
const LAST: Program = { "plain-9": { rotating: false, consumed: true, inputs: {} } };

/** Lives a story, heals the stack, and holds it to the invariants all along. */
export async function runStory(story: readonly Action[]): Promise<void> {
  const bench = await Bench.start();
  try {
    await new Story(bench).run(story);
  } finally {
    await bench.plane.close();
  }
}

class Story {
  private readonly engine: MiniEngine;
  /** Ids of keys that strangers have made. */
  private readonly strangers: number[] = [];
  /** What was known of the operations that a key waited for, by the key's id and theirs. */
  private readonly work = new Map<string, Map<string, "pending" | "failed" | "over">>();
  private program = LAST;
  private judged = 0;
  private projectId = "";
  private operations = 0;

  constructor(private readonly bench: Bench) {
    this.engine = new MiniEngine(bench);
  }

  async run(story: readonly Action[]): Promise<void> {
    this.projectId = (await this.bench.plane.state.createProject()).id;
    for (const action of story) {
      await this.frugally(action);
      await this.judge();
    }
    await this.heal();
    await this.judgeHealed();
    await this.end();
  }

  private async act(action: Action): Promise<void> {
    const { plane, clock } = this.bench;
    switch (action.do) {
      case "up":
        this.program = this.completed(action.program);
        await this.preview();
        await this.engine.up(this.program, action);
        break;
      case "refresh":
        await this.engine.refresh(action.crash);
        break;
      case "destroy":
        await this.engine.destroy(action.crash);
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
      default: {
        const held = this.heldIds();
        const own = (await plane.liveKeys())
          .filter(({ id }) => !this.strangers.includes(id))
          // Somebody who uses what a crash has left under an exact name makes it theirs to clear away.
          .filter(({ id, name }) => tagOf(name) !== undefined || held.includes(String(id)));
        const key = own[action.which % Math.max(1, own.length)];
        if (key === undefined) break;
        if (action.do === "use") await plane.state.useKey(key.id);
        else await plane.state.revokeKey(key.id);
      }
    }
  }

  private async preview(): Promise<void> {
    const before = await this.bench.plane.count();
    expect(await this.engine.preview(this.program), "the preview failed").toBe(true);
    expect((await this.bench.plane.count()) - before, "I11: requests of a preview").toBe(0);
  }

  /**
   * I10: each call of the provider, each fault, each operation and each key, live or gone, cost a few requests at most.
   * What the service carries out late was asked for, and counted, before.
   */
  private async frugally(action: Action): Promise<void> {
    const { plane } = this.bench;
    const asked = async () => (await this.settledLog()).filter(({ lateOf }) => lateOf === null).length;
    const struck = async () => (await plane.rules.list()).reduce((sum, rule) => sum + rule.struck, 0);
    const live = (await plane.liveKeys()).map(({ id }) => String(id));
    // A key that is gone is asked for a few times, for a new one may take a moment to be known everywhere.
    const gone = this.heldIds().filter((id) => !live.includes(id)).length;
    const pending = this.operations + this.engine.state.flatMap(({ outputs }) => pendingOf(outputs)).length;
    const [requests, faults] = [await asked(), await struck()];
    await this.act(action);
    const spent = (await asked()) - requests;
    const odd = (await struck()) - faults + pending + gone;
    const most = 3 * this.engine.calls + 8 * odd + 2 * live.length + costOfWaiting(action);
    expect(spent, `I10: ${spent} requests of ${this.engine.calls} calls`).toBeLessThanOrEqual(most);
  }

  /** What must hold at any time. */
  private async judge(): Promise<void> {
    const log = await this.settledLog();
    // I4, I5: what was revoked was nobody's any more.
    for (const entry of log.filter(({ seq }) => seq > this.judged)) {
      for (const effect of entry.effects.filter((each) => each.kind === "key-revoked")) {
        expect(this.strangers, "I4: a stranger's key was revoked").not.toContain(effect.id);
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
    expect(this.engine.wronglyGone, "I9: a read has taken a live key for gone").toEqual([]);
    await this.judgeState();
    // I6: nothing that is said holds a secret.
    const secrets = await this.bench.plane.secretsEverIssued();
    const said = this.engine.said.join("\n");
    expect(secrets.filter((secret) => said.includes(secret)).length, "I6: a secret was said").toBe(0);
    // I8: no name is asked for twice.
    const minted = this.engine.names.filter((name) => tagOf(name) !== undefined);
    expect(new Set(minted).size, "I8: a name was sent twice").toBe(minted.length);
  }

  /** I7, I14: the secret in the state is that of the id in the state. */
  private async judgeState(): Promise<void> {
    const { keys } = await this.bench.plane.state.read();
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

  /** I12: an operation that has failed stays failed, and nobody waits again for one that is over. */
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

  /** Faults end, what comes late comes, and somebody runs `up --refresh` until nothing is left to do. */
  private async heal(): Promise<void> {
    const { plane } = this.bench;
    await plane.rules.clear();
    await plane.commitLate();
    await this.settledLog();
    let ended = false;
    for (let round = 0; round < 3; round++) {
      await this.preview();
      ended = await this.engine.up(this.program, { refresh: true });
      await this.judge();
    }
    expect(ended, `the healing up failed: ${this.engine.said.at(-1)}`).toBe(true);
  }

  private async judgeHealed(): Promise<void> {
    const { plane } = this.bench;
    const live = new Set((await plane.liveKeys()).map(({ id }) => String(id)));
    for (const name of Object.keys(this.program)) {
      const stored = this.engine.state.find((each) => each.name === name && !each.doomed);
      expect(live.has(String(stored?.outputs.keyId)), `I1: ${name} has no live key`).toBe(true);
      expect(stored?.notReady, `${name} is not ready`).toBe(false);
      if (this.program[name]?.consumed) expect(this.engine.consumers.get(name), "I1").toBe(stored?.outputs.keyId);
    }
    expect(await this.orphans(), "I2: keys that nothing holds").toEqual([]);
    const before = await plane.count();
    await this.engine.up(this.program);
    expect((await plane.count()) - before, "I11: requests of an up that has nothing to do").toBe(0);
  }

  private async end(): Promise<void> {
    const { state } = this.engine;
    expect(await this.engine.destroy(), `the destroy failed: ${this.engine.said.at(-1)}`).toBe(true);
    await this.judge();
    expect(await this.orphans(), "I2: keys that a destroy has left behind").toEqual([]);
    const live = await this.bench.plane.liveKeys();
    expect(await this.engine.deleteAgain(state), `I13: a second delete failed: ${this.engine.said.at(-1)}`).toBe(true);
    expect(await this.bench.plane.liveKeys(), "I13: a second delete has revoked something").toEqual(live);
  }

  /** Ids of the current and previous keys in the state. */
  private heldIds(): string[] {
    const ids = this.engine.state.flatMap(({ outputs }) => [outputs.keyId, outputs.previousKeyId]);
    return ids.filter((id) => id !== undefined).map(String);
  }

  /** Live keys with a tag of this stack that nothing holds and nobody ever used. */
  private async orphans(): Promise<string[]> {
    const tags = [...this.engine.owners].map(ownerTag);
    const held = this.heldIds();
    const tooLate = await this.madeTooLate();
    return (await this.bench.plane.liveKeys())
      .filter(({ id, name }) => tags.includes(tagOf(name) ?? "") && !tooLate.includes(id))
      .filter(
        ({ id, lastUsedAt }) => lastUsedAt === null && !held.includes(String(id)) && !this.engine.kept.has(String(id)),
      )
      .map(({ id, name }) => `${id} (${name})`);
  }

  /** Ids of keys whose request was carried out when its owner was gone, and with it all that could look for them. */
  private async madeTooLate(): Promise<number[]> {
    const late = (await this.settledLog()).filter(({ lateOf }) => lateOf !== null);
    return late.flatMap(({ seq, effects }) => {
      const { owner } = this.engine.holdings.findLast(({ since }) => since < seq) ?? {};
      const made = effects.filter(({ kind }) => kind === "key-created") as { id: number; name: string }[];
      return made.filter(({ name }) => owner === undefined || tagOf(name) !== ownerTag(owner)).map(({ id }) => id);
    });
  }

  /** The log, once nothing is under way. */
  private async settledLog(): Promise<LogEntry[]> {
    // What a killed process has sent arrives all the same: a few turns of the event loop later.
    for (let turn = 0; turn < 5; turn++) await new Promise(setImmediate);
    for (;;) {
      const log = await this.bench.plane.log();
      if (log.every(({ status }) => status !== null)) return log;
      await new Promise(setImmediate);
    }
  }

  /** The program with what only the story knows: a short grace, and the project to wait for. */
  private completed(program: Program): Program {
    const entries = Object.entries(program).map(([name, key]) => {
      const grace = key.rotating ? { gracePeriod: GRACE, quietPeriod: "1m" } : {};
      const wait = key.waits ? { waitForProjects: [this.projectId] } : {};
      return [name, { ...key, inputs: { ...key.inputs, ...grace, ...wait } }] as const;
    });
    return Object.fromEntries(entries);
  }
}

/**
 * Requests that the keys of a program cost besides their creation: a look at a quiet project takes two, because a page
 * that is not full may not be the last one, and the trial of a key takes one.
 */
function costOfWaiting(action: Action): number {
  if (action.do !== "up") return 0;
  const keys = Object.values(action.program);
  return 2 * keys.filter(({ waits }) => waits).length + keys.filter(({ inputs }) => inputs.verify === true).length;
}
