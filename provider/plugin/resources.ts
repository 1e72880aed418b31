import { randomUUID } from "node:crypto";
import { InputError, messageOf } from "../errors";
import { checkId } from "../ids";
import { identityHere, isElsewhere, mustBeSameAccount } from "../keys/account-guard";
import { holdersOf, noteHolder } from "../keys/holders";
import { fingerprintIn, identityOf, ownerIdIn, identityIn as recordedIn } from "../keys/identity";
import { textsOf, withoutEmpty } from "../keys/key-fields";
import { sameScope } from "../keys/scope";
import { isRenamed, useRenamed } from "../keys/use-key";
import { check } from "../schema/check";
import { UNKNOWN } from "../schema/field-types";
import { type Context, NotReady, type Properties, type ResourceType } from "../schema/resource-type";
import { difference } from "../session/difference";
import { engineCommand } from "../session/engine-command";
import { RunKeys } from "../session/run-keys";
import type { Session } from "../session/session";
import { fromPulumi, toState } from "../session/values";
import { reasonOf, runVerb, type Verb } from "../session/verb";
import type { ProviderConfig } from "./config";
import { OrphanSearch } from "./orphans";
import { identityIn, ownerOfKey } from "./owner";
import { OWNER, publicPart } from "./public-part";
import { Retirements, revokeRetired, SUCCESSOR } from "./retirement";

/** A resource that the engine names in a call. */
export interface Named {
  readonly type: ResourceType;
  readonly urn: string;
  /** The resource option `customTimeouts` of the call, in milliseconds. */
  readonly timeoutMs?: number | undefined;
}

/** A resource as it is recorded. */
type Made = { readonly id: string; readonly outputs: Properties };

/**
 * The resources of one provider resource: what Pulumi's protocol and the lack of a program to ask add to the verbs of
 * the resource types. All values are those of the engine.
 */
export class Resources {
  readonly #orphans = new OrphanSearch();
  readonly #retirements = new Retirements();
  /** The outputs of resources that were compared, and their identities, by URN, for their replacements. */
  readonly #compared = new Map<string, { readonly outputs: Properties; readonly identity: string | undefined }>();

  constructor(
    private readonly session: Session,
    private readonly config: () => ProviderConfig,
    private readonly command = engineCommand,
    private readonly keys: Pick<RunKeys, "share" | "ofOthers"> = new RunKeys(session.engine.address),
  ) {}

  async check(named: Named, olds: Properties, news: Properties) {
    const owner = this.#ownerInput(named, fromEngine(olds));
    return this.#run(named, "check", news, async (context) => {
      this.session.noteCheck(named.urn);
      // The engine checks the inputs of an import as the plugin answered them, with the owner.
      const { [OWNER]: _, ...given } = fromPulumi(news);
      const { inputs, failures } = check(publicPart(named.type), given, context);
      return { inputs: { ...inputs, ...owner }, failures: failures.map(reasonOf) };
    });
  }

  async diff(named: Named, id: string, olds: Properties, news: Properties) {
    const { type, urn } = named;
    const outputs = fromEngine(olds);
    const inputs = this.#identified(type, news, outputs);
    return this.#run(named, "diff", outputs, async (context) => {
      const found = difference(this.session, type, id, outputs, inputs, context);
      const { changes, replaces, fields, deleteBeforeReplace, reasons, driftOnly } = found;
      // The update proves that the account is the same, and records it.
      const isMoved = !driftOnly && isElsewhere(recordedIn(outputs), context);
      if (isMoved) context.info("the credential or the address changed: this must be the same account");
      this.#orphans.noteShown(type, outputs, context);
      // The account of a key says nothing about an organization that it moves to, or the reverse.
      this.#compared.set(urn, { outputs, identity: sameScope(outputs, inputs) ? recordedIn(outputs) : undefined });
      const retires = driftOnly || replaces.length > 0 ? undefined : type.retires?.(outputs, inputs, context.now());
      // A limited command would delete the old resource before the consumers that it leaves out have the current key.
      const handsOver = retires !== undefined && inputs.retirement !== "inPlace" && !this.command.isLimited();
      if (!driftOnly && isRenamed(outputs, urn)) context.info("the resource was renamed or moved");
      if (handsOver) {
        this.#retirements.plan(type, id, outputs, context);
        const fate = type.stable?.(outputs, inputs, context.now()).length ? "keeps its key" : "gets a new key";
        context.info(`${retires}. The resource is replaced and ${fate}. If it is protected, use retirement "inPlace"`);
      } else for (const reason of reasons) context.info(reason);
      const names = handsOver ? ["retireAfter"] : replaces.map((field) => (field === "owner" ? OWNER : field));
      // Fails here if the folder cannot be written, before a key is made.
      if (names.length > 0 || outputs.predecessors !== undefined) {
        this.#share(type, handsOver ? SUCCESSOR : id, outputs, urn);
      }
      const isChanged = changes || isMoved || retires !== undefined;
      return { changes: isChanged, replaces: names, fields, deleteBeforeReplace };
    });
  }

  async create(named: Named, news: Properties) {
    const { type, urn } = named;
    const { outputs: old, identity: recorded } = this.#compared.get(urn) ?? {};
    const inputs = this.#identified(type, news, { owner: recorded });
    const before = this.#retirements.planned(urn);
    return this.#run(named, "create", inputs, async (context) => {
      // With another owner, since the provider is another one, the inputs do not name the account of the old key.
      await mustBeSameAccount(recorded, context);
      if (old && recorded !== undefined && isRenamed(old, urn)) await useRenamed(old, context);
      const id = randomUUID();
      const change = async () =>
        before ? { id, outputs: await type.update(id, before, inputs, context) } : type.create(inputs, context);
      const handedOver = (outputs: Properties) => this.#retirements.handedOver(type, outputs, context);
      const made = await this.#recording(type, context, change, handedOver);
      noteHolder(type, made.id, made.outputs, context);
      return { id: made.id, outputs: toEngine(type, made.outputs) };
    });
  }

  async read(named: Named, id: string, inputs: Properties, state: Properties) {
    const { type, urn } = named;
    if (Object.keys(state).length === 0) return this.#import(named, id);
    const held = fromEngine(state);
    return this.#run(named, "read", held, async (context) => {
      this.session.noteRead(id, urn);
      this.#orphans.noteShown(type, held, context);
      const outputs = await type.read(id, held, context);
      if (outputs === undefined) return undefined;
      if (type.holds) await this.#orphans.report(this.#identityOf(urn, held), context);
      return { id, inputs, outputs: toEngine(type, outputs) };
    });
  }

  async update(named: Named, id: string, olds: Properties, news: Properties) {
    const { type, urn } = named;
    const held = fromEngine(olds);
    const inputs = this.#identified(type, news, held);
    const body = async (context: Context) => {
      this.#orphans.noteShown(type, held, context);
      if (isRenamed(held, urn)) await useRenamed(held, context);
      const { outputs } = await this.#recording(type, context, async () => {
        const updated = await type.update(id, held, inputs, context);
        const isInPlace = inputs.retirement === "inPlace";
        return { id, outputs: isInPlace ? await revokeRetired(updated, context, held.keyId) : updated };
      });
      noteHolder(type, id, outputs, context);
      return toEngine(type, outputs);
    };
    return this.#run(named, "update", inputs, body, held);
  }

  async delete(named: Named, id: string, state: Properties): Promise<void> {
    const { type, urn } = named;
    const held = fromEngine(state);
    return this.#run(named, "delete", held, async (context) => {
      this.#orphans.noteShown(type, held, context);
      if (type.holds === undefined) return type.delete(id, held, context);
      // After an upgrade, another process may have the successor.
      const others = this.keys.ofOthers(this.#service(), id);
      for (const key of others.keys) holdersOf(key, context.run).add("another provider");
      this.#orphans.noteSeen(others.keys, context);
      const ids = type.holds(held).map((key) => key.id);
      const isDeclared = this.#compared.has(urn) || ids.some((key) => others.retiring.includes(key));
      const notes = { retiring: new Set([...this.#orphans.retiring(urn), ...others.retiring]), isDeclared };
      await type.delete(id, this.#retirements.leftBy(type, id, held, notes, this.command, context), context);
      await this.#orphans.afterDelete(this.#identityOf(urn, held), ids, context);
    });
  }

  /** What a preview shows of a resource that is to be created or, with a state, updated. Makes no request. */
  planned({ type, urn }: Named, news: Properties, state?: Properties): Properties {
    const held = state ? fromEngine(state) : this.#retirements.planned(urn);
    const stable = (held && type.stable?.(held, this.#identified(type, news, held), this.session.now())) ?? [];
    const outputs = type.outputs.map((name) => [name, stable.includes(name) ? held?.[name] : UNKNOWN]);
    return { ...Object.fromEntries(outputs), ...fromPulumi(news) };
  }

  /** Imports what exists on the service. The id of a key of an organization is `<organization's id>/<key's id>`. */
  async #import(named: Named, path: string) {
    const { type, urn } = named;
    const [, organizationId, id = path] = type.holds ? (/^(.*)\/(.*)$/s.exec(path) ?? []) : [];
    const scope = withoutEmpty({ organizationId });
    return this.#run(named, "read", scope, async (context) => {
      if (type.holds) checkId("apiKey", id, "id");
      if (organizationId !== undefined) checkId("organization", organizationId, "id");
      const owner = type.holds ? { owner: this.#identityOf(urn, scope) } : {};
      const found = await type.import?.(id, this.config().importKey(id), { ...scope, ...owner }, context);
      if (found === undefined) throw new InputError("id", `a ${type.name} cannot be imported`);
      const { owner: identity, ...inputs } = found.inputs;
      return {
        id: found.id,
        inputs: { ...inputs, ...this.#ownerInput(named, {}) },
        outputs: toEngine(type, this.#recorded(type, found.id, found.outputs, context)),
      };
    });
  }

  /** The owner of a key as an input, which the engine saves before the key is created. */
  #ownerInput({ type, urn }: Named, before: Properties): Properties {
    if (!type.holds) return {};
    const { owner, resourceUrn } = before;
    if (owner !== undefined || this.command.isReplacedByCommand(urn)) this.#orphans.noteCheck(urn);
    // A key that is handed over keeps the owner that its name shows.
    const known = owner ?? this.#retirements.planned(urn)?.owner;
    return { [OWNER]: ownerOfKey(urn, known, resourceUrn, this.config().owner) };
  }

  /** The inputs with the identity of a key instead of its owner: the account in which it was recorded belongs to it. */
  #identified(type: ResourceType, news: Properties, outputs: Properties): Properties {
    const { owner, ...inputs } = fromEngine(news);
    if (!type.holds) return inputs;
    const identity = identityIn(owner, recordedIn(outputs), inputs.organizationId, this.config().owner);
    return { ...inputs, owner: identity };
  }

  /** The identity of a key in the state, as its resource is named now. */
  #identityOf(urn: string, held: Properties): string {
    const owner = ownerOfKey(urn, held.owner, held.resourceUrn, this.config().owner);
    return identityIn(owner, recordedIn(held), held.organizationId, this.config().owner);
  }

  /** Makes a change and completes the outputs to record, also if the resource is not ready. */
  async #recording(
    type: ResourceType,
    context: Context,
    change: () => Promise<Made>,
    reached: (outputs: Properties) => Properties | Promise<Properties> = (outputs) => outputs,
  ): Promise<Made> {
    try {
      const { id, outputs } = await change();
      return { id, outputs: this.#recorded(type, id, await reached(outputs), context) };
    } catch (error) {
      if (!(error instanceof NotReady)) throw error;
      throw new NotReady(error.id, this.#recorded(type, error.id, await reached(error.outputs), context), error.reason);
    }
  }

  /** The outputs to record, with what only the plugin needs. The account is proven by now. */
  #recorded(type: ResourceType, id: string, outputs: Properties, context: Context): Properties {
    if (typeof outputs.owner !== "string") return outputs;
    const recorded = this.#orphans.recorded(context.urn, outputs);
    try {
      if (recorded.predecessors !== undefined) this.#share(type, id, recorded, context.urn);
    } catch (error) {
      // What was made must be recorded.
      context.warn(messageOf(error));
    }
    return { ...recorded, owner: identityHere(outputs.owner, context) };
  }

  /** Tells the process of a former provider, which may delete predecessors of a resource, which keys it has. */
  #share(type: ResourceType, resource: string, outputs: Properties, urn: string): void {
    const keys = type.holds?.(outputs).map((key) => key.id);
    const retiring = textsOf(outputs.retiring);
    if (keys !== undefined) this.keys.share(urn, { service: this.#service(), resource, keys, retiring });
  }

  /** The service whose ids the keys have. */
  #service(): string {
    return this.session.settings(undefined).baseUrl;
  }

  async #run<T>(
    { type, urn, timeoutMs }: Named,
    name: Verb["name"],
    values: Properties,
    body: (context: Context) => Promise<T>,
    held = values,
  ): Promise<T> {
    const also = {
      customTimeoutMs: timeoutMs,
      ...(type.holds && {
        ownerNow: this.#identityOf(urn, held),
        beforeCreate: (context: Context) => {
          const owners = [values.owner, this.#compared.get(urn)?.identity ?? values.owner];
          const named = owners.map((owner) => identityOf(ownerIdIn(owner), fingerprintIn(owner), urn));
          return this.#orphans.beforeCreate(new Set(named), context);
        },
      }),
    };
    return runVerb(this.session, { type, name, urn, values, held, also }, body);
  }
}

/** Values of the engine for the resource types. */
export function fromEngine(values: Properties): Properties {
  const { [OWNER]: owner, ...others } = fromPulumi(values);
  return owner === undefined ? others : { ...others, owner };
}

/** Outputs of a resource type for the engine. */
export function toEngine(type: ResourceType, { owner, ...outputs }: Properties): Properties {
  return toState({ ...outputs, ...(owner !== undefined && { [OWNER]: owner }) }, type.canBeAbsent);
}
