import type { Command } from "commander";
import type { ApiKeyRecord } from "../../provider/api";
import { getOrCreate } from "../../provider/get-or-create";
import { keyDigest } from "../../provider/key-digest";
import { revokeCommand, scopeOf } from "../../provider/keys/scope";
import { conceal } from "../../provider/secrets";
import { credentialsIn } from "../../provider/settings/settings";
import { accountSetting } from "../../provider/text";
import { type AccountFlags, flagsFor, settingsOf, withAccount } from "../account";
import { type CommandRun, EXIT } from "../command-run";
import { stateFiles } from "../state/state-files";
import { readStates, type StateFlags } from "../state/states";
import { note, printJson } from "../terminal";
import { UsageError } from "../usage-error";
import { adviceFor, replaceFirst, revokeNow } from "./advice";
import { type Holding, holdingsOf } from "./holdings";
import { type Found, KeySearch } from "./key-search";
import { type Findings, type Identified, printReport, type Unknown } from "./report";
import { isConfigured, Lists } from "./service";

interface Flags extends AccountFlags, StateFlags {
  readonly check?: true;
  readonly json?: true;
}

/** `keyplane identify`: finds keys in a text, and says whose they are and what to do. */
export function addIdentify(program: Command, run: CommandRun): void {
  const command = program
    .command("identify [text...]")
    .usage("[options] < FILE")
    .description("finds keys in a text on standard input, and says which stack has them and what to do")
    .option("--state <path...>", "states: files, or the folder of a file backend")
    .option("--stack <name...>", "stacks, whose states are read with the Pulumi CLI")
    .option("--check", "sends requests with each key that was found, to see whether it works")
    .option("--json", "prints JSON");
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
  // Before the text is read: a wrong account or path should not cost the wait for it.
  if (flags.account !== undefined) settingsOf(flags);
  const files = await stateFiles(flags.state ?? []);
  const found = await searched(process.stdin);
  const secrets = new Map(found.flatMap((each) => [...each.secrets]));
  const digests = new Set(secrets.keys());
  const nothing = { identified: [], unknown: [], states: 0, problems: [] };
  if (digests.size === 0) return report(nothing, flags, run);
  const exported = await readStates({ stack: flags.stack ?? [] });
  const { holdings, states } = await holdingsOf(digests, files, exported);
  const secretOf = (digest: string) => secrets.get(digest) ?? "";
  const held = new Map<string, Holding[]>();
  for (const holding of holdings) getOrCreate(held, holding.digest, () => []).push(holding);
  // The settings in the environment, by the digests of the keys that keyplane authenticates with.
  const credentials = [...credentialsIn(() => undefined)];
  const own = new Map(credentials.map(([setting, key]) => [keyDigest(key) ?? "", setting]));
  // What has the form of the service's keys, or is such a key, but is in no state.
  const inNone = found.filter((each) => ![...each.secrets.keys()].some((digest) => held.has(digest)));
  const strange = new Set(
    inNone.flatMap((each) => [...each.secrets.keys()].find((digest) => own.has(digest)) ?? each.service ?? []),
  );
  // No later output can contain one, whatever the names in a state are.
  for (const digest of [...held.keys(), ...strange]) conceal(secretOf(digest));
  const lists = new Lists(flags, run.signal);
  const identified: Identified[] = [];
  // In the order of the text.
  for (const digest of digests) {
    const [holding, ...others] = held.get(digest) ?? [];
    if (holding === undefined) continue;
    const listed = await lists.find(holding);
    const revoke = revokeNow(holding, flags, listed);
    identified.push({
      ...{ holding, others, listed },
      isConfigured: isConfigured(flagsFor(flags.account ?? holding.account, flags)),
      checked: flags.check ? await lists.check(secretOf(digest), holding.account) : undefined,
      next: [...replaceFirst(own.get(digest)), ...adviceFor(holding, listed, revoke)],
      revoke,
    });
  }
  const unknown: Unknown[] = [];
  for (const digest of strange) {
    const credential = own.get(digest);
    // The key of another account is not sent to the selected one.
    const isCheckable = [undefined, accountSetting("apiKey", flags.account)].includes(credential);
    const checked = flags.check && isCheckable ? await lists.check(secretOf(digest), undefined) : undefined;
    const keyId = checked?.works ? checked.keyId : undefined;
    const revoke = keyId && revokeCommand(keyId, scopeOf({ account: flags.account }), flags.baseUrl);
    unknown.push({ digest, credential, checked, revoke });
  }
  for (const problem of lists.problems) note(problem);
  report({ identified, unknown, states, problems: [...lists.problems] }, flags, run);
}

/** Searches a stream. Nothing of it is kept but what can be a key. */
async function searched(stream: NodeJS.ReadStream): Promise<readonly Found[]> {
  if (stream.isTTY) note("Reading the text from the terminal. Ctrl+D ends it.");
  const search = new KeySearch();
  let length = 0;
  for await (const chunk of stream) {
    length += (chunk as Buffer).length;
    search.add(chunk as Buffer);
  }
  search.end();
  // An option with several values takes the name of a file, too.
  if (length === 0) note("The text on standard input is empty. Pass a file as < FILE.");
  return search.found;
}

function report(findings: Findings, { json }: Flags, run: CommandRun): void {
  const { identified, unknown, ...rest } = findings;
  if (identified.length + unknown.length > 0) run.exitCode = EXIT.found;
  if (unknown.some(({ credential }) => credential === undefined)) run.exitCode = EXIT.unknown;
  if (!json) {
    printReport(findings);
    return;
  }
  const keys = identified.map(({ holding, others, listed, checked, next, revoke }) => ({
    ...withoutDigest(holding),
    digest: holding.digest,
    ...(listed && { listed: listed.record !== undefined, ...usesOf(listed.record) }),
    ...(checked && { works: checked.works }),
    ...{ others: others.map(withoutDigest), next, revoke },
  }));
  printJson({
    ...{ keys, unknown: unknown.map(({ digest, credential, checked }) => ({ digest, credential, ...checked })) },
    ...rest,
  });
}

const withoutDigest = ({ digest, ...holding }: Holding) => holding;

function usesOf(record: ApiKeyRecord | undefined) {
  if (record === undefined) return {};
  const { createdAt, lastUsedAt, lastUsedFromAddr } = record;
  return { createdAt, lastUsedAt, lastUsedFromAddr };
}
