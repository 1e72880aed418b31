import { expect } from "vitest";
import { identityOf, ownerIdIn } from "../../provider/keys/identity";
import { textsOf } from "../../provider/keys/key-fields";
import { hasTagOf, isNamedFor } from "../../provider/keys/names";
import { OWNER } from "../../provider/plugin/public-part";
import type { LiveKey, LogEntry } from "../../testing/control-plane";
import { StackHarness } from "../unit/resources/harness";
import type { Action } from "./actions";
import type { Program, Stored } from "./mini-engine";
import { PluginEngine } from "./plugin-engine";
import { Story, tell } from "./run-story";

/** After this age, a key may have been handed out by a run whose state was lost, in milliseconds. */
const MAX_AGE_MS = 24 * 3_600_000;

/** Runs a story with the plugin. */
export async function runPluginStory(story: readonly Action[]): Promise<void> {
  const harness = await StackHarness.start();
  await tell(new PluginStory(harness, new PluginEngine(harness)), story);
}

class PluginStory extends Story {
  private readonly copies: PluginEngine[] = [];
  /** Ids of owners from before a renaming of the stack. */
  private readonly formerOwners = new Set<string>();
  /** Ids of the keys that `revokeNow` names, by the resource. */
  private readonly revoking = new Map<string, string>();
  /** Whether a key that is not revoked may have the exact name. */
  private isExactTaken = false;
  private isDestroyed = false;
  /** The state when the last destroy began. */
  private atEnd: readonly Stored[] = [];

  constructor(
    harness: StackHarness,
    private readonly plugin: PluginEngine,
  ) {
    super(harness, plugin);
  }

  protected override async perform(action: Action): Promise<void> {
    switch (action.do) {
      case "up":
        await super.perform({
          ...action,
          program: this.isExactTaken ? without("exact", action.program) : action.program,
          // A new owner is minted for the account of the run, whichever it is.
          away: action.away === true && !this.plugin.mintsOwner,
        });
        break;
      case "upgrade":
        // Hazard: the provider of the former version would keep the wrong configuration.
        if (this.plugin.configured.harness === this.plugin.home.harness) this.plugin.version += 1;
        break;
      case "rename stack":
        for (const id of this.plugin.owners) this.formerOwners.add(id);
        this.plugin.renameStack(`${this.plugin.stack}x`);
        // A key of a former owner is never revoked.
        this.leaveExact();
        break;
      case "forget": {
        const found = this.plugin.state[action.which % Math.max(1, this.plugin.state.length)];
        if (found) this.plugin.forget(found);
        if (found?.name === "exact") this.leaveExact();
        break;
      }
      case "copy":
        await this.copy(action.commands);
        break;
      default:
        await super.perform(action);
    }
  }

  private leaveExact(): void {
    this.isExactTaken = true;
    this.program = without("exact", this.program);
  }

  private async copy(commands: readonly ("up" | "refresh" | "destroy")[]): Promise<void> {
    const copy = this.plugin.copied(`copy${this.copies.length}`);
    this.copies.push(copy);
    for (const command of commands) await this.inCopy(copy, command);
  }

  private async inCopy(copy: PluginEngine, command: "up" | "refresh" | "destroy"): Promise<boolean> {
    // The copy and the original cannot both have a key with an exact name.
    const program = without("exact", without("adopted", await this.completed()));
    const ended = await (command === "up" ? copy.up(program) : copy[command]());
    this.plugin.calls += copy.calls;
    this.plugin.said.push(...copy.said.splice(0));
    this.plugin.names.push(...copy.names.splice(0));
    this.plugin.wronglyGone.push(...copy.wronglyGone.splice(0));
    return ended;
  }

  protected override isWeak(id: number, _entry: LogEntry): boolean {
    const { forgotten, dropped, retiredInPlace, unshown } = this.plugin;
    // The schema says that `inPlace` revokes the previous key even if a consumer fails later.
    if (retiredInPlace.has(String(id))) return true;
    // Hazard: a process that deletes a replaced resource and its successor is not shown the successor. It takes the
    // successor's unused key for an orphan, and does not know what the successor continues.
    if (unshown.has(String(id))) return true;
    // `state delete` and `retainOnDelete` are not shown to a plugin.
    return forgotten.has(String(id)) || dropped.has(String(id));
  }

  protected override isMissed({ id, name }: LiveKey): boolean {
    return this.hasOwnTag(name) && !this.heldIds().includes(String(id));
  }

  protected override provesAccount(name: string): boolean {
    return this.plugin.owners.size === 1 && this.hasOwnTag(name);
  }

  protected override async end(): Promise<void> {
    for (const copy of this.copies) {
      const [state, owners] = [copy.state, copy.owners];
      copy.unprotect();
      const said = this.plugin.said.length;
      const ended = await this.inCopy(copy, "destroy");
      const messages = this.plugin.said.slice(said).join("\n");
      // Nobody confirms an account there.
      if (!ended && messages.includes("KP-WRONG-ACCOUNT")) continue;
      expect(ended, `the destroy of a copy failed: ${messages}`).toBe(true);
      const own = (await this.harness.plane.liveKeys()).filter(({ name }) =>
        [...owners].some((owner) => hasTagOf(name, owner)),
      );
      const held = new Set(state.flatMap(({ outputs }) => [outputs.keyId, outputs.previousKeyId]).map(String));
      const isKept = ({ id }: LiveKey) => copy.kept.has(String(id)) || copy.dropped.has(String(id));
      expect(
        own.filter((key) => held.has(String(key.id)) && !isKept(key)),
        "I2: own keys of a destroyed copy",
      ).toEqual([]);
    }
    this.atEnd = this.plugin.state;
    this.isDestroyed = true;
    await super.end();
  }

  protected override mustReport({ id }: LiveKey): boolean {
    const held = this.atEnd.flatMap(({ outputs }) => [outputs.keyId, outputs.previousKeyId]).map(String);
    // Without a call, the plugin cannot say anything.
    return held.includes(String(id)) && !this.plugin.dropped.has(String(id));
  }

  /** Live keys that no state holds and that should have been revoked. */
  protected override async orphans(): Promise<LiveKey[]> {
    const found: LiveKey[] = [];
    const held = this.heldIds();
    const log = await this.settledLog();
    for (const key of await this.harness.plane.liveKeys()) {
      const isOwn = this.hasOwnTag(key.name) || this.adopted.has(String(key.id));
      if (isOwn && !held.includes(String(key.id)) && this.excuse(key, log) === undefined) found.push(key);
    }
    return found;
  }

  /** Why the plugin need not have revoked a key that no resource holds. */
  private excuse(key: LiveKey, log: readonly LogEntry[]): string | undefined {
    const { plugin } = this;
    const id = String(key.id);
    if (plugin.kept.has(id)) return "revokeOnDelete is false";
    if (plugin.dropped.has(id) || plugin.forgotten.has(id)) return "the engine removed it without a call";
    if ([...this.formerOwners].some((owner) => hasTagOf(key.name, owner))) return "the stack was renamed";
    if (this.adopted.has(id) && this.formerOwners.size > 0) return "the stack was renamed after it adopted the key";
    if (plugin.everHeld.has(id)) return undefined;
    if (key.lastUsedAt !== null) return "it was used";
    if (this.unseen.has(key.id)) return "a list lacked it";
    const resource = this.resourceOf(key, this.isDestroyed ? this.atEnd : plugin.state);
    if (resource === undefined) return "its resource has left the program, so only `keyplane sweep` finds it";
    if (textsOf(resource.outputs.predecessors).includes(id))
      return "a forced replacement cannot tell it from the old key";
    if (this.harness.clock.now() - Date.parse(key.createdAt) > MAX_AGE_MS) return "it is older than 24 hours";
    const { seq: made = 0 } =
      log.find(({ effects }) => effects.some((each) => each.kind === "key-created" && each.id === key.id)) ?? {};
    const { retainOnDelete, deletedWith } = resource.options;
    if (this.isDestroyed)
      return retainOnDelete || deletedWith ? "the engine removed its resource without a call" : undefined;
    const mints = plugin.mints.get(plugin.urnOf(resource.name, resource.kind)) ?? [];
    return mints.some((since) => since >= made) ? undefined : "its resource made no key since";
  }

  /** The resource for which a key was made, and that looks for it. */
  private resourceOf({ name }: LiveKey, resources: readonly Stored[]): Stored | undefined {
    return resources.find((each) => {
      const owner = ownerIdIn(each.outputs[OWNER]);
      return isNamedFor(name, identityOf(owner, undefined, this.plugin.urnOf(each.name, each.kind)));
    });
  }

  /** The program with `revokeNow`, which names a key that the resource has. */
  protected override async completed(): Promise<Program> {
    const program = Object.entries(await super.completed()).map(([name, key]) => {
      const find = (wanted: string | undefined) =>
        this.plugin.state.find((each) => each.name === wanted && !each.doomed);
      const stored = find(name) ?? find(key.alias);
      const { keyId, previousKeyId, revokeNow } = stored?.outputs ?? {};
      const own = [keyId, previousKeyId, revokeNow].filter((id) => id !== undefined).map(String);
      const wanted = key.revokes === "current" ? keyId : previousKeyId;
      if (key.revokes === undefined) this.revoking.delete(name);
      else if (!own.includes(this.revoking.get(name) ?? "")) this.revoking.set(name, String(wanted ?? ""));
      const id = this.revoking.get(name);
      return [name, { ...key, inputs: { ...key.inputs, ...(id && { revokeNow: id }) } }] as const;
    });
    return Object.fromEntries(program);
  }
}

function without(name: string, program: Program): Program {
  return Object.fromEntries(Object.entries(program).filter(([each]) => each !== name));
}
