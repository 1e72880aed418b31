import type { Command } from "commander";
import type { Account, ApiKeyRecord } from "../../provider/api";
import { formatDuration } from "../../provider/duration";
import { clockSkew } from "../../provider/keys/clock-skew";
import { fateOf, type Reason } from "../../provider/keys/fate";
import { expiresAt } from "../../provider/keys/lease";
import { counted } from "../../provider/text";
import { openAccount, withKeys } from "../account";
import { Callers } from "../callers";
import { type CommandRun, EXIT } from "../command-run";
import { keyColumns } from "../keys/inventory";
import { carryOut, type Plan, printPlan, type RevokingFlags, withRevoking } from "../revoke/carry-out";
import { note, print } from "../terminal";

/** A live key with a deadline in its name. */
interface LeasedKey extends ApiKeyRecord {
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
  const leased = (await keys.list({ signal })).flatMap((key): LeasedKey[] => {
    const deadline = expiresAt(key.name);
    return deadline === undefined ? [] : [{ ...key, expiresAt: deadline }];
  });
  const plan = await planReap(leased, account, () => Callers.ask(flags, signal));
  const overdue = plan.keep.filter(({ reason }) => reason !== "lease");
  if (overdue.length > 0) run.exitCode = EXIT.failed;
  if (!flags.json) {
    const now = account.serviceNow();
    const ago = ({ expiresAt }: LeasedKey) => `${formatDuration(now - Date.parse(expiresAt))} ago`;
    printPlan({ ...plan, keep: overdue }, [...keyColumns(now), { title: "DEADLINE", text: ago }]);
    printSummary(plan, overdue.length, account);
  }
  const { revoke: planned, keep: kept, warnings } = plan;
  await carryOut({ planned, keys, asJson: (results) => ({ planned, kept, ...results, warnings }) }, flags, run);
}

/** Decides the fate of each leased key. Asks for the credentials in use only if a deadline has passed. */
async function planReap(
  leased: readonly LeasedKey[],
  account: Account,
  ask: () => Promise<Callers>,
): Promise<Plan<LeasedKey> & { readonly warnings: readonly string[] }> {
  // One time for all, so that the plan and the question for credentials agree.
  const now = account.skewMs === undefined ? "unknown" : account.serviceNow();
  let callers: Callers | undefined;
  const revoke: LeasedKey[] = [];
  const keep: (LeasedKey & { readonly reason: Reason })[] = [];
  for (const key of leased) {
    const facts = { kind: "leased", deadline: Date.parse(key.expiresAt), now } as const;
    let fate = fateOf({ ...facts, isCredential: false });
    if (fate.fate === "revoke") {
      callers ??= await ask();
      fate = fateOf({ ...facts, isCredential: (await callers.accountOf(key)) !== undefined });
    }
    if (fate.fate === "revoke") revoke.push(key);
    else keep.push({ ...key, reason: fate.why });
  }
  return { revoke, keep, warnings: callers?.noteUnasked() ?? [] };
}

function printSummary({ revoke, keep }: Plan<LeasedKey>, overdue: number, account: Account): void {
  const later = keep.filter(({ reason }) => reason === "lease").map(({ expiresAt }) => expiresAt);
  const [next] = later.sort();
  const until = next === undefined ? "" : `, the next one at ${next}`;
  print(`${counted(revoke.length + overdue, "key")} past the deadline, ${later.length} with a later one${until}`);
  const skew = clockSkew({ account: () => account, now: () => account.now() });
  if (skew !== undefined) note(`${skew}. Deadlines are times of the service.`);
}
