import type { Command } from "commander";
import { type KeysFlags, openAccount, withKeys } from "../account";
import { Callers } from "../callers";
import { EXIT } from "../exit-code";
import { printRevocations, revokeKeys } from "../revoke/revoke-keys";
import type { Session } from "../session";
import { heldBy, readStates, type StackState, type StateFlags, withStates } from "../state";
import { note, plain, printJson } from "../terminal";
import { UsageError } from "../usage-error";
import { sweptOwners } from "./sweep-owners";
import { planSweep, type SweepPlan, type SweepTerms } from "./sweep-plan";
import { printPlan } from "./sweep-report";

interface SweepFlags extends KeysFlags, StateFlags {
  readonly owner?: readonly string[];
  readonly yes?: true;
  readonly includeUsed?: true;
  readonly includeYoung?: true;
  readonly json?: true;
}

/** `keyplane sweep`: finds and revokes keys with an owner's tag that are in no state. */
export function addSweep(program: Command, session: Session): void {
  const command = program.command("sweep").description("finds keys of a stack that no state holds, and revokes them");
  withStates(command)
    .option("--owner <id...>", "owners whose keys to sweep: their ids, or their tags")
    .option("--yes", "revokes the keys; without it, only shows the plan")
    .option("--include-used", "also revokes keys that were used: someone has or had their secrets")
    .option("--include-young", "also revokes keys younger than 15 minutes")
    .option("--json", "prints JSON");
  withKeys(command).action((flags: SweepFlags) => sweep(flags, session));
}

async function sweep(flags: SweepFlags, session: Session): Promise<void> {
  const { signal } = session;
  const states = await readStates(flags);
  for (const state of states) refuseHidden(state);
  const owners = sweptOwners(flags.owner ?? [], states);
  const account = openAccount(flags);
  const keys = account.keysOf(flags.organization);
  const callers = await Callers.ask(flags, signal);
  const credentials = new Set(callers.ids);
  const terms = (): SweepTerms => ({
    owners,
    held: new Set(heldBy(states).keys()),
    credentials,
    includeUsed: flags.includeUsed ?? false,
    includeYoung: flags.includeYoung ?? false,
    now: account.serviceNow(),
    skewMs: account.skewMs ?? 0,
  });
  const first = await keys.list({ signal });
  for (const key of planSweep(first, terms()).revoke) {
    if ((await callers.accountOf(key)) !== undefined) credentials.add(key.id);
  }
  const plan = planSweep(first, terms());
  const warnings = warningsOf(states);
  if (!flags.json) printPlan(plan, owners, terms().now);
  if (plan.revoke.length > 0) for (const warning of warnings) note(warning);
  if (!flags.yes || plan.revoke.length === 0) {
    if (flags.json) printJson({ owners: [...owners.keys()], ...jsonOf(plan), revoked: [], failed: [], warnings });
    else if (plan.revoke.length > 0)
      note("Nothing was revoked. To revoke these keys, run the same command with --yes.");
    return;
  }
  // Keys that were used or recorded in a state since the plan are no longer revoked.
  const planned = new Set(plan.revoke.map(({ id }) => id));
  const fresh = planSweep(await keys.list({ fresh: true, signal }), terms());
  const toRevoke = fresh.revoke.filter(({ id }) => planned.has(id));
  const swept = await revokeKeys(toRevoke, keys, signal);
  const failed = swept.failed.map(({ key, why }) => ({ ...key, why }));
  if (flags.json) printJson({ owners: [...owners.keys()], ...jsonOf(plan), revoked: swept.revoked, failed, warnings });
  else printRevocations(swept);
  if (session.interrupted) session.exitCode = EXIT.interrupted;
  else if (swept.failed.length > 0) session.exitCode = EXIT.failed;
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

function jsonOf({ revoke, keep, held }: SweepPlan): object {
  return { planned: revoke, kept: keep.map(({ key, reason }) => ({ ...key, reason })), held };
}
