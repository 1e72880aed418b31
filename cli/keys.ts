import { type Command, Option } from "commander";
import { terminalColumns } from "../test/kit/terminal";
import { type KeysFlags, openAccount, withKeys } from "./account";
import { type Age, readAge } from "./duration-option";
import { type InventoryKey, inventory } from "./inventory";
import { keyColumns } from "./key-columns";
import type { Session } from "./session";
import { readStates, withStates } from "./state";
import { table } from "./table";
import { note, plain, print, printJson, type Tone } from "./terminal";

interface Flags extends KeysFlags {
  readonly state?: readonly string[];
  readonly unusedFor: Age;
  readonly olderThan?: Age;
  readonly json?: true;
}

/** `keyplane keys`: the inventory of an account, by one request. */
export function addKeys(program: Command, session: Session): void {
  const unusedFor = new Option("--unused-for <age>", "flags keys that were not used for so long")
    .argParser(readAge)
    .default(readAge("90d"), "90d");
  const command = program
    .command("keys")
    .description("lists the account's API keys: age, use, and which stack owns each");
  withStates(command)
    .addOption(unusedFor)
    .option("--older-than <age>", "flags keys that are older than this, e.g. 180d", readAge)
    .option("--json", "prints JSON");
  withKeys(command).action((flags: Flags) => keys(flags, session));
}

async function keys(flags: Flags, session: Session): Promise<void> {
  const states = await readStates(flags.state ?? []);
  const account = openAccount(flags);
  const records = await account.keysOf(flags.organization).list({ signal: session.signal });
  const now = account.serviceNow();
  const { unusedFor, olderThan } = flags;
  const found = inventory(records, { states, unusedFor, olderThan, now });
  for (const { source, hidden } of states) {
    if (hidden.length > 0)
      note(`${plain(source)} holds ids of keys encrypted: their keys show as unmanaged (${plain(hidden[0] ?? "")})`);
  }
  if (flags.json) return printJson({ keys: found, flagged: countFlags(found) });
  const columns = [
    ...keyColumns(now),
    { title: "STACK", text: sayOwner, atLeast: 14 },
    { title: "FLAGS", text: ({ flags }: InventoryKey) => flags.join(" "), tone: toneOf, atLeast: 15 },
  ];
  for (const line of table(found, columns, terminalColumns(process.stdout))) print(...line);
  print("");
  const counts = Object.entries(countFlags(found)).map(([flag, count]) => `${count} ${flag}`);
  print([`${found.length} ${found.length === 1 ? "key" : "keys"}`, ...counts].join(", "));
  if (states.length === 0) note("Which stack owns a key shows with --state FILE, the output of `pulumi stack export`.");
}

function sayOwner({ stack, ownerTag }: InventoryKey): string {
  return stack ?? (ownerTag === undefined ? "-" : `(tag ${ownerTag})`);
}

function toneOf({ flags }: InventoryKey): Tone | undefined {
  return flags.length > 0 ? "warn" : undefined;
}

function countFlags(keys: readonly InventoryKey[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const flag of keys.flatMap(({ flags }) => flags)) counts[flag] = (counts[flag] ?? 0) + 1;
  return counts;
}
