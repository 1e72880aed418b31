import { ConfigError } from "../errors";
import { ID_FORMS } from "../ids";
import { isObject, jsonIn } from "../members";
import { conceal, isKeyText } from "../secrets";

/**
 * The secrets of keys to import, by id: those of `keyplane:importKeys` and of `KEYPLANE_IMPORT_KEYS`, each the JSON text
 * of an object. In a stack that has the provider, an import sees only the configuration of the last `up`, so the
 * variable is needed there.
 */
export function importKeysIn(config: string | undefined, env = process.env): ReadonlyMap<string, string> {
  return new Map([...parseImportKeys(config), ...parseImportKeys(env.KEYPLANE_IMPORT_KEYS)]);
}

/** Reads one of the two. Throws a `ConfigError` if it is invalid. */
function parseImportKeys(text = "{}"): ReadonlyMap<string, string> {
  const keys = jsonIn(text);
  if (!isObject(keys)) throw badImportKeys();
  const entries = Object.entries(keys);
  if (!entries.every(([id, key]) => ID_FORMS.apiKey.matches(id) && isKeyText(key))) throw badImportKeys();
  const secrets = new Map(entries as [string, string][]);
  for (const secret of secrets.values()) conceal(secret);
  return secrets;
}

/** The message quotes nothing, because a secret may be in the wrong place. */
function badImportKeys(): ConfigError {
  return new ConfigError(
    "keyplane:importKeys must be a map from the id of a key to its secret: run " +
      "`pulumi config set --path --secret 'keyplane:importKeys[\"ID\"]'`. KEYPLANE_IMPORT_KEYS is the same map as JSON",
  );
}
