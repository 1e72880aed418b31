import { createHash } from "node:crypto";
import { base32 } from "../base32";
import { identityIn } from "../keys/identity";
import { withoutEmpty } from "../members";
import type { Given, Outputs } from "../schema/outputs";
import type { ResourceType } from "../schema/resource-type";
import type { ProviderConfig } from "./config";
import { type EngineValues, fromEngine, NONCE, OWNER } from "./engine-values";
import type { Handovers } from "./handover";
import { identityOfResource, ownerOfKey } from "./owner";

/** Who owns the keys of one provider resource: as an input of the engine, and as an identity with the account. */
export class KeyOwners {
  constructor(
    private readonly config: () => ProviderConfig,
    private readonly handovers: Handovers,
    private readonly startMark: () => string,
  ) {}

  /**
   * The owner of a key, and the seed of its nonces with the start of the run, as inputs, which the engine saves before the
   * key is created. A resource that exists has its own seed.
   */
  inputs(urn: string, olds: EngineValues, seed: Uint8Array = new Uint8Array()): EngineValues {
    const { owner, resourceUrn } = fromEngine(olds);
    // A key that is handed over keeps the owner that its name shows.
    const before = owner ?? this.handovers.planned(urn)?.outputs.owner;
    const isNew = Object.keys(olds).length === 0 && seed.length > 0;
    const digest = () => base32(createHash("sha256").update(seed).update(urn).digest().subarray(0, 5));
    return withoutEmpty({
      [OWNER]: this.#ownerNow(urn, before, resourceUrn),
      [NONCE]: isNew ? digest() + this.startMark() : olds[NONCE],
    });
  }

  /** The inputs with the identity of a key instead of its owner: the account in which it was recorded belongs to it. */
  identified(type: ResourceType, news: EngineValues, outputs: Outputs): Given {
    const { owner, ...inputs } = fromEngine(news);
    if (!type.holds) return inputs;
    const identity = identityOfResource(owner, identityIn(outputs), inputs.organizationId, this.config().owner);
    return { ...inputs, owner: identity };
  }

  /** The identity of a key in the state, as its resource is named now. */
  identityNow(urn: string, outputs: Outputs): string {
    const owner = this.#ownerNow(urn, outputs.owner, outputs.resourceUrn);
    return identityOfResource(owner, identityIn(outputs), outputs.organizationId, this.config().owner);
  }

  #ownerNow(urn: string, before: string | undefined, urnBefore: string | undefined): string {
    const { owner, renamedFrom } = this.config();
    return ownerOfKey(urn, { before, urnBefore }, owner, renamedFrom);
  }
}
