import type { Command } from "commander";
import type { Account, ApiKeyRecord } from "../../provider/api";
import { formatDuration } from "../../provider/duration";
import { clockSkew } from "../../provider/keys/clock";
import { expiresAt } from "../../provider/keys/naming";
import { counted } from "../../provider/text";
import { openAccount, withKeys } from "../account";
import { Callers } from "../callers";
import { type CommandRun, EXIT } from "../command-run";
import { keyColumns } from "../keys/columns";
import { print, printInfo } from "../output";
import { carryOut, type Plan, printPlan, type Reason, type RevokingFlags, withRevoking } from "../revoke/carry-out";

/** A live key with a deadline in its name. */
interface KeyWithDeadline extends ApiKeyRecord {
  /** Its deadline, as an ISO 8601 time. */
  readonly expiresAt: string;
}

/** `keyplane reap`: revokes keys whose deadline has passed, without any state. */
export function addReap(program: Command, run: CommandRun): void {
  const command = program
    .command("reap")
    .description("revokes keys whose deadline (`maxAge`) has passed, used or not, without any state");
  withKeys(withRevoking(command)).action((flags: RevokingFlags) => reap(flags, run));
}

async function reap(flags: RevokingFlags, run: CommandRun): Promise<void> {
  const { signal } = run;
  const account = openAccount(flags);
  const keys = account.keysOf(flags.organization);
  const withDeadline = (await keys.list({ signal })).flatMap((key): KeyWithDeadline[] => {
    const deadline = expiresAt(key.name);
    return deadline === undefined ? [] : [{ ...key, expiresAt: deadline }];
  });
  const plan = await planReap(withDeadline, account, () => Callers.ask(flags, signal));
  const overdue = plan.keep.filter(({ reason }) => reason !== "not due");
  if (overdue.length > 0) run.exitCode = EXIT.failed;
  if (!flags.json) {
    const now = account.serviceNow();
    const ago = ({ expiresAt }: KeyWithDeadline) => `${formatDuration(now - Date.parse(expiresAt))} ago`;
    printPlan({ ...plan, keep: overdue }, [...keyColumns(now), { title: "DEADLINE", text: ago }]);
    printSummary(plan, overdue.length, account);
  }
  const { revoke: planned, keep: kept, warnings } = plan;
  await carryOut({ planned, keys, asJson: (results) => ({ planned, kept, ...results, warnings }) }, flags, run);
}

/**
 * Decides about a key with a deadline, used or not: the user has set its end. Times are in milliseconds since 1970.
 * @param now - The service's time; `undefined` if no answer has shown it.
 */
function decideReap(deadline: number, now: number | undefined): "revoke" | Reason {
  if (now === undefined) return "time unknown";
  return now < deadline ? "not due" : "revoke";
}

/** Decides about each of these keys. Asks for the credentials in use only if a deadline has passed. */
async function planReap(
  withDeadline: readonly KeyWithDeadline[],
  account: Account,
  ask: () => Promise<Callers>,
): Promise<Plan<KeyWithDeadline> & { readonly warnings: readonly string[] }> {
  // One time for all, so that the plan and the question for credentials agree.
  const now = account.skewMs === undefined ? undefined : account.serviceNow();
  let callers: Callers | undefined;
  const revoke: KeyWithDeadline[] = [];
  const keep: (KeyWithDeadline & { readonly reason: Reason })[] = [];
  for (const key of withDeadline) {
    let decision = decideReap(Date.parse(key.expiresAt), now);
    if (decision === "revoke") {
      callers ??= await ask();
      if ((await callers.accountOf(key)) !== undefined) decision = "credential";
    }
    if (decision === "revoke") revoke.push(key);
    else keep.push({ ...key, reason: decision });
  }
  return { revoke, keep, warnings: callers?.warnOfUnasked() ?? [] };
}

function printSummary({ revoke, keep }: Plan<KeyWithDeadline>, overdue: number, account: Account): void {
  const later = keep.filter(({ reason }) => reason === "not due").map(({ expiresAt }) => expiresAt);
  const [next] = later.sort();
  const until = next === undefined ? "" : `, the next one at ${next}`;
  print(`${counted(revoke.length + overdue, "key")} past the deadline, ${later.length} with a later one${until}`);
  const skew = clockSkew(account);
  if (skew !== undefined) printInfo(`${skew}. Deadlines are times of the service.`);
}
