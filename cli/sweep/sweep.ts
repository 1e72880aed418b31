import type { Command } from "commander";
import { currentKeysIn, type StackState } from "../../provider/stack/stack-state";
import { openAccount, withKeys } from "../account";
import { Callers } from "../callers";
import type { CommandRun } from "../command-run";
import { keyColumns } from "../keys/inventory";
import { carryOut, printPlan, type RevokingFlags, withRevoking, YOUNG_MINUTES } from "../revoke/carry-out";
import { readStates, type StateFlags, withStates } from "../state/states";
import { note, plain, print } from "../terminal";
import { UsageError } from "../usage-error";
import { type SweptOwners, sweptOwners } from "./sweep-owners";
import { planSweep, type SweepPlan, type SweepTerms } from "./sweep-plan";

interface SweepFlags extends RevokingFlags, StateFlags {
  readonly owner?: readonly string[];
  readonly includeUsed?: true;
  readonly includeYoung?: true;
}

/** `keyplane sweep`: finds and revokes keys with an owner's tag that are in no state. */
export function addSweep(program: Command, run: CommandRun): void {
  const command = program.command("sweep").description("finds keys of a stack that no state holds, and revokes them");
  withStates(command)
    .option("--owner <id...>", "owners whose keys to sweep: their ids, or their tags if these contain a digit")
    .option("--include-used", "also revokes keys that were used: someone has or had their secrets")
    .option("--include-young", `also revokes keys younger than ${YOUNG_MINUTES} minutes`);
  withKeys(withRevoking(command)).action((flags: SweepFlags) => sweep(flags, run));
}

async function sweep(flags: SweepFlags, run: CommandRun): Promise<void> {
  const { signal } = run;
  const states = await readStates(flags);
  for (const state of states) refuseHidden(state);
  const owners = sweptOwners(flags.owner ?? [], states);
  const account = openAccount(flags);
  const keys = account.keysOf(flags.organization);
  const callers = await Callers.ask(flags, signal);
  const credentials = new Set<string>();
  const terms = (): SweepTerms => ({
    owners,
    held: new Set(states.flatMap(({ held }) => held.map(({ id }) => id))),
    current: states.flatMap(({ deployment }) => currentKeysIn(deployment.resources, flags.organization)),
    credentials,
    includeUsed: flags.includeUsed ?? false,
    includeYoung: flags.includeYoung ?? false,
    now: account.serviceNow(),
    skewMs: account.skewMs,
  });
  const first = await keys.list({ signal });
  const { revoke, keep } = planSweep(first, terms());
  for (const key of [...revoke, ...keep]) {
    if ((await callers.accountOf(key)) !== undefined) credentials.add(key.id);
  }
  const plan = planSweep(first, terms());
  const warnings = warningsOf(states);
  if (!flags.json) {
    printPlan(plan, keyColumns(terms().now));
    print(summaryOf(plan, owners));
  }
  if (plan.revoke.length > 0) for (const warning of warnings) note(warning);
  warnings.push(...callers.noteUnasked());
  const { revoke: planned, keep: kept, held } = plan;
  const replan = async () => planSweep(await keys.list({ fresh: true, signal }), terms());
  const asJson = (results: object) => ({ owners: [...owners.keys()], planned, kept, held, ...results, warnings });
  await carryOut({ planned, replan, keys, asJson }, flags, run);
}

function refuseHidden({ source, hidden: [urn] }: StackState): void {
  if (urn === undefined) return;
  throw new UsageError(
    `${plain(source)} contains encrypted key ids (${plain(urn)}), so it does not show which keys are in use. Pass it ` +
      "decrypted, through a pipe instead of a file: `pulumi stack export --show-secrets | keyplane sweep --state -`",
  );
}

function warningsOf(states: readonly StackState[]): string[] {
  const underWay = states.filter((state) => state.underWay > 0);
  return [
    "Do not sweep while an `up` of the stack is running, and pass the latest state. Otherwise keys of later runs look like orphans.",
    ...(states.length === 0 ? ["No state was given, so keys that a stack still holds may be among these."] : []),
    ...underWay.map(
      ({ source }) => `${plain(source)} was saved during a run, or after a run was killed: run \`pulumi up\` first.`,
    ),
  ];
}

function summaryOf({ revoke, keep, held }: SweepPlan, owners: SweptOwners): string {
  const isOne = owners.size === 1;
  const tags = `${isOne ? "owner tag" : "owner tags"} ${[...owners.keys()].join(", ")}`;
  if (revoke.length + keep.length + held > 0) {
    return `${tags}: ${revoke.length} to revoke, ${keep.length} to keep${held > 0 ? `, ${held} in a state` : ""}`;
  }
  return `${tags}: no live key has ${isOne ? "this tag. Check that the tag is correct" : "one of these tags. Check that the tags are correct"}`;
}
