import { isDeepStrictEqual } from "node:util";
import { isKeyplaneError } from "../errors";
import { jsonIn, textOf } from "../members";
import type { Failure } from "../schema/check";
import { hasUnknown } from "../schema/fields";
import { fromPulumi, unmarked, type Values } from "../session/values";
import { importKeysIn } from "../settings/import-keys";
import { isOwnSetting } from "../settings/own-settings";
import { SETTING_NAMES } from "../settings/setting-names";
import { type ConfigReader, resolveSettings } from "../settings/settings";

const NAMES: readonly string[] = SETTING_NAMES;

/** Inputs that the engine adds. */
const OF_ENGINE = /^(version|parameterization|plugin[A-Z]\w*|__\w+)$/;

/** The configuration of one provider resource. */
export class ProviderConfig {
  readonly read: ConfigReader;
  /** Private, so that nothing that prints the configuration shows the secrets of keys. */
  readonly #importKeys: ReadonlyMap<string, string>;

  /** Throws a `ConfigError` if `importKeys` is invalid. */
  constructor(inputs: Values) {
    this.read = (name) => settingText(inputs[name]);
    this.#importKeys = importKeysIn(this.read("importKeys"));
  }

  /** The secret of a key to import, if it is known. */
  importKey(id: string): string | undefined {
    return this.#importKeys.get(id);
  }
}

/**
 * The inputs of a provider resource that are keyplane's. Java passes a number or a map as JSON, with Pulumi's marks of
 * secrets and of unknown values in it.
 * @param project - The project of the stack.
 */
export function readInputs(given: Values, project: string | undefined): Values {
  const inputs = Object.entries(fromPulumi(given)).filter(([name]) => !isUnknown(name) || !isOwnSetting(name, project));
  return Object.fromEntries(inputs.map(([name, value]) => [name, withoutSecretMarks(value)]));
}

function withoutSecretMarks(value: unknown): unknown {
  const json = jsonIn(textOf(value) ?? "");
  const { plain } = fromPulumi({ plain: unmarked(json) });
  return plain === undefined || isDeepStrictEqual(plain, json) ? value : plain;
}

const isUnknown = (name: string): boolean => !NAMES.includes(name) && !OF_ENGINE.test(name);

/** Checks the inputs of a provider resource, without a request. What a preview does not know yet is checked in the run. */
export function checkConfig(news: Values): readonly Failure[] {
  const reason = `is not a setting of keyplane. The settings are ${NAMES.filter((name) => name !== "accounts").join(", ")}`;
  const failures: Failure[] = Object.keys(news)
    .filter(isUnknown)
    .map((property) => ({ property, reason, code: "KP-CONFIG", known: NAMES }));
  try {
    if (!hasUnknown(news)) resolveSettings(new ProviderConfig(news).read);
  } catch (error) {
    if (!isKeyplaneError(error)) throw error;
    failures.push({ property: "", reason: error.message, code: error.code });
  }
  return failures;
}

/** The names of the settings that differ, at any depth. */
export function changedNames(olds: Values, news: Values): string[] {
  return Object.keys({ ...olds, ...news }).filter((name) => !isDeepStrictEqual(olds[name], news[name]));
}

/** A setting as text: an SDK can pass a number or a map as it is, or as JSON. */
function settingText(value: unknown): string | undefined {
  if (value === undefined || value === null) return undefined;
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}
