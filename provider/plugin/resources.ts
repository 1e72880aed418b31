import { randomUUID } from "node:crypto";
import { InputError, KeyplaneError } from "../errors";
import { getOrCreate } from "../get-or-create";
import { checkId } from "../ids";
import { identityHere, isElsewhere, mustBeSameAccount } from "../keys/account-guard";
import { IMPORT, noteHeldBy, noteHolder } from "../keys/holders";
import { identityIn, identityOf, markIn, ownerIdIn } from "../keys/identity";
import { nonceFrom } from "../keys/names";
import { sameScope } from "../keys/scope";
import { withoutEmpty } from "../members";
import { check } from "../schema/check";
import { type Made, type Outputs, readOutputs } from "../schema/outputs";
import { type Context, NotReady, type ResourceType } from "../schema/resource-type";
import type { HeldName, Witness } from "../schema/witness";
import { compareResource } from "../session/compare-resource";
import type { Session } from "../session/session";
import { createAgain } from "../session/unready-resources";
import { fromPulumi, type Values } from "../session/values";
import { runVerb, type Verb } from "../session/verb";
import type { ProviderConfig } from "./config";
import { type EngineValues, fromEngine, NONCE, OWNER, publicPart, toEngine } from "./engine-values";
import { Handovers, revokeCompromised } from "./handover";
import { KeyOwners } from "./key-owners";
import { OrphanSearch } from "./orphans";
import { preview } from "./preview";

/** Why `pulumi do --stateless` creates and changes no key. */
const STATELESS =
  "this command saves no state, so nobody could use the new key or find it later. Leave out --stateless, or create the " +
  "key in a program";

export interface Named {
  readonly type: ResourceType;
  readonly urn: string;
  /** The resource option `customTimeouts` of the call, in milliseconds. */
  readonly timeoutMs?: number | undefined;
  /** Whether the call only previews a change. It makes no request. */
  readonly isPreview?: boolean | undefined;
}

interface Called extends Pick<Verb, "name" | "values" | "held"> {
  readonly nonce?: (() => string) | undefined;
}

/**
 * Calls the verbs of the resource types for one provider resource, and adds what the npm package learns from the program:
 * owners, orphans, and handovers. Takes and returns the engine's values.
 */
export class Resources {
  readonly #orphans: OrphanSearch;
  readonly #handovers = new Handovers();
  /** The identity in the state of each resource that `diff` has seen, by URN. `create` checks the account of the old key. */
  readonly #identities = new Map<string, string | undefined>();
  /** Each resource as the engine has last shown it, by URN, and whether it stays. A deletion removes it. */
  readonly #shown = new Map<string, Made & { readonly stays: boolean }>();
  /** URNs of the resources whose holdings this process has noted after their last change. A refresh notes none. */
  readonly #followed = new Set<string>();
  readonly #owners: KeyOwners;
  /** The nonces of creations, by the seeds in their inputs. */
  readonly #nonces = new Map<string, () => string>();
  /** Whether the engine has called a verb that can change something. */
  #hasChanged = false;

  constructor(
    private readonly session: Session,
    private readonly config: () => ProviderConfig,
  ) {
    this.#orphans = new OrphanSearch(() => config().owner, session.startedAt);
    this.#owners = new KeyOwners(config, this.#handovers, () => session.startMark);
  }

  /** @param seed - A random text. The engine passes the same one in a preview and in the run that follows its plan. */
  async check(named: Named, olds: EngineValues, news: Values, seed: Uint8Array) {
    const { type } = named;
    return this.#run(named, { name: "check", values: readOutputs(news) }, async (context) => {
      // After an import, the engine passes back the inputs that `read` has answered, with the owner.
      const { [OWNER]: _, [NONCE]: _nonce, ...given } = fromPulumi(news);
      const { inputs, failures } = check(publicPart(type), given, context, fromEngine(olds));
      this.session.noteCheck(named.urn, inputs);
      const refusal = type.holds && this.config().isStateless ? [{ property: "", reason: STATELESS }] : [];
      // A plan can be carried out twice, with the same seed. The second run would take the key of the first one for its own.
      const { usesPlan, pid } = this.session.command;
      const isSeeded = !usesPlan || pid === undefined;
      const internal = type.holds && this.#owners.inputs(named.urn, olds, isSeeded ? seed : undefined);
      return { inputs: { ...inputs, ...internal }, failures: [...failures, ...refusal] };
    });
  }

  async diff(named: Named, id: string, olds: EngineValues, news: EngineValues) {
    const { type, urn } = named;
    const outputs = fromEngine(olds);
    const inputs = this.#owners.identified(type, news, outputs);
    return this.#run(named, { name: "diff", values: outputs }, async (context) => {
      const found = compareResource(this.session, { type, id, outputs, inputs }, context);
      const { changes, replaces, fields, deleteBeforeReplace, reasons, driftOnly, isSupposed } = found;
      // The update proves that the account is the same, and records it.
      const isUnproven = !driftOnly && isElsewhere(identityIn(outputs), context);
      if (isUnproven)
        context.info("the credential or the address changed, so keyplane checks that it is the same account");
      this.#orphans.noteHeld(type, outputs, context);
      // The account of a key says nothing about an organization that it moves to, or the reverse.
      this.#identities.set(urn, sameScope(outputs, inputs) ? identityIn(outputs) : undefined);
      if (!driftOnly) this.#followed.add(urn);
      const hasOrphans = !driftOnly && type.holds !== undefined && (await this.#orphans.report(context));
      // For a change that the engine only supposes, it would delete the resource before its successor exists.
      const isPlanned = !driftOnly && !isSupposed && replaces.length === 0;
      const compromised = isPlanned ? type.compromised?.(outputs, inputs) : undefined;
      const handsOver = compromised !== undefined && inputs.retirement !== "inPlace";
      this.#shown.set(urn, { id, outputs, stays: !handsOver && replaces.length === 0 });
      if (handsOver) {
        this.#handovers.plan(type, id, outputs, context);
        const keepsKey = (type.stable?.(outputs, inputs, context.now()) ?? []).length > 0;
        const what = keepsKey ? "keeps its key" : "gets a new key";
        context.info(
          `${compromised}. The resource is replaced and ${what}. If it is protected, use retirement "inPlace"`,
        );
      } else {
        for (const reason of reasons) context.info(reason);
      }
      return {
        changes: changes || isUnproven || hasOrphans || compromised !== undefined,
        replaces: handsOver ? ["revokeNow"] : replaces,
        fields,
        deleteBeforeReplace,
      };
    });
  }

  async create(named: Named, news: EngineValues) {
    if (named.isPreview) return { id: "", outputs: this.#previewed(named, news) };
    const { type, urn } = named;
    const former = this.#identities.get(urn);
    const inputs = this.#owners.identified(type, news, { owner: former });
    const before = this.#handovers.planned(urn);
    const called = { name: "create", values: inputs, nonce: this.#noncesOf(news) } as const;
    return this.#run(named, called, async (context) => {
      // With another owner, since the provider is another one, the inputs do not name the account of the old key.
      await mustBeSameAccount(former, context);
      await this.#handovers.reportLeft(type, this.#shown.get(urn), context);
      const id = randomUUID();
      // A planned replacement continues the state of the old resource.
      const first = async () =>
        before ? { id, outputs: await type.update(id, before.outputs, inputs, context) } : type.create(inputs, context);
      const made = await this.session.unready.run(urn, (left) => {
        const change = left ? () => createAgain(type, left, inputs, context) : first;
        return this.#recording(context, change, (outputs) => this.#handovers.finish(type, outputs, context));
      });
      this.#noteMade(type, made, context);
      return { id: made.id, outputs: toEngine(type, made.outputs) };
    });
  }

  async read(named: Named, id: string, inputs: EngineValues, state: EngineValues) {
    const { type, urn } = named;
    const held = fromEngine(state);
    // Programs in YAML can give a part of the state, which has no owner, with the id of a key to read.
    if (Object.keys(state).length === 0 || (type.holds && held.owner === undefined)) return this.#import(named, id);
    return this.#run(named, { name: "read", values: held }, async (context) => {
      this.session.noteRead(id, urn);
      this.#orphans.noteHeld(type, held, context);
      const outputs = await type.read(id, held, context);
      if (outputs === undefined) return undefined;
      if (type.holds) await this.#orphans.report(context, this.#owners.identityNow(urn, held));
      return { id, inputs, outputs: toEngine(type, outputs) };
    });
  }

  async update(named: Named, id: string, olds: EngineValues, news: EngineValues) {
    if (named.isPreview) return this.#previewed(named, news, olds);
    const { type, urn } = named;
    const held = fromEngine(olds);
    const inputs = this.#owners.identified(type, news, held);
    return this.#run(named, { name: "update", values: inputs, held }, async (context) => {
      this.#orphans.noteHeld(type, held, context);
      const change = async (before: Outputs) => {
        const outputs = await type.update(id, before, inputs, context);
        const isInPlace = inputs.retirement === "inPlace";
        return { id, outputs: isInPlace ? await revokeCompromised(outputs, context, held.keyId) : outputs };
      };
      const made = await this.session.unready.run(urn, ({ outputs } = { id, outputs: held }) =>
        this.#recording(context, () => change(outputs)),
      );
      this.#noteMade(type, made, context);
      return toEngine(type, made.outputs);
    });
  }

  async delete(named: Named, id: string, state: EngineValues): Promise<void> {
    const { type, urn } = named;
    const held = fromEngine(state);
    return this.#run(named, { name: "delete", values: held }, async (context) => {
      this.#orphans.noteHeld(type, held, context);
      this.#handovers.noteDeletion(id);
      await this.#noteOthers(type, { id, outputs: held }, context);
      await type.delete(id, held, context);
      this.#shown.delete(urn);
      if (type.holds) await this.#orphans.afterDelete(this.#owners.identityNow(urn, held), context);
    });
  }

  #previewed({ type, urn }: Named, news: EngineValues, state?: EngineValues): EngineValues {
    const held = state ? fromEngine(state) : this.#handovers.planned(urn)?.outputs;
    const stable = held && type.stable?.(held, this.#owners.identified(type, news, held), this.session.now());
    return preview(type, fromPulumi(news), held, stable);
  }

  /** Called when the engine is done. Settles what interrupted runs left behind of resources that are gone. */
  async end(): Promise<void> {
    if (!this.config().isStateless) await this.#orphans.atEnd(this.#hasChanged);
  }

  /** Imports what exists on the service. The id of a key of an organization is `<organization's id>/<key's id>`. */
  async #import(named: Named, path: string) {
    const { type, urn } = named;
    const slash = type.holds ? path.lastIndexOf("/") : -1;
    const [organizationId, id] = slash < 0 ? [undefined, path] : [path.slice(0, slash), path.slice(slash + 1)];
    const scope = withoutEmpty({ organizationId });
    return this.#run(named, { name: "read", values: scope }, async (context) => {
      if (type.holds) checkId("apiKey", id, "id");
      if (organizationId !== undefined) checkId("organization", organizationId, "id");
      const owner = type.holds && { owner: this.#owners.identityNow(urn, scope) };
      if (owner) await mustBeSameAccount(owner.owner, context);
      const found = await type.import?.(id, this.config().importKey(id), { ...scope, ...owner }, context);
      if (found === undefined) throw new InputError("id", `a ${type.name} cannot be imported`);
      const { owner: identity, ...inputs } = found.inputs;
      for (const key of type.holds?.(found.outputs) ?? []) noteHeldBy({ id: IMPORT, urn: undefined }, key.id, context);
      const internal = type.holds && this.#owners.inputs(urn, {});
      return {
        id: found.id,
        inputs: { ...inputs, ...internal },
        outputs: toEngine(type, recorded(found.outputs, context)),
      };
    });
  }

  /**
   * Each provider resource runs in its own process. So what another process serves is looked up in the state: the successor
   * of a resource that an earlier run replaced, if the provider was changed since, such as by an upgrade; and other
   * resources that hold a key which was imported or adopted.
   */
  async #noteOthers(type: ResourceType, { id, outputs }: Made, context: Context): Promise<void> {
    const { isDestroy, isLimited } = this.session.command;
    // A second state of the resource can have an organization's key, after an import by the other form of its id.
    const shown = this.#shown.get(context.urn);
    const isTwice = shown?.id === id && shown.stays && id === outputs.keyId && outputs.organizationId !== undefined;
    const isTakenOver = outputs.imported === true || outputs.adopted !== undefined || isTwice;
    const mayShare = isTakenOver && !this.config().isStateless;
    const needsSuccessor = type.compromised !== undefined && !this.#followed.has(context.urn) && !isDestroy;
    const needsHolders = mayShare && (isLimited || !isDestroy);
    if (!needsSuccessor && !needsHolders) return;
    // What holds a key now can be newer than the look that deletions share.
    const witness = await context.witness(outputs.owner, { fresh: !isDestroy });
    if (witness !== undefined) {
      if (mayShare) noteHoldersOf(type.holds?.(outputs) ?? [], id, witness, context);
      if (needsSuccessor) noteSuccessor(type, id, witness, context);
    } else if (needsSuccessor || isTwice) {
      throw new KeyplaneError(
        "KP-REVOKE",
        "the key stays live, because the state of the stack, which shows whether another resource has it, could not be " +
          "read. Run the command in the project's folder. If the Pulumi CLI was not found, set KEYPLANE_PULUMI to its path",
      );
    }
  }

  /** The nonces of a creation, in order, also if it is repeated; `undefined` if its inputs have no seed. */
  #noncesOf({ [NONCE]: seed }: EngineValues): (() => string) | undefined {
    if (seed === undefined) return undefined;
    return getOrCreate(this.#nonces, seed, () => {
      let attempt = 0;
      return () => nonceFrom(seed, attempt++);
    });
  }

  #noteMade(type: ResourceType, made: Made, context: Context): void {
    noteHolder(type, made, context);
    this.#orphans.noteHeld(type, made.outputs, context);
    this.#identities.set(context.urn, identityIn(made.outputs));
    this.#followed.add(context.urn);
    this.#shown.set(context.urn, { ...made, stays: true });
  }

  /** Makes a change and completes the outputs to record, also if the resource is not ready. */
  async #recording(
    context: Context,
    change: () => Promise<Made>,
    reached: (outputs: Outputs) => Outputs | Promise<Outputs> = (outputs) => outputs,
  ): Promise<Made> {
    try {
      const { id, outputs } = await change();
      return { id, outputs: recorded(await reached(outputs), context) };
    } catch (error) {
      if (!(error instanceof NotReady)) throw error;
      throw new NotReady(error.id, recorded(await reached(error.outputs), context), error.message);
    }
  }

  async #run<T>(
    { type, urn, timeoutMs }: Named,
    { name, values, held = values, nonce }: Called,
    body: (context: Context) => Promise<T>,
  ): Promise<T> {
    this.#hasChanged ||= ["create", "update", "delete"].includes(name);
    const also = {
      customTimeoutMs: timeoutMs,
      hasLedger: false,
      ...(nonce && { nonce }),
      ...(type.holds && {
        ownerNow: this.#owners.identityNow(urn, held),
        beforeCreate: async (context: Context) => {
          if (this.config().isStateless) throw new KeyplaneError("KP-INPUT", STATELESS);
          const owners = [values.owner, this.#identities.get(urn) ?? values.owner];
          const named = owners.map((owner) => identityOf(ownerIdIn(owner), markIn(owner), urn));
          return this.#orphans.beforeCreate(new Set(named), context);
        },
      }),
    };
    return runVerb(this.session, { type, name, urn, values, held, also }, body);
  }
}

/** Records which other resources hold keys of a resource that is about to be deleted. */
function noteHoldersOf(keys: readonly HeldName[], id: string, witness: Witness, context: Context): void {
  for (const key of keys) {
    const holders = witness.holdersOf(key);
    const isTwice = holders.some((holder) => holder.id === id && holder.urn === context.urn && holder.replaced);
    for (const holder of holders) {
      if (holder.id === id && (holder.replaced || (holder.urn === context.urn && !isTwice))) continue;
      noteHeldBy({ id: holder.id === id ? IMPORT : holder.id, urn: holder.namedFor }, key.id, context);
    }
  }
}

/** Records what the successor of a resource holds, and which key it names as compromised. */
function noteSuccessor(type: ResourceType, id: string, witness: Witness, context: Context): void {
  const successor = witness.successorOf(context.urn, id);
  if (successor === undefined) return;
  noteHolder(type, { id: successor.id, outputs: fromEngine(successor.outputs) }, context);
  const { revokeNow } = successor.outputs;
  if (typeof revokeNow === "string") context.run.compromised.add(revokeNow);
}

/** The outputs to record. The account is proven by now. */
function recorded(outputs: Outputs, context: Context): Outputs {
  if (typeof outputs.owner !== "string") return outputs;
  return withoutEmpty({ ...outputs, owner: identityHere(outputs.owner, context) });
}
