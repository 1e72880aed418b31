import { type Command, InvalidArgumentError, Option } from "commander";
import { DURATION_FORM, parseDuration } from "../../provider/duration";
import { counted } from "../../provider/text";
import { type KeysFlags, openAccount, withKeys } from "../account";
import { Callers } from "../callers";
import { type CommandRun, EXIT } from "../command-run";
import { type Column, print, printInfo, printJson, printTable } from "../output";
import { hasStates, readStates, type StateFlags, warnOfHidden, withStates } from "../state/states";
import { UsageError } from "../usage-error";
import {
  countFlags,
  FLAGS,
  type Flag,
  formatHolder,
  type InventoryKey,
  inventory,
  keyColumns,
  UNUSED_MS,
} from "./inventory";

interface Flags extends KeysFlags, StateFlags {
  readonly unusedFor: number;
  readonly olderThan?: number;
  readonly failOn?: readonly Flag[];
  readonly json?: true;
}

/** Only keys of an organization can be limited to a project. */
const PROJECT: Column<InventoryKey> = {
  title: "PROJECT",
  text: ({ projectId }) => (projectId === undefined ? "?" : (projectId ?? "all")),
};

/** `keyplane keys`: lists the keys of an account with one request. */
export function addKeys(program: Command, run: CommandRun): void {
  const unusedFor = new Option("--unused-for <age>", "flags keys that were not used for this long");
  const command = program
    .command("keys")
    .description("lists the account's API keys: age, use, and which stack has each");
  withStates(command)
    .addOption(unusedFor.argParser(readAge).default(UNUSED_MS, "90d"))
    .option("--older-than <age>", "flags keys that are older than this, e.g. 180d", readAge)
    .option("--fail-on <flags>", `exit code 1 for keys with one of these flags: ${FLAGS.join(",")}`, readFlags)
    .option("--json", "prints JSON");
  withKeys(command).action((flags: Flags) => keys(flags, run));
}

/** Parses an age. Returns milliseconds. */
function readAge(text: string): number {
  const ms = parseDuration(text);
  if (ms === undefined) throw new InvalidArgumentError(`It must be ${DURATION_FORM}.`);
  return ms;
}

function readFlags(text: string): readonly Flag[] {
  return text.split(",").map((term) => {
    const flag = FLAGS.find((each) => each === term.trim());
    if (flag === undefined) throw new InvalidArgumentError(`It must be a comma-separated list of ${FLAGS.join(", ")}.`);
    return flag;
  });
}

async function keys(flags: Flags, run: CommandRun): Promise<void> {
  const { failOn = [], unusedFor, olderThan } = flags;
  if (failOn.some((flag) => flag === "unmanaged" || flag === "orphan") && !hasStates(flags)) {
    throw new UsageError("--fail-on: unmanaged and orphan need --stack or --state, which show who holds a key");
  }
  if (failOn.includes("older-than") && olderThan === undefined) {
    throw new UsageError("--fail-on: older-than needs --older-than AGE");
  }
  const states = await readStates(flags);
  const account = openAccount(flags);
  const records = await account.keysOf(flags.organization).list({ signal: run.signal });
  const now = account.serviceNow();
  const found = inventory(records, { states, unusedFor, olderThan, now });
  const callers = failOn.includes("unmanaged") ? await Callers.ask(flags, run.signal) : undefined;
  const warnings = callers?.warnOfUnasked() ?? [];
  const failing: InventoryKey[] = [];
  for (const key of found) {
    // The key that this command authenticates with is often created by hand. An account that lists no key says nothing.
    const isOwn = key.flags.includes("unmanaged") && (await callers?.accountOf(key))?.suspects !== undefined;
    if (key.flags.some((flag) => failOn.includes(flag) && !(isOwn && flag === "unmanaged"))) failing.push(key);
  }
  if (failing.length > 0) run.exitCode = EXIT.failed;
  const hidden = warnOfHidden(states);
  const ids = failing.map(({ id }) => id);
  if (flags.json) return printJson({ keys: found, flagged: countFlags(found), failing: ids, hidden, warnings });
  const columns: Column<InventoryKey>[] = [
    ...keyColumns(now),
    ...(flags.organization === undefined ? [] : [PROJECT]),
    { title: "STACK", text: ({ stack = "-" }) => stack },
    { title: "RESOURCE", text: formatHolder },
    {
      title: "FLAGS",
      text: ({ flags }) => flags.join(" "),
      tone: ({ flags }) => (flags.length > 0 ? "warn" : undefined),
    },
  ];
  printTable(found, columns);
  const counts = Object.entries(countFlags(found)).map(([flag, count]) => `${count} ${flag}`);
  print([counted(found.length, "key"), ...counts].join(", "));
  if (failing.length > 0) printInfo(`--fail-on: ${ids.join(", ")}`);
  if (states.length === 0)
    printInfo(
      "To show which stack has a key, pass --stack NAME, or --state FILE with the output of `pulumi stack export`.",
    );
}
