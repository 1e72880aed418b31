import { type Command, InvalidArgumentError } from "commander";
import type { ApiKeyRecord } from "../../provider/api";
import { type Run, updatedSince } from "../../provider/stack/history";
import { openAccount, withKeys } from "../account";
import { Callers } from "../callers";
import type { CommandRun } from "../command-run";
import { keyColumns } from "../keys/columns";
import { plain, print, printInfo } from "../output";
import { carryOut, printPlan, type RevokingFlags, withRevoking } from "../revoke/carry-out";
import { type Origin, originsIn } from "../state/orphans";
import { otherScopes } from "../state/other-scopes";
import { explainFailure } from "../state/pulumi-stack";
import { latestOf, type ReadState, readStates, type StateFlags, withStates } from "../state/states";
import { UsageError } from "../usage-error";
import { planSweep, type SweepPlan, type SweepTerms } from "./sweep-plan";

interface SweepFlags extends RevokingFlags, StateFlags {
  readonly prefix?: string;
}

/** `keyplane sweep`: finds and revokes the orphans of interrupted runs, and other keys that nobody has. */
export function addSweep(program: Command, run: CommandRun): void {
  const command = program
    .command("sweep")
    .description("finds the orphans of interrupted runs of a stack, and revokes them");
  withStates(command).option(
    "--prefix <prefix>",
    "also revokes keys with such names that were never used and are in none of the given states",
    readPrefix,
  );
  withKeys(withRevoking(command)).action((flags: SweepFlags) => sweep(flags, run));
}

function readPrefix(text: string): string {
  if (/^[a-z0-9][a-z0-9-]*$/.test(text)) return text;
  throw new InvalidArgumentError("It must be the beginning of generated names: letters a to z, digits and hyphens.");
}

async function sweep(flags: SweepFlags, run: CommandRun): Promise<void> {
  const { signal } = run;
  const { prefix } = flags;
  const states = await readStates(flags);
  if (states.length === 0 && prefix === undefined) {
    throw new UsageError(
      "no stack was given. Pass its name (--stack NAME), its state (--state FILE), or the beginning of the names of keys " +
        "whose state is lost (--prefix PREFIX)",
    );
  }
  for (const state of states) refuseHidden(state);
  const account = openAccount(flags);
  const keys = account.keysOf(flags.organization);
  const first = await keys.list({ signal });
  const originOf = originsIn(states);
  const histories = await historiesFor(first, originOf);
  const held = new Set(states.flatMap(({ keys }) => keys.map(({ id }) => id)));
  const terms = (credentials: ReadonlySet<string>): SweepTerms => ({
    held,
    originOf,
    isUpdatedSince: ({ createdAt }, { state }) => {
      const runs = histories.get(state);
      return runs === undefined ? "unknown" : updatedSince(runs, Date.parse(createdAt), account.skewMs);
    },
    prefix,
    credentials,
    now: account.skewMs === undefined ? undefined : account.serviceNow(),
  });
  const { revoke } = planSweep(first, terms(new Set()));
  const callers = revoke.length === 0 ? undefined : await Callers.ask(flags, signal);
  const credentials = new Set<string>();
  for (const key of revoke) if ((await callers?.accountOf(key)) !== undefined) credentials.add(key.id);
  const plan = planSweep(first, terms(credentials));
  const scopes = [...latestOf(states)].flatMap(({ pendingCreations }) => pendingCreations.map((each) => each.scope));
  const warnings = otherScopes("An interrupted run began to create a key in", scopes, flags);
  for (const warning of warnings) printInfo(warning);
  if (!flags.json) {
    printPlan(plan, keyColumns(account.serviceNow()));
    print(summaryOf(plan));
  }
  const ofPlan = plan.revoke.length === 0 ? [] : warningsOf(states);
  for (const warning of ofPlan) printInfo(warning);
  warnings.push(...ofPlan, ...(callers?.warnOfUnasked() ?? []));
  const { revoke: planned, keep: kept } = plan;
  const replan = async () => planSweep(await keys.list({ fresh: true, signal }), terms(credentials));
  const asJson = (results: object) => ({ planned, kept, held: plan.held, ...results, warnings });
  await carryOut({ planned, replan, keys, asJson }, flags, run);
}

function refuseHidden({ source, hidden: [urn] }: ReadState): void {
  if (urn === undefined) return;
  throw new UsageError(
    `${plain(source)} contains encrypted key ids (${plain(urn)}), so it does not show which keys are in use. Pass it ` +
      "decrypted, through a pipe instead of a file: `pulumi stack export --show-secrets | keyplane sweep --state -`",
  );
}

/** The histories of the stacks whose interrupted rotations may have left keys. A state in a file has none. */
async function historiesFor(
  keys: readonly ApiKeyRecord[],
  originOf: (name: string) => Origin | undefined,
): Promise<ReadonlyMap<ReadState, readonly Run[]>> {
  const histories = new Map<ReadState, readonly Run[]>();
  const origins = keys.flatMap(({ name, lastUsedAt }) => (lastUsedAt === null ? (originOf(name) ?? []) : []));
  for (const state of new Set(origins.flatMap((origin) => (origin.proof === "next attempt" ? [origin.state] : [])))) {
    try {
      const runs = await state.history?.();
      if (runs !== undefined) histories.set(state, runs);
    } catch (error) {
      const { why, remedy } = explainFailure(error);
      printInfo(`The history of ${plain(state.source)} could not be read: ${why}. ${remedy}.`);
    }
  }
  return histories;
}

function warningsOf(states: readonly ReadState[]): string[] {
  return [
    "Do not sweep while an `up` of the stack is running, and pass the latest state. Otherwise keys of other runs look like orphans.",
    ...(states.length === 0 ? ["No state was given, so keys that a stack still holds may be among these."] : []),
  ];
}

function summaryOf({ revoke, keep, held }: SweepPlan): string {
  return `${revoke.length} to revoke, ${keep.length} to keep${held > 0 ? `, ${held} in a state` : ""}`;
}
