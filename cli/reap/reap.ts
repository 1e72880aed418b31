import type { Command } from "commander";
import type { Account, ApiKeyRecord } from "../../provider/api";
import { formatDuration } from "../../provider/duration";
import { MAX_SKEW_MS } from "../../provider/keys/clock-skew";
import { fateOf, type Reason } from "../../provider/keys/fate";
import { deadlineIn } from "../../provider/keys/lease";
import { terminalColumns } from "../../provider/terminal-columns";
import { type KeysFlags, openAccount, withKeys } from "../account";
import { Callers } from "../callers";
import { EXIT } from "../exit-code";
import { keyColumns } from "../keys/key-columns";
import { printRevocations, revokeKeys } from "../revoke/revoke-keys";
import type { Session } from "../session";
import { table } from "../table";
import { note, print, printJson } from "../terminal";

interface ReapFlags extends KeysFlags {
  readonly yes?: true;
  readonly json?: true;
}

/** A live key with a deadline in its name. */
interface LeasedKey extends ApiKeyRecord {
  /** Its deadline, as an ISO 8601 time. */
  readonly expiresAt: string;
}

/** A key whose deadline has not come, or that must not be revoked. */
interface KeptKey extends LeasedKey {
  readonly reason: Reason;
}

interface ReapPlan {
  readonly revoke: readonly LeasedKey[];
  readonly keep: readonly KeptKey[];
}

/** Why a key stays live although its deadline may have passed. */
const REASONS: Partial<Readonly<Record<Reason, string>>> = {
  credential: "in KEYPLANE_API_KEY or KEYPLANE_ACCOUNTS, or not proven to be another key",
  "time unknown": "the service's answer does not say what time it is",
};

/** `keyplane reap`: revokes keys whose deadline has passed, without any state. */
export function addReap(program: Command, session: Session): void {
  const command = program
    .command("reap")
    .description("revokes keys whose deadline (`maxAge`) has passed, used or not, without any state")
    .option("--yes", "revokes the keys; without it, only shows the plan")
    .option("--json", "prints JSON");
  withKeys(command).action((flags: ReapFlags) => reap(flags, session));
}

async function reap(flags: ReapFlags, session: Session): Promise<void> {
  const { signal } = session;
  const account = openAccount(flags);
  const keys = account.keysOf(flags.organization);
  const leased = (await keys.list({ signal })).flatMap(leasedKey);
  const plan = await planReap(leased, account, () => Callers.ask(flags, signal));
  const overdue = plan.keep.filter(({ reason }) => reason !== "lease");
  if (overdue.length > 0) session.exitCode = EXIT.failed;
  if (!flags.json) printPlan(plan, overdue, account);
  const planned = { planned: plan.revoke, kept: plan.keep };
  if (!flags.yes || plan.revoke.length === 0) {
    if (flags.json) printJson({ ...planned, revoked: [], failed: [] });
    else if (plan.revoke.length > 0)
      note("Nothing was revoked. To revoke these keys, run the same command with --yes.");
    return;
  }
  const { revoked, failed } = await revokeKeys(plan.revoke, keys, signal);
  if (flags.json) printJson({ ...planned, revoked, failed: failed.map(({ key, why }) => ({ ...key, why })) });
  else printRevocations({ revoked, failed });
  if (session.interrupted) session.exitCode = EXIT.interrupted;
  else if (failed.length > 0) session.exitCode = EXIT.failed;
}

function leasedKey(key: ApiKeyRecord): readonly LeasedKey[] {
  const deadline = deadlineIn(key.name);
  return deadline === undefined ? [] : [{ ...key, expiresAt: new Date(deadline).toISOString() }];
}

/** Decides the fate of each leased key. Asks for the credentials in use only if a deadline has passed. */
async function planReap(
  leased: readonly LeasedKey[],
  account: Account,
  ask: () => Promise<Callers>,
): Promise<ReapPlan> {
  // One time for all, so that the plan and the question for credentials agree.
  const now = account.skewMs === undefined ? "unknown" : account.serviceNow();
  let callers: Callers | undefined;
  const revoke: LeasedKey[] = [];
  const keep: KeptKey[] = [];
  for (const key of leased) {
    const facts = { kind: "leased", deadline: Date.parse(key.expiresAt), now } as const;
    let fate = fateOf({ ...facts, isCredential: false });
    if (fate.fate === "revoke") {
      callers ??= await ask();
      const isCredential = callers.ids.has(key.id) || (await callers.accountOf(key)) !== undefined;
      fate = fateOf({ ...facts, isCredential });
    }
    if (fate.fate === "revoke") revoke.push(key);
    else keep.push({ ...key, reason: fate.why });
  }
  return { revoke, keep };
}

function printPlan({ revoke, keep }: ReapPlan, overdue: readonly KeptKey[], account: Account): void {
  const now = account.serviceNow();
  const rows = [
    ...revoke.map((key) => ({ ...key, plan: "revoke" })),
    ...overdue.map((key) => ({ ...key, plan: `keep: ${REASONS[key.reason]}` })),
  ];
  if (rows.length > 0) {
    const columns = [
      ...keyColumns(now),
      { title: "DEADLINE", text: (row: LeasedKey) => `${formatDuration(now - Date.parse(row.expiresAt))} ago` },
      {
        title: "PLAN",
        text: (row: { readonly plan: string }) => row.plan,
        tone: (row: { readonly plan: string }) => (row.plan === "revoke" ? ("bad" as const) : undefined),
        atLeast: 15,
      },
    ];
    for (const line of table(rows, columns, terminalColumns(process.stdout))) print(...line);
    print("");
  }
  const later = keep.filter(({ reason }) => reason === "lease").map(({ expiresAt }) => expiresAt);
  const [next] = later.sort();
  const until = next === undefined ? "" : `, the next one at ${next}`;
  print(`${rows.length} past the deadline, ${later.length} with a later one${until}`);
  const { skewMs = 0 } = account;
  if (Math.abs(skewMs) > MAX_SKEW_MS) {
    const [here, there] = [account.now(), now].map((time) => new Date(time).toISOString());
    note(`this machine's clock shows ${here}, but the service's shows ${there}. Deadlines are times of the service.`);
  }
}
