import { getOrCreate } from "../get-or-create";
import type { ResourceType } from "../resources/resource";
import type { Target } from "../session/run-call";
import type { Session } from "../session/session";
import { fromPulumi, fromState, toState, type Values } from "../session/values";
import {
  checkResource,
  createResource,
  deleteResource,
  diffResource,
  importResource,
  readResource,
  updateResource,
} from "../session/verbs";
import type { ProviderConfig } from "./config";
import { preview } from "./preview";

/** A resource of a call. A preview of a change makes no request. */
export interface PluginTarget extends Target {
  readonly isPreview?: boolean | undefined;
}

/** A resource for the engine to record. */
export interface EngineAnswer {
  readonly id: string;
  readonly outputs: Values;
  /** Why the run fails all the same. */
  readonly problem?: string | undefined;
}

/** The verbs of one provider resource, with the engine's values. */
export class Resources {
  constructor(
    private readonly session: Session,
    private readonly config: () => ProviderConfig,
  ) {}

  /** @param seed - Random bytes. The engine passes the same ones in a preview and in the run that follows its plan. */
  check({ type, urn }: PluginTarget, olds: Values, news: Values, seed: Uint8Array) {
    // After an import, the engine passes back the inputs that `read` has answered, with the suffix.
    const { __suffix, __secret, ...given } = fromPulumi(news);
    const target = { type: publicPart(type), urn };
    const before = Object.keys(olds).length === 0 && __suffix !== undefined ? { __suffix } : fromPulumi(olds);
    const asked = { olds: before, news: given, ...(seed.length > 0 && { seed }) };
    return checkResource(this.session, target, asked);
  }

  diff(target: PluginTarget, id: string, olds: Values, news: Values) {
    return diffResource(this.session, target, { id, outputs: fromState(olds), inputs: fromPulumi(news) });
  }

  async create(target: PluginTarget, inputs: Values): Promise<EngineAnswer> {
    if (target.isPreview) return { id: "", outputs: preview(target.type, fromPulumi(inputs)) };
    const { id, state, problem } = await createResource(this.session, target, fromState(inputs));
    return { id, outputs: toState(state, target.type.canBeAbsent), problem };
  }

  async read(target: PluginTarget, id: string, inputs: Values, outputs: Values) {
    const { type } = target;
    // Programs in YAML can give a part of the state, which has no suffix, with the id of a key to read.
    if (Object.keys(outputs).length === 0 || (type.hasKeys && outputs.__suffix === undefined)) {
      const importKey = (key: string) => this.config().importKey(key);
      const found = await importResource(this.session, target, { path: id, importKey });
      return { id: found.id, inputs: found.inputs, outputs: toState(found.state, type.canBeAbsent) };
    }
    const state = await readResource(this.session, target, { id, outputs: fromState(outputs) });
    return state && { id, inputs, outputs: toState(state, type.canBeAbsent) };
  }

  async update(target: PluginTarget, id: string, olds: Values, news: Values): Promise<EngineAnswer> {
    const outputs = fromState(olds);
    if (target.isPreview) {
      const inputs = fromPulumi(news);
      const stable = target.type.stable(outputs, inputs, this.session.now());
      return { id, outputs: preview(target.type, inputs, outputs, stable) };
    }
    const change = { id, outputs, inputs: fromState(news) };
    const { state, problem } = await updateResource(this.session, target, change);
    return { id, outputs: toState(state, target.type.canBeAbsent), problem };
  }

  delete(target: PluginTarget, id: string, outputs: Values): Promise<void> {
    return deleteResource(this.session, target, { id, outputs: fromState(outputs) });
  }
}

const parts = new WeakMap<ResourceType, ResourceType>();

/**
 * A resource type with the inputs that programs of any language have. The others are for the SDK of the dynamic
 * provider; with the plugin, explicit providers replace `account`.
 */
function publicPart(type: ResourceType): ResourceType {
  return getOrCreate(parts, type, () => {
    const given = Object.entries(type.fields).filter(([name, rule]) => rule.internal !== true && name !== "account");
    return { ...type, fields: Object.fromEntries(given) };
  });
}
