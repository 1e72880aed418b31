import { ConfigError } from "../errors";
import { ID_FORMS } from "../ids";
import { conceal, isKeyText } from "../secrets";

/** Reads `keyplane:importKeys`, the JSON text of an object with the secret of a key under each id. */
export function parseImportKeys(text = "{}"): ReadonlyMap<string, string> {
  let keys: unknown;
  try {
    keys = JSON.parse(text);
  } catch {
    throw badImportKeys();
  }
  if (typeof keys !== "object" || keys === null || Array.isArray(keys)) throw badImportKeys();
  const entries = Object.entries(keys as Record<string, unknown>);
  if (!entries.every(([id, key]) => ID_FORMS.apiKey.matches(id) && isKeyText(key))) throw badImportKeys();
  const secrets = new Map(entries as [string, string][]);
  for (const secret of secrets.values()) conceal(secret);
  return secrets;
}

/** The message quotes nothing, because a secret may be in the wrong place. */
function badImportKeys(): ConfigError {
  return new ConfigError(
    "keyplane:importKeys must be a map from the id of a key to its secret: run " +
      "`pulumi config set --path --secret 'keyplane:importKeys[\"ID\"]'`",
  );
}
