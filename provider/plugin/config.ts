import { isKeyplaneError } from "../errors";
import { accountMark } from "../keys/account-fingerprint";
import { hasUnknown } from "../schema/field-types";
import type { Failure } from "../schema/resource-type";
import type { Values } from "../session/values";
import { importKeysIn } from "../settings/import-keys";
import { SETTING_NAMES } from "../settings/setting-names";
import { type ConfigReader, renamedFromIn, resolveSettings, type Settings } from "../settings/settings";
import { OWNER } from "./engine-values";
import { ownerOfProvider } from "./owner";

const NAMES: readonly string[] = SETTING_NAMES;

/** Inputs that the engine adds. */
const OF_ENGINE = /^(version|parameterization|plugin[A-Z]\w*|__\w+)$/;

export class ProviderConfig {
  readonly read: ConfigReader;
  /** The identity of the provider resource. */
  readonly owner: string;
  /** Former names of the stack. */
  readonly renamedFrom: readonly string[];
  /** Private, so that nothing that prints the configuration shows the secrets of keys. */
  readonly #importKeys: ReadonlyMap<string, string>;

  /** Whether `pulumi do --stateless` calls, which saves no state. Its provider resource has no name. */
  readonly isStateless: boolean;

  /** Throws a `ConfigError` if `importKeys` is invalid. */
  constructor(inputs: Values, urn = "") {
    this.isStateless = urn.endsWith("::");
    this.read = (name) => settingText(inputs[name]);
    this.owner = String(inputs[OWNER]);
    this.renamedFrom = renamedFromIn(this.read);
    this.#importKeys = importKeysIn(this.read("importKeys"));
  }

  /** The secret of a key to import, if it is known. */
  importKey(id: string): string | undefined {
    return this.#importKeys.get(id);
  }
}

/**
 * Checks the inputs of a provider resource, without a request, and adds its owner. What a preview does not know yet is
 * checked in the actual run.
 * @param newId - Makes the id of a new owner. @default a random one
 */
export function checkConfig(
  urn: string,
  olds: Values,
  news: Values,
  newId?: () => string,
): { readonly inputs: Values; readonly failures: readonly Failure[] } {
  const reason = `is not a setting of keyplane. The settings are ${NAMES.filter((name) => name !== "accounts").join(", ")}`;
  const failures: Failure[] = Object.keys(news)
    .filter((name) => !NAMES.includes(name) && !OF_ENGINE.test(name))
    .map((property) => ({ property, reason, code: "KP-CONFIG", known: NAMES }));
  let settings: Settings | undefined;
  try {
    if (!hasUnknown(news)) settings = resolveSettings(new ProviderConfig(news).read);
  } catch (error) {
    if (!isKeyplaneError(error)) throw error;
    failures.push({ property: "", reason: error.message, code: error.code });
  }
  const account = settings && { mark: accountMark(settings), settings };
  const owner = ownerOfProvider(urn, olds[OWNER], account, { renamedFrom: settings?.renamedFrom ?? [], newId });
  return { inputs: { ...news, [OWNER]: owner }, failures };
}

/** A setting as text: an SDK can pass a number or a map as it is, or as JSON. */
function settingText(value: unknown): string | undefined {
  if (value === undefined || value === null) return undefined;
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}
