import { type Command, InvalidArgumentError, Option } from "commander";
import type { ApiKeyRecord } from "../../provider/api";
import { DURATION_FORM, parseDuration } from "../../provider/duration";
import { counted } from "../../provider/text";
import { type KeysFlags, withKeys } from "../account";
import { type CommandRun, EXIT } from "../command-run";
import { type Column, print, printInfo, printJson, printTable } from "../output";
import { otherScopes } from "../state/other-scopes";
import { hasStates, latestOf, readStates, type StateFlags, warnOfHidden, withStates } from "../state/states";
import { UsageError } from "../usage-error";
import { formatHolder, keyColumns } from "./columns";
import { countFlags, describe, type Flag, joinKeys, type ShownKey, UNUSED_MS } from "./join";
import { credentialsIn, openList } from "./lists";

/** The flags that a job in CI can look for. */
const FAILING = [
  "expired",
  "overdue",
  "orphan",
  "unmanaged",
  "unused",
  "older-than",
] as const satisfies readonly Flag[];

/** A key of the list, with what the table shows of it. */
type Row = ApiKeyRecord & { readonly key: ShownKey };

interface Flags extends KeysFlags, StateFlags {
  readonly unusedFor: number;
  readonly olderThan?: number;
  readonly failOn?: readonly Flag[];
  readonly json?: true;
}

/** Only keys of an organization can be limited to a project. */
const PROJECT: Column<Row> = {
  title: "PROJECT",
  text: ({ projectId }) => (projectId === undefined ? "?" : (projectId ?? "all")),
};

/** `keyplane keys`: lists the keys of an account, and which stack has each. */
export function addKeys(program: Command, run: CommandRun): void {
  const unusedFor = new Option("--unused-for <age>", "flags keys that were not used for this long");
  const command = program
    .command("keys")
    .description("lists the account's API keys: age, use, and which stack has each");
  withStates(command)
    .addOption(unusedFor.argParser(readAge).default(UNUSED_MS, "90d"))
    .option("--older-than <age>", "flags keys that are older than this, e.g. 180d", readAge)
    .option("--fail-on <flags>", `exit code 1 for keys with one of these flags: ${FAILING.join(",")}`, readFlags)
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
    const flag = FAILING.find((each) => each === term.trim());
    if (flag === undefined)
      throw new InvalidArgumentError(`It must be a comma-separated list of ${FAILING.join(", ")}.`);
    return flag;
  });
}

async function keys(flags: Flags, run: CommandRun): Promise<void> {
  const { failOn = [], unusedFor, olderThan } = flags;
  const unknowable = failOn.find((flag) => ["overdue", "orphan", "unmanaged"].includes(flag));
  if (unknowable !== undefined && !hasStates(flags)) {
    throw new UsageError(`--fail-on: ${unknowable} needs --stack or --state, which show who holds a key`);
  }
  if (failOn.includes("older-than") && olderThan === undefined) {
    throw new UsageError("--fail-on: older-than needs --older-than AGE");
  }
  const states = await readStates(flags);
  const { account, keys, scope } = openList({ account: flags.account, organizationId: flags.organization });
  const lists = [{ ...scope, keys: await keys.list({ signal: run.signal }) }];
  const now = account.serviceNow();
  const { credentials, callers } = await credentialsIn(lists, states, { now, signal: run.signal });
  const scopes = [...latestOf(states)].flatMap(({ keys }) => keys.map((key) => key.scope));
  const elsewhere = otherScopes("A stack has keys in", scopes, flags);
  for (const warning of elsewhere) printInfo(warning);
  const warnings = [...elsewhere, ...(callers?.warnOfUnasked() ?? [])];
  const terms = { now, credentials, unusedFor, olderThan, hasStates: states.length > 0 };
  const rows = joinKeys(lists, states).flatMap((each): Row[] =>
    each.record === undefined ? [] : [{ ...each.record, key: describe(each, terms) }],
  );
  const found = rows.map(({ key }) => key);
  const failing = found.filter((key) => key.flags.some((flag) => failOn.some((each) => each === flag)));
  if (failing.length > 0) run.exitCode = EXIT.failed;
  const hidden = warnOfHidden(states);
  const ids = failing.map(({ id }) => id);
  if (flags.json) return printJson({ keys: found, flagged: countFlags(found), failing: ids, hidden, warnings });
  const columns: Column<Row>[] = [
    ...keyColumns(now),
    ...(flags.organization === undefined ? [] : [PROJECT]),
    { title: "STACK", text: ({ key: { stack = "-" } }) => stack },
    { title: "RESOURCE", text: ({ key }) => formatHolder(key) },
    {
      title: "FLAGS",
      text: ({ key }) => key.flags.join(", "),
      tone: ({ key }) => (key.flags.some((flag) => flag !== "credential") ? "warn" : undefined),
    },
  ];
  printTable(rows, columns);
  const counts = Object.entries(countFlags(found)).map(([flag, count]) => `${count} ${flag}`);
  print([counted(found.length, "key"), ...counts].join(", "));
  if (failing.length > 0) printInfo(`--fail-on: ${ids.join(", ")}`);
  if (states.length === 0)
    printInfo(
      "To show which stack has a key, pass --stack NAME, or --state FILE with the output of `pulumi stack export`.",
    );
}
