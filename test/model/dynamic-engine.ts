import { noteHolder } from "../../provider/keys/holders";
import { textsOf } from "../../provider/keys/key-fields";
import { resourceTypes } from "../../provider/resources/registry";
import { check } from "../../provider/schema/check";
import { diff } from "../../provider/schema/diff";
import { type Context, NotReady, type Properties, type ResourceType } from "../../provider/schema/resource-type";
import { Settings } from "../../provider/settings/settings";
import type { StackHarness } from "../unit/resources/harness";
import {
  type DeclaredKey,
  type Flags,
  MiniEngine,
  type Options,
  type Place,
  type Program,
  Refused,
  type Result,
  StepFailed,
  type Stored,
} from "./mini-engine";

const FORCED = { changes: true, replaces: ["id"], deleteBeforeReplace: false, reasons: [] };

/** A stack of the dynamic provider: with an owner, which its keys refer to, and a ledger, which runs last. */
export class DynamicEngine extends MiniEngine {
  override get ownerId(): string | undefined {
    return this.owner?.id;
  }

  private get owner(): Stored | undefined {
    return this.state.find(({ kind }) => kind === "Owner");
  }

  override up(program: Program, flags: Flags = {}): Promise<boolean> {
    return this.command(flags, async () => {
      if (flags.refresh) await this.readAll();
      const place = this.isAway(flags) && this.away ? this.away : this.home;
      if (place !== this.configured) this.enter(place);
      this.configured = place;
      const owner = await this.ensureOwner();
      const told = new Set<string>();
      for (const [name, key] of Object.entries(program)) {
        const held = owner && (await this.attempt(() => this.ensureKey(name, key, owner)));
        if (held === undefined) continue;
        told.add(name);
        const keyId = String(held.outputs.keyId);
        this.handedOut.add(keyId);
        if (key.consumed && this.includesConsumer(name)) await this.attempt(() => this.deliver(name, keyId));
      }
      // Resources that left the program are deleted after the ledger runs, and the ledger cannot distinguish such a key
      // from an orphan if it was created by a failed run. All other resources have a new key by then.
      this.declared = program;
      await this.note();
      if (owner !== undefined && this.includes("keyplane")) {
        const isComplete = this.failures === 0 && told.size === Object.keys(program).length;
        const inputs = this.ledgerInputs(String(owner.outputs.identity), told);
        await this.attempt(() =>
          this.ensure("Ledger", "keyplane", { ...inputs, ...(!isComplete && { incomplete: true }) }),
        );
      }
      await this.deleteLeftovers(program);
      if (this.failures > 0) throw new StepFailed();
    });
  }

  private async ensureOwner(): Promise<Stored | undefined> {
    if (!this.includes("keyplane")) {
      if (this.owner === undefined) throw new Refused();
      return this.owner;
    }
    const owner = await this.attempt(() => this.ensure("Owner", "keyplane", { project: "model", stack: "dev" }));
    if (owner !== undefined) this.owners.add(owner.id);
    return owner;
  }

  /** Returns undefined for a key that the run leaves out and that does not exist. */
  private async ensureKey(name: string, key: DeclaredKey, owner: Stored): Promise<Stored | undefined> {
    if (!this.includes(name)) return this.state.find((each) => each.name === name && !each.doomed);
    const { options = {} } = key;
    const retained = options.protect || options.retainOnDelete;
    const inputs = {
      ...key.inputs,
      ...(retained && { retained }),
      owner: owner.outputs.identity,
      resourceUrn: urnOf(name),
    };
    return this.ensure(key.rotating ? "RotatingApiKey" : "ApiKey", name, inputs, options);
  }

  override preview(program: Program): Promise<boolean> {
    return this.command({}, async () => {
      const owner = this.owner?.outputs.identity ?? "unknown";
      for (const [name, key] of Object.entries(program)) {
        const kindName = key.rotating ? "RotatingApiKey" : "ApiKey";
        const { old, inputs, context } = this.checked(kindName, name, {
          ...key.inputs,
          owner,
          resourceUrn: urnOf(name),
        });
        if (old) diff(resourceTypes[kindName], old.outputs, inputs, termsOf(context));
      }
    });
  }

  override destroy(flags: Flags = {}): Promise<boolean> {
    return this.command(flags, async () => {
      this.isDestroy = true;
      for (const ledger of this.state.filter(({ kind }) => kind === "Ledger")) await this.delete(ledger);
      for (const consumer of [...this.consumers.keys()]) await this.deliver(consumer, undefined);
      for (const key of this.state.filter(({ kind }) => kind !== "Owner")) {
        if (key.options.protect && !key.doomed) this.fail(`${key.name} is protected`);
        else await this.delete(key);
      }
      if (this.failures > 0) throw new StepFailed();
      for (const owner of this.state) await this.delete(owner);
    });
  }

  protected override harnessAt(place: Place): StackHarness {
    const beside = super.harnessAt(place);
    const confirmedAccounts = place.confirmed ? [beside.context.fingerprint()] : [];
    const settings = new Settings({ ...beside.context.settings(), confirmedAccounts });
    return place.harness.beside({ apiKey: place.apiKey, context: { settings: () => settings } });
  }

  protected override callDelete(old: Stored): Promise<void> {
    return resourceTypes[old.kind].delete(old.id, old.outputs, this.contextOf(old.name));
  }

  protected override async callRead(old: Stored): Promise<Stored | undefined> {
    const outputs = await resourceTypes[old.kind].read(old.id, old.outputs, this.contextOf(old.name));
    return outputs && { ...old, outputs };
  }

  protected override notReady(error: unknown): NotReady | undefined {
    return error instanceof NotReady ? error : undefined;
  }

  private contextOf(name: string): Context {
    return { ...this.harness.context, urn: urnOf(name) };
  }

  private async ensure(
    kindName: keyof typeof resourceTypes,
    name: string,
    news: Properties,
    options: Options = {},
  ): Promise<Stored> {
    const kind: ResourceType = resourceTypes[kindName];
    const { old, inputs, context } = this.checked(kindName, name, news);
    if (old === undefined) return this.create(kindName, name, inputs, options, context);
    // The engine requests no diff for a forced replacement.
    const isForced = this.flags.replace?.includes(name);
    const difference = isForced ? FORCED : diff(kind, old.outputs, inputs, termsOf(context));
    if (!isForced) noteHolder(kind, old.id, old.outputs, context);
    if (difference.replaces.length > 0 && options.protect && old.options.protect) {
      this.said.push(`${name} is protected`);
      throw new Refused();
    }
    if (difference.deleteBeforeReplace) {
      await this.deliver(name, undefined);
      await this.delete(old);
      return this.create(kindName, name, inputs, options, context);
    }
    if (difference.replaces.length > 0) return this.create(kindName, name, inputs, options, context, old);
    if (!difference.changes && !old.notReady) return this.put(old, { ...old, options });
    return this.step(async () => {
      const outcome = await this.outcome(async () => {
        const outputs = await kind.update(old.id, old.outputs, inputs, context);
        noteHolder(kind, old.id, outputs, context);
        return outputs;
      });
      return { ...outcome, change: (result) => this.put(old, { ...old, ...result, options }) };
    });
  }

  private checked(kindName: keyof typeof resourceTypes, name: string, news: Properties) {
    const context = this.contextOf(name);
    const { inputs, failures } = check(resourceTypes[kindName], news, context);
    if (failures.length > 0) throw new Error(`${name}: ${JSON.stringify(failures)}`);
    const old = this.state.find((each) => each.kind === kindName && each.name === name && !each.doomed);
    return { old, inputs, context };
  }

  private create(
    kindName: keyof typeof resourceTypes,
    name: string,
    inputs: Properties,
    options: Options,
    context: Context,
    old?: Stored,
  ): Promise<Stored> {
    return this.step(async () => {
      const made = { id: "" };
      const outcome = await this.outcome(async () => {
        const { id, outputs } = await resourceTypes[kindName].create(inputs, context);
        noteHolder(resourceTypes[kindName], id, outputs, context);
        made.id = id;
        return outputs;
      });
      const change = (result: Result): Stored => {
        if (old) this.put(old, { ...old, doomed: true });
        if (old) this.replaced.add(old.id);
        const id = outcome.id ?? made.id;
        return this.put(undefined, { kind: kindName, name, id, doomed: false, options, ...result });
      };
      return { ...outcome, change };
    });
  }

  /** What the ledger receives about the keys with these names. */
  private ledgerInputs(owner: string, names: ReadonlySet<string>): Properties {
    const keys = this.state.filter(({ name, kind, doomed }) => kind !== "Ledger" && names.has(name) && !doomed);
    const doomedOf = ({ pendingRevocations, retired }: Properties) => [
      ...textsOf(pendingRevocations),
      ...textsOf(retired),
    ];
    const owned = keys.flatMap(({ outputs }) => [
      ...[outputs.keyId, outputs.previousKeyId].filter((id) => id !== undefined).map(String),
      ...doomedOf(outputs),
    ]);
    const rotating = keys.filter(({ kind }) => kind === "RotatingApiKey");
    const adopted = rotating.flatMap(({ outputs }) => (outputs.adopted ? [outputs.adopted as Adopted] : []));
    return {
      owner,
      owned: [...new Set(owned)].sort(),
      lostNames: [...new Set(keys.flatMap(({ outputs }) => textsOf(outputs.lostNames)))].sort(),
      pendingRevocations: [...new Set(rotating.flatMap(({ outputs }) => doomedOf(outputs)))].sort(),
      ...(adopted.length > 0 && { untagged: Object.fromEntries(adopted.map(({ id, name }) => [id, name])) }),
    };
  }
}

interface Adopted {
  readonly id: string;
  readonly name: string;
}

function urnOf(name: string): string {
  return `urn:pulumi:dev::model::key::${name}`;
}

/** The context of a diff in an `up`. */
function termsOf(context: Context) {
  return { now: context.now(), fingerprint: context.fingerprint, driftOnly: false };
}
