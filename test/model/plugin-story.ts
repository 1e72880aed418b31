import { expect } from "vitest";
import { getOrCreate } from "../../provider/get-or-create";
import { hasTagOf } from "../../provider/keys/names";
import { textsOf } from "../../provider/members";
import type { LiveKey } from "../../testing/control-plane";
import { StackHarness } from "../unit/resources/harness";
import type { Action } from "./actions";
import type { MiniEngine } from "./mini-engine";
import { PluginEngine } from "./plugin-engine";
import { Story, tell } from "./run-story";
import { handedOutIn, type Program, type Stored } from "./state";

/** Runs a story with the plugin. */
export async function runPluginStory(story: readonly Action[]): Promise<void> {
  const harness = await StackHarness.start();
  await tell(new PluginStory(harness, new PluginEngine(harness, "dev")), story);
}

class PluginStory extends Story {
  /** Ids of the keys that `revokeNow` names, by the stack and the resource. */
  private readonly revoking = new Map<MiniEngine, Map<string, string>>();
  /** The state when the last destroy began. */
  private atEnd: readonly Stored[] = [];

  constructor(
    harness: StackHarness,
    private readonly plugin: PluginEngine,
  ) {
    super(harness, plugin);
  }

  protected override async perform(action: Action): Promise<void> {
    if (action.do !== "upgrade") return super.perform(action);
    // Hazard: the provider of the former version would keep the wrong configuration.
    if (this.plugin.configured.harness === this.plugin.home.harness) this.plugin.version += 1;
  }

  /** A run that rotates a compromised key in place leaves the revocation to the next run. */
  protected override async heal(): Promise<void> {
    await super.heal();
    if (this.plugin.state.every(({ outputs }) => textsOf(outputs.compromised).length === 0)) return;
    expect(await this.healOnce({ refresh: true }), "the up that revokes compromised keys failed").toBe(true);
  }

  protected override isWeak(id: string, engine: MiniEngine): boolean {
    // The schema says that `inPlace` revokes a compromised key even if a consumer fails later. docs/limits.md has the other.
    return engine instanceof PluginEngine && (engine.revokedInPlace.has(id) || engine.keptTooLate.has(id));
  }

  protected override isMissed({ id, name }: LiveKey): boolean {
    return this.hasOwnTag(name) && !this.heldIds().includes(String(id));
  }

  protected override provesAccount(name: string): boolean {
    return this.plugin.owners.size === 1 && this.hasOwnTag(name);
  }

  protected override async end(): Promise<void> {
    this.atEnd = this.plugin.state;
    await super.end();
  }

  protected override mustReport({ id }: LiveKey): boolean {
    const held = this.atEnd.flatMap(({ outputs }) => handedOutIn(outputs));
    // Without a call, the plugin cannot say anything.
    const { released, dropped } = this.plugin;
    return held.includes(String(id)) && !released.has(String(id)) && !dropped.has(String(id));
  }

  protected override excuse(key: LiveKey): string | undefined {
    const excuse = super.excuse(key);
    if (excuse !== undefined) return excuse;
    if (this.plugin.known.has(String(key.id))) return undefined;
    if (this.isTold(key)) return "it was reported";
    if (!this.isDestroyed && this.isAnnounced(key))
      return "a refresh has announced that the next one in an up has it revoked";
    const isGone = !(key.name.replace(/(-[a-z2-7]{8}){3}$/, "") in this.program);
    if (isGone && !this.isDestroyed) return "it has left the program, so the next creation or deletion looks for it";
    const isFormer = this.hasOwnTag(key.name) && !hasTagOf(key.name, String(this.plugin.ownerId));
    if (isFormer && !this.looksBack()) return "its owner is gone, so a destroy looks for it";
    if (isFormer && !this.wasOnRecord(key.name))
      return "its owner is gone, and the state has no record of its creation";
    return undefined;
  }

  /** Whether a message has said that a later run revokes a key: a resource that adopts a key again creates none. */
  private isAnnounced({ id }: LiveKey): boolean {
    const when = "was left by an interrupted run";
    return this.engine.said.some((text) => text.includes(`key ${id} (`) && text.includes(when));
  }

  /** Whether a destroy has deleted a key by a call of the plugin. */
  private looksBack(): boolean {
    return this.isDestroyed && this.atEnd.some(({ options }) => !options.retainOnDelete && !options.deletedWith);
  }

  /** The program with `revokeNow`, which names a key that the resource has. */
  protected override async completed(given = this.program, engine: MiniEngine = this.engine): Promise<Program> {
    const revoking = getOrCreate(this.revoking, engine, () => new Map<string, string>());
    const program = Object.entries(await super.completed(given, engine)).map(([name, key]) => {
      const find = (wanted: string | undefined) => engine.state.find((each) => each.name === wanted && !each.doomed);
      const stored = find(name) ?? find(key.alias);
      const { keyId, previousKeyId, revokeNow } = stored?.outputs ?? {};
      const own = [keyId, previousKeyId, revokeNow].filter((id) => id !== undefined).map(String);
      const wanted = key.revokes === "current" ? keyId : previousKeyId;
      if (key.revokes === undefined) revoking.delete(name);
      else if (!own.includes(revoking.get(name) ?? "")) revoking.set(name, String(wanted ?? ""));
      const id = revoking.get(name);
      return [name, { ...key, inputs: { ...key.inputs, ...(id && { revokeNow: id }) } }] as const;
    });
    return Object.fromEntries(program);
  }
}
