import { parseBaseUrl } from "../base-url";
import { ConfigError, isKeyplaneError } from "../errors";
import { isObject, jsonIn } from "../members";
import { isKeyText } from "../secrets";
import { accountSetting, shownAccount } from "../text";

export interface NamedAccount {
  /** The control plane's base URL, without a trailing slash; absent if `keyplane:baseUrl` applies. */
  readonly baseUrl: string | undefined;
  /** The key to authenticate with. Never printed. */
  readonly apiKey: string;
}

export const ACCOUNT_NAME = {
  pattern: /^[a-z0-9][a-z0-9-]{0,31}$/,
  form: "1 to 32 characters (a-z, 0-9 and -) that do not begin with -",
};

/**
 * Reads `keyplane:accounts`, the JSON text of an object with an account under each name. Throws a `ConfigError` that
 * names the path of the error and quotes no value, because a value could be a secret in the wrong place.
 */
export function parseAccounts(text: string): ReadonlyMap<string, NamedAccount> {
  const accounts = jsonIn(text);
  if (accounts === undefined) throw bad("", `is not valid JSON: ${REMEDY}`);
  if (!isObject(accounts)) throw bad("", `must be an object with an account under each name: ${REMEDY}`);
  const readers = Object.entries(accounts).map(([name, account], at) => {
    return [name, () => readAccount(name, account, at + 1)] as const;
  });
  return new Map(Object.entries(readAll<Record<string, NamedAccount>>(Object.fromEntries(readers))));
}

/** What is wrong, one by one, of errors that name several problems. */
const problemsOf = new WeakMap<Error, readonly string[]>();

/** Reads all values. Throws one `ConfigError` that names everything that is wrong, so that nobody needs a run for each. */
export function readAll<Values>(readers: { readonly [Name in keyof Values]: () => Values[Name] }): Values {
  const values: Partial<Values> = {};
  // Several values can have the same problem.
  const found = new Set<string>();
  for (const name in readers) {
    try {
      values[name] = readers[name]();
    } catch (error) {
      if (!isKeyplaneError(error)) throw error;
      for (const problem of problemsOf.get(error) ?? [error.message]) found.add(problem);
    }
  }
  const problems = [...found];
  if (problems.length === 0) return values as Values;
  const list = problems.map((problem, at) => `(${at + 1}) ${problem}`).join(". ");
  const error = new ConfigError(
    problems.length === 1 ? problems.join() : `${problems.length} settings are missing or invalid: ${list}`,
  );
  problemsOf.set(error, problems);
  throw error;
}

/** Reads and checks a base URL. Returns it without a trailing slash. */
export function readBaseUrl(text: string, setting = "keyplane:baseUrl"): string {
  const { origin, prefix } = parseBaseUrl(text, setting);
  return `${origin}${prefix}`;
}

/** What is wrong with a credential; `undefined` if nothing is. */
export function apiKeyProblem(text: string): string | undefined {
  // Other characters are invalid in a header, and trimming them silently would hide a mistake.
  if (isKeyText(text)) return undefined;
  return "contains a space, a line break or a character that is not visible ASCII. Copy the key again";
}

const REMEDY = "run `pulumi config set --path --secret 'keyplane:accounts.NAME.apiKey'` for each account";

function readAccount(given: string, account: unknown, position: number): NamedAccount {
  const name = shownAccount(given, position);
  if (!ACCOUNT_NAME.pattern.test(given)) {
    throw bad("", `has an account with an invalid name (${name}): a name must be ${ACCOUNT_NAME.form}`);
  }
  if (!isObject(account)) throw bad(`.${name}`, "must be an object with apiKey and, if it differs, baseUrl");
  const unknown = Object.keys(account).find((member) => member !== "baseUrl" && member !== "apiKey");
  if (unknown !== undefined) {
    const which = MISSPELLED.test(unknown) ? ` (${unknown})` : "";
    throw bad(`.${name}`, `has an unknown member${which}: only apiKey and baseUrl are allowed`);
  }
  return readAll({
    baseUrl: () => readAccountUrl(name, account.baseUrl),
    apiKey: () => readAccountKey(name, account.apiKey),
  });
}

function readAccountUrl(name: string, baseUrl: unknown): string | undefined {
  if (baseUrl === undefined) return undefined;
  if (typeof baseUrl !== "string") throw bad(`.${name}.baseUrl`, "must be a URL such as https://HOST/api/v2");
  return readBaseUrl(baseUrl, accountSetting("baseUrl", name));
}

function readAccountKey(name: string, apiKey: unknown): string {
  if (apiKey === undefined || apiKey === "") {
    const path = `keyplane:accounts.${name}.apiKey`;
    throw bad(`.${name}.apiKey`, `is not set: run \`pulumi config set --path --secret '${path}'\``);
  }
  if (typeof apiKey !== "string") throw bad(`.${name}.apiKey`, "must be a string");
  const problem = apiKeyProblem(apiKey);
  if (problem !== undefined) throw bad(`.${name}.apiKey`, problem);
  return apiKey;
}

function bad(path: string, problem: string): ConfigError {
  return new ConfigError(`keyplane:accounts${path} ${problem} (set by config keyplane:accounts or KEYPLANE_ACCOUNTS)`);
}

/** Members that are likely meant to be apiKey or baseUrl. Any other can be a secret in the wrong place. */
const MISSPELLED = /^(api|base)?[_-]?(key|url|token)$/i;
