import type { Command } from "commander";
import type { ApiKeyRecord } from "../../provider/api";
import { formatDuration } from "../../provider/duration";
import { isAborted, messageOf } from "../../provider/errors";
import { getOrCreate } from "../../provider/get-or-create";
import { keyDigest } from "../../provider/key-digest";
import { keyIn } from "../../provider/key-index";
import { nameInUrn, suffixIn } from "../../provider/keys/naming";
import { revokeCommand, scopeOf } from "../../provider/keys/scope";
import { conceal } from "../../provider/secrets";
import { credentialsIn } from "../../provider/settings/settings";
import { isSameKey } from "../../provider/stack/keys-in-state";
import { counted, shownName } from "../../provider/text";
import {
  type AccountFlags,
  configuredAccounts,
  credentialName,
  openAccount,
  settingsOf,
  withAccount,
} from "../account";
import { type CommandRun, EXIT } from "../command-run";
import { paint, plain, print, printInfo, printJson } from "../output";
import { stateFiles } from "../state/state-files";
import { finderIn, type Role, type StateKey } from "../state/state-keys";
import { newestOf, type ReadState, readStates, type StateFlags, savedTime, stackOf, withStates } from "../state/states";
import { UsageError } from "../usage-error";
import { type Found, findKeys } from "./key-search";

interface Flags extends AccountFlags, StateFlags {
  readonly json?: true;
}

/** A key in a given state. */
interface Holding extends StateKey, Pick<ReadState, "source" | "stack" | "savedAt"> {
  /** Its role in the newest given state of the stack; `undefined` if that one does not have the key. */
  readonly roleNow: Role | undefined;
}

/** What the account of a key lists. */
interface Listed {
  /** The key, if it is live; `undefined` if the list does not have it. */
  readonly record: ApiKeyRecord | undefined;
  /** The service's time, in milliseconds. */
  readonly now: number;
}

/** `keyplane identify`: finds keys in a text, and says whose they are and what to do. */
export function addIdentify(program: Command, run: CommandRun): void {
  const command = program
    .command("identify [text...]")
    .usage("[options] < FILE")
    .description("finds keys in a text on standard input, and says which stack has them and what to do");
  withStates(command).option("--json", "prints JSON");
  withAccount(command)
    .addHelpText("after", "\nExit codes: 0 no key found, 3 all keys identified, 4 an unknown key.")
    .action((args: readonly string[], flags: Flags) => identify(args, flags, run));
}

async function identify(args: readonly string[], flags: Flags, run: CommandRun): Promise<void> {
  if (args.length > 0) {
    throw new UsageError(
      "identify takes no argument, because lists of processes and the history of the shell show arguments. Pass the " +
        "text on standard input: keyplane identify < FILE",
    );
  }
  if (flags.state?.includes("-")) throw new UsageError("--state: standard input has the text. Pass a file or a folder");
  // Before the text is read: a wrong account or path should not cost the wait for it.
  if (flags.account !== undefined) settingsOf(flags);
  const state = await stateFiles(flags.state ?? []);
  if (process.stdin.isTTY) printInfo("Reading the text from the terminal. Ctrl+D ends it.");
  const findings = await whoseAre(await findKeys(process.stdin), { ...flags, state }, run.signal);
  const { identified, unknown, searched, problems } = findings;
  for (const problem of problems) printInfo(problem);
  const strangers = unknown.filter(({ credential }) => credential === undefined).length;
  const total = identified.length + unknown.length;
  if (total > 0) run.exitCode = strangers > 0 ? EXIT.unknown : EXIT.found;
  if (flags.json) return printJson(jsonOf(findings));
  for (const key of identified) printKey(key);
  for (const key of unknown) printUnknown(key, searched);
  if (total > 0) printInfo("What to do, in order: docs/leaked-key.md in the package keyplane");
  print(total === 0 ? "no key found" : `${counted(total, "key")} found, ${total - strangers} identified`);
}

interface Identified {
  readonly holding: Holding;
  /** What other states that have it say, such as older ones. */
  readonly others: readonly Holding[];
  readonly listed: Listed | undefined;
  /** Whether there is a credential for its account. */
  readonly isConfigured: boolean;
  readonly next: readonly string[];
  /** The command that revokes it. */
  readonly revoke: string;
}

/** What has the form of a key, but is in no given state. */
interface Unknown {
  readonly digest: string;
  /** The setting that has it, if keyplane authenticates with it. */
  readonly credential: string | undefined;
}

/** What the states, the environment and the service say of the keys in a text. */
interface Findings {
  /** In the order of the text. */
  readonly identified: readonly Identified[];
  readonly unknown: readonly Unknown[];
  /** How many states were searched. */
  readonly searched: number;
  /** Why accounts could not be asked. */
  readonly problems: readonly string[];
}

/** Finds whose keys these are. From here on, no output can contain one, whatever the names in a state are. */
async function whoseAre(found: readonly Found[], flags: Flags, signal: AbortSignal): Promise<Findings> {
  const secrets = new Map(found.flatMap((each) => [...each.secrets]));
  if (secrets.size === 0) return { identified: [], unknown: [], searched: 0, problems: [] };
  // By digest; the one that says most first.
  const held = new Map<string, Holding[]>();
  for (const holding of holdingsOf(await statesWith(secrets, flags), secrets)) {
    getOrCreate(held, holding.digest ?? "", () => []).push(holding);
  }
  const own = ownCredentials();
  const unknown = found.flatMap((each) => unknownIn(each, held, own));
  for (const digest of [...held.keys(), ...unknown.map((key) => key.digest)]) conceal(secrets.get(digest) ?? "");
  const lists = new Lists(flags, signal);
  const identified: Identified[] = [];
  for (const digest of secrets.keys()) {
    const [holding, ...others] = held.get(digest) ?? [];
    if (holding === undefined) continue;
    const listed = await lists.find(holding);
    const revoke = `${commandFor(holding, flags)}${listed?.record === undefined ? "" : " --yes"}`;
    const next = [...replaceFirst(own.get(digest)), ...adviceFor(holding, listed, revoke)];
    const isConfigured = configuredAccounts().includes(flags.account ?? holding.scope?.account);
    identified.push({ holding, others, listed, isConfigured, next, revoke });
  }
  const searched = (flags.stack ?? []).length + (flags.state ?? []).length;
  return { identified, unknown, searched, problems: [...lists.problems] };
}

/** The settings in the environment, by the digests of the keys that keyplane authenticates with. */
function ownCredentials(): ReadonlyMap<string, string> {
  return new Map([...credentialsIn(() => undefined)].map(([setting, key]) => [keyDigest(key) ?? "", setting]));
}

/** What has the form of the service's keys, or is a key that keyplane authenticates with, but is in no state. */
function unknownIn(
  { secrets, service }: Found,
  held: ReadonlyMap<string, unknown>,
  own: ReadonlyMap<string, string>,
): readonly Unknown[] {
  const digests = [...secrets.keys()];
  if (digests.some((digest) => held.has(digest))) return [];
  const digest = digests.find((each) => own.has(each)) ?? service;
  return digest === undefined ? [] : [{ digest, credential: own.get(digest) }];
}

/** The states that have a key with one of these digests, and the others of the same stacks, which can be newer. */
async function statesWith(digests: { has(digest: string): boolean }, flags: Flags): Promise<readonly ReadState[]> {
  const hasKey = (text: string) =>
    [...text.matchAll(/"([a-z2-7]{25})"/g)].some(([, digest = ""]) => digests.has(digest));
  const holding = await readStates({ state: flags.state ?? [] }, hasKey);
  const stacks = new Set(holding.map(({ stack }) => stack));
  return readStates(flags, (text) => {
    const [urn = ""] = /urn:pulumi:[^"]{1,300}/.exec(text) ?? [];
    return stacks.has(stackOf(urn));
  });
}

/** The keys of states with these digests. A stack that still has the key first, and then newer states first. */
export function holdingsOf(
  states: readonly ReadState[],
  digests: { has(digest: string): boolean },
): readonly Holding[] {
  const holdings = states.flatMap((state) => {
    const { source, stack, savedAt } = state;
    const keys = state.keys.filter(({ digest = "" }) => digests.has(digest));
    if (keys.length === 0) return [];
    const inNewest = finderIn(newestOf(state, states).keys);
    return keys.map((key) => ({ ...key, source, stack, savedAt, roleNow: inNewest(key)?.role }));
  });
  const rank = ({ roleNow }: Holding) => Number(roleNow === undefined);
  return holdings.toSorted(
    (one, other) =>
      rank(one) - rank(other) || savedTime(other) - savedTime(one) || (one.source < other.source ? -1 : 1),
  );
}

/** Lists of the accounts of keys. Requests each once. */
class Lists {
  readonly #lists = new Map<string, Promise<{ readonly keys: readonly ApiKeyRecord[]; readonly now: number }>>();
  /** Why accounts could not be asked, once each. */
  readonly problems = new Set<string>();

  constructor(
    private readonly flags: AccountFlags,
    private readonly signal: AbortSignal,
  ) {}

  /** Returns `undefined` if nothing is configured for the account of the key, or if it could not be asked. */
  async find(holding: Holding): Promise<Listed | undefined> {
    const { id, scope } = holding;
    const account = this.flags.account ?? scope?.account;
    if (scope === undefined || !configuredAccounts().includes(account)) return undefined;
    const { organizationId } = scope;
    try {
      const { keys, now } = await getOrCreate(this.#lists, JSON.stringify([account, organizationId]), async () => {
        const opened = openAccount({ account });
        const listed = await opened.keysOf(organizationId).list({ signal: this.signal });
        return { keys: listed, now: opened.serviceNow() };
      });
      const record = keyIn(keys, id);
      return { record: record && isSameKey(holding, record) ? record : undefined, now };
    } catch (error) {
      // One account that cannot be asked must not hide what is known of the other keys.
      if (isAborted(error)) throw error;
      this.problems.add(`The keys of ${credentialName(account)} could not be listed: ${messageOf(error)}`);
      return undefined;
    }
  }
}

/** What to do about a leaked key, step by step. */
function adviceFor(holding: Holding, listed: Listed | undefined, command: string): readonly string[] {
  const { id, name, stack, roleNow } = holding;
  const revokeIt =
    listed?.record === undefined
      ? `At once, with the settings of its account: \`${command}\`. If the plan shows ${shownName(name)}, repeat it with \`--yes\``
      : `At once, whoever uses it: \`${command}\``;
  if (listed !== undefined && listed.record === undefined) {
    return [`The account in the settings does not list key ${id}: it is revoked, or in another account`, revokeIt];
  }
  // Its resource has left the program, so that nothing there can replace it.
  if (roleNow === "kept") return [revokeIt];
  const revoke = `${revokeIt}, and then \`pulumi up --refresh\` of ${stack}`;
  if (roleNow === "to be revoked") return [`The next \`pulumi up\` of ${stack} revokes it`, revoke];
  if (roleNow !== undefined) return [...replacementOf(holding), revoke];
  return [
    `The newest given state of ${stack} does not have the key. Check with \`keyplane keys\` that it is revoked`,
    revoke,
  ];
}

/** The first step if keyplane authenticates with the key: without another one, its revocation locks keyplane out. */
function replaceFirst(credential: string | undefined): readonly string[] {
  const use = "Create another key, set it instead, and run `pulumi up` of the stacks that use it";
  return credential === undefined ? [] : [`keyplane authenticates with it (${credential}). ${use}`];
}

/** How the program replaces the key, and what that does. Nothing replaces one with an exact name that stays. */
function replacementOf(holding: Holding): readonly string[] {
  const { id, name = "", type, role, resource, stack, stays } = holding;
  const run = `and run \`pulumi up\` of ${stack}`;
  if (type === "RotatingApiKey") {
    const effect =
      role === "previous"
        ? "it is revoked without grace"
        : "it is replaced and revoked at once, and then everything in the stack gets the new key";
    return [`Set \`revokeNow: "${id}"\` in the arguments of RotatingApiKey "${resource}", ${run}: ${effect}`];
  }
  if (stays && suffixIn(name) === undefined) return [];
  const end = stays ? "but this one stays live" : "and then this one is revoked";
  return [
    `Add \`leaked: "${id}"\` to the rotationTriggers of ApiKey "${resource}", ${run}: everything in the stack gets a new ` +
      `key, ${end}`,
  ];
}

function commandFor({ id, scope }: Holding, flags: AccountFlags): string {
  return revokeCommand(id, scopeOf({ ...scope, account: flags.account ?? scope?.account }));
}

/** What `--json` prints. */
function jsonOf({ identified, unknown, searched, problems }: Findings): object {
  return {
    keys: identified.map(({ holding, others, listed, next, revoke }) => ({
      ...factsOf(holding),
      ...(listed && { listed: listed.record !== undefined, ...listed.record }),
      others: others.map(factsOf),
      next,
      revoke,
    })),
    unknown,
    states: searched,
    problems,
  };
}

/** What it says about a key in a state. */
function factsOf({ id, name, digest, role, roleNow, stack, source, savedAt, urn, type, consumers, ...more }: Holding) {
  return {
    keyId: id,
    name,
    digest,
    role,
    roleNow,
    stack,
    source,
    savedAt,
    urn,
    type,
    usedBy: consumers,
    ...more.scope,
    projectId: more.projectId,
    createdAt: more.createdAt,
    replacedAt: more.rotatedAt,
  };
}

function printKey(key: Identified): void {
  const { holding, others, listed, next } = key;
  const { id, name = "", digest, stack, source, resource, type, scope, projectId, consumers } = holding;
  print(paint("bad", `key ${id}`), ` ${plain(name)} (digest ${digest})`);
  row("stack", `${stack} (${source})`);
  row("resource", `${resource} (${type}): ${roleText(holding)}`);
  const limits = [scope?.organizationId && `organization ${scope.organizationId}`, projectId && `project ${projectId}`];
  row("account", [scope?.account ?? "the account of keyplane:apiKey", ...limits].filter(Boolean).join(", "));
  const since = holding.createdAt ?? listed?.record?.createdAt ?? "unknown";
  row("since", holding.rotatedAt === undefined ? since : `${since}, replaced ${holding.rotatedAt}`);
  row("last use", lastUseText(key));
  row("used by", consumers.map(shownUrn).join(", ") || "no resource of the stack");
  for (const other of others) row("also in", `${other.stack}: ${other.resource}, ${roleText(other)} (${other.source})`);
  printSteps(next);
}

function printUnknown({ digest, credential }: Unknown, states: number): void {
  print(paint("warn", credential === undefined ? "unknown key" : "keyplane's own key"), ` (digest ${digest})`);
  const inNone = states > 0 ? "none of the given states has it" : "no state was given. Pass --state or --stack";
  row("owner", credential ?? inNone);
  const revokeIt = "Find its id in the service's console, by the time of its last use, and revoke it";
  printSteps([...replaceFirst(credential), revokeIt]);
}

/** Prints what to do. A step is not shortened, because it contains a command. */
function printSteps(next: readonly string[]): void {
  for (const [at, step] of next.entries()) print(`  ${(at === 0 ? "next" : "").padEnd(9)} ${step}`);
  print("");
}

function row(title: string, text: string): void {
  print(`  ${title.padEnd(9)} ${plain(text)}`);
}

function roleText({ role, roleNow }: Holding): string {
  if (roleNow === role) return `${role} key`;
  return `${role} key in this state, ${roleNow ?? "not held"} in the newest one`;
}

function lastUseText({ listed, isConfigured }: Identified): string {
  if (listed === undefined) {
    return `unknown (${isConfigured ? "the account could not be asked" : "no credential of the account is set"})`;
  }
  if (listed.record === undefined) return "the account in the settings does not list the key";
  const { lastUsedAt, lastUsedFromAddr } = listed.record;
  if (lastUsedAt === null) return "never";
  return `${formatDuration(listed.now - Date.parse(lastUsedAt))} ago from ${lastUsedFromAddr ?? "an unknown address"}`;
}

function shownUrn(urn: string): string {
  return `${nameInUrn(urn)} (${urn.split("::")[2]?.split("$").at(-1) ?? ""})`;
}
