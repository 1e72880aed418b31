import type { Command } from "commander";
import { counted } from "../../provider/text";
import { type KeysFlags, openAccount, withKeys } from "../account";
import { Callers } from "../callers";
import { type CommandRun, EXIT } from "../command-run";
import { type Age, readAge, UNUSED_FOR } from "../duration-option";
import { hasStates, noteHidden, readStates, type StateFlags, withStates } from "../state/states";
import { type Column, printTable } from "../table";
import { note, print, printJson } from "../terminal";
import { UsageError } from "../usage-error";
import { type FailOn, fails, readFailOn } from "./fail-on";
import { countFlags, formatHolder, type InventoryKey, inventory, keyColumns } from "./inventory";

interface Flags extends KeysFlags, StateFlags {
  readonly unusedFor?: Age;
  readonly olderThan?: Age;
  readonly failOn?: FailOn;
  readonly json?: true;
}

/** Only keys of an organization can be limited to a project. */
const PROJECT: Column<InventoryKey> = {
  title: "PROJECT",
  text: ({ projectId }) => (projectId === undefined ? "?" : (projectId ?? "all")),
};

/** `keyplane keys`: lists the keys of an account with one request. */
export function addKeys(program: Command, run: CommandRun): void {
  const command = program
    .command("keys")
    .description("lists the account's API keys: age, use, and which stack has each");
  withStates(command)
    .option("--unused-for <age>", `flags keys that were not used for this long (default: ${UNUSED_FOR.text})`, readAge)
    .option("--older-than <age>", "flags keys that are older than this, e.g. 180d", readAge)
    .option(
      "--fail-on <what>",
      "exit code 1 for such keys: older-than=180d,unused=90d,unmanaged,left-behind",
      readFailOn,
    )
    .option("--json", "prints JSON");
  withKeys(command).action((flags: Flags) => keys(flags, run));
}

async function keys(flags: Flags, run: CommandRun): Promise<void> {
  const { failOn } = flags;
  if ((failOn?.unmanaged || failOn?.["left-behind"]) && !hasStates(flags)) {
    throw new UsageError("--fail-on: unmanaged and left-behind need --stack or --state, which show who holds a key");
  }
  for (const [option, one, other] of [
    ["--older-than", flags.olderThan, failOn?.["older-than"]],
    ["--unused-for", flags.unusedFor, failOn?.unused],
  ] as const) {
    if (one && other && one.ms !== other.ms)
      throw new UsageError(`${option} and --fail-on have different ages: leave one out`);
  }
  const states = await readStates(flags);
  const account = openAccount(flags);
  const records = await account.keysOf(flags.organization).list({ signal: run.signal });
  const now = account.serviceNow();
  const found = inventory(records, {
    states,
    unusedFor: failOn?.unused ?? flags.unusedFor ?? UNUSED_FOR,
    olderThan: failOn?.["older-than"] ?? flags.olderThan,
    now,
  });
  const callers = failOn?.unmanaged && (await Callers.ask(flags, run.signal));
  const warnings = callers ? callers.noteUnasked() : [];
  const failing: InventoryKey[] = [];
  for (const key of found) {
    // The key that this command authenticates with is often created by hand. An account that lists no key says nothing.
    const isOwn = callers && key.flags.includes("unmanaged") && (await callers.accountOf(key))?.suspects !== undefined;
    if (failOn !== undefined && fails({ ...key, isOwn: isOwn === true }, failOn)) failing.push(key);
  }
  if (failing.length > 0) run.exitCode = EXIT.failed;
  const hidden = noteHidden(states);
  const ids = failing.map(({ id }) => id);
  if (flags.json) return printJson({ keys: found, flagged: countFlags(found), failing: ids, hidden, warnings });
  const columns: Column<InventoryKey>[] = [
    ...keyColumns(now),
    ...(flags.organization === undefined ? [] : [PROJECT]),
    { title: "STACK", text: ({ stack = "-" }) => stack, atLeast: 14 },
    { title: "RESOURCE", text: formatHolder, dispensable: true },
    {
      title: "FLAGS",
      text: ({ flags }) => flags.join(" "),
      tone: ({ flags }) => (flags.length > 0 ? "warn" : undefined),
      atLeast: 15,
    },
  ];
  printTable(found, columns);
  const counts = Object.entries(countFlags(found)).map(([flag, count]) => `${count} ${flag}`);
  print([counted(found.length, "key"), ...counts].join(", "));
  if (failing.length > 0) note(`--fail-on: ${ids.join(", ")}`);
  if (states.length === 0)
    note("To show which stack has a key, pass --stack NAME, or --state FILE with the output of `pulumi stack export`.");
}
