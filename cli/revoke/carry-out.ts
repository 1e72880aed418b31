import type { Command } from "commander";
import type { ApiKeyRecord, Keys } from "../../provider/api";
import { messageOf } from "../../provider/errors";
import { keyIn } from "../../provider/key-index";
import { REASONS, type Why } from "../../provider/keys/orphan-decision";
import type { KeysFlags } from "../account";
import { type CommandRun, EXIT } from "../command-run";
import { type Column, paint, plain, print, printInfo, printJson, printTable, showProgress } from "../output";

export interface RevokingFlags extends KeysFlags {
  readonly yes?: true;
  readonly json?: true;
}

/** Why a key is not revoked. */
export type Reason = Why | "credential" | "not due" | "time unknown";

/** What a command would do with the keys that it has found. */
export interface Plan<Key extends ApiKeyRecord = ApiKeyRecord> {
  readonly revoke: readonly Key[];
  readonly keep: readonly (Key & { readonly reason: Reason })[];
}

/** Adds the options of all commands that revoke keys. */
export function withRevoking(command: Command): Command {
  return command.option("--yes", "revokes the keys; without it, only shows the plan").option("--json", "prints JSON");
}

/** Why a key is not revoked, and what to do about it. */
const REASONS_HERE: Readonly<Record<Reason, string>> = {
  ...REASONS,
  used: `${REASONS.used} (see \`keyplane revoke\`)`,
  "under way": "it is younger than an hour, so a run in progress may be about to save it",
  "no history": `${REASONS["no history"]} (pass --stack, or run \`pulumi up\`)`,
  "exact name": `${REASONS["exact name"]} (see \`keyplane revoke\`)`,
  "no proof": `${REASONS["no proof"]} (see --prefix)`,
  credential: "in KEYPLANE_API_KEY or KEYPLANE_ACCOUNTS, or not proven to be another key",
  "time unknown": "the service's answer does not say what time it is",
  "not due": "its deadline has not passed",
};

export function printPlan<K extends ApiKeyRecord>({ revoke, keep }: Plan<K>, columns: readonly Column<K>[]): void {
  const rows = [
    ...revoke.map((key) => ({ ...key, plan: "revoke" })),
    ...keep.map((key) => ({ ...key, plan: `keep: ${REASONS_HERE[key.reason]}` })),
  ];
  const plan: Column<{ readonly plan: string }> = {
    title: "PLAN",
    text: (row) => row.plan,
    tone: (row) => (row.plan === "revoke" ? "bad" : undefined),
  };
  if (rows.length > 0) printTable(rows, [...columns, plan]);
}

type KeyWithReason = ApiKeyRecord & { readonly why: string };

interface Revocations {
  readonly revoked: readonly ApiKeyRecord[];
  /** Those that were to stay, or gone, when their turn came. */
  readonly skipped: readonly KeyWithReason[];
  /** `isLive`: whether a list has shown the key since. If not, nothing proves that it is revoked. */
  readonly failed: readonly (KeyWithReason & { readonly isLive: boolean })[];
}

interface Order {
  readonly planned: readonly ApiKeyRecord[];
  /** Makes the plan again, because somebody may have begun to use a key. @default what is planned stays so */
  readonly replan?: () => Promise<Plan>;
  readonly keys: Keys;
  /** What `--json` prints. */
  readonly asJson: (results: Revocations) => object;
}

/** Revokes the keys of a plan with `--yes`, and shows the results. Without it, says what to do. */
export async function carryOut(order: Order, { yes, json }: RevokingFlags, run: CommandRun): Promise<void> {
  const { planned, asJson } = order;
  if (!yes || planned.length === 0) {
    if (json) printJson(asJson({ revoked: [], skipped: [], failed: [] }));
    else if (planned.length > 0)
      printInfo("Nothing was revoked. To revoke these keys, run the same command with --yes.");
    return;
  }
  const results = await revokeKeys(order, run.signal);
  if (json) printJson(asJson(results));
  else printRevocations(results);
  if (run.interrupted) run.exitCode = EXIT.interrupted;
  else if (results.failed.length > 0) run.exitCode = EXIT.failed;
}

/** Revokes keys one after another, and verifies the result with a list. An interrupt skips the remaining keys. */
async function revokeKeys({ planned, replan, keys }: Order, signal: AbortSignal): Promise<Revocations> {
  const revoked: ApiKeyRecord[] = [];
  const skipped: KeyWithReason[] = [];
  const troubled: KeyWithReason[] = [];
  for (const [at, key] of planned.entries()) {
    showProgress(`revoking key ${key.id} (${plain(key.name)}), ${at + 1} of ${planned.length}`);
    let why: string | undefined;
    try {
      signal.throwIfAborted();
      why = replan && whyKept(await replan(), key);
    } catch (error) {
      // Without a new list, nothing says that the rest may go.
      troubled.push(...planned.slice(at).map((each) => ({ ...each, why: messageOf(error) })));
      break;
    }
    if (why !== undefined) {
      skipped.push({ ...key, why });
      continue;
    }
    try {
      // A request that was sent completes despite an interrupt, or its result would be unknown.
      await keys.revoke(key.id, { signal });
      revoked.push(key);
    } catch (error) {
      troubled.push({ ...key, why: messageOf(error) });
    }
  }
  showProgress("");
  const live = await stillLive(revoked, keys);
  // A failed or unsent revocation counts as failed even if the key is not in the list: that proves nothing.
  const back = revoked.filter(({ id }) => live.has(id)).map((key) => ({ ...key, why: "is still in the list" }));
  const failed = [...troubled, ...back].map((key) => ({ ...key, isLive: live.has(key.id) }));
  return { revoked: revoked.filter(({ id }) => !live.has(id)), skipped, failed };
}

/** Why a key is not to be revoked after all; `undefined` if it is. */
function whyKept({ revoke, keep }: Plan, { id }: ApiKeyRecord): string | undefined {
  const kept = keyIn(keep, id);
  if (kept !== undefined) return REASONS_HERE[kept.reason];
  return keyIn(revoke, id) === undefined ? "is no longer in the list, or was used" : undefined;
}

/** Ids of the live keys in a list. Empty if the list is not available. */
async function stillLive(revoked: readonly ApiKeyRecord[], keys: Keys): Promise<ReadonlySet<string>> {
  try {
    return new Set((await keys.listWithout(revoked.map(({ id }) => id))).map(({ id }) => id));
  } catch (error) {
    printInfo(`the revocations could not be verified with a list: ${messageOf(error)}`);
    return new Set();
  }
}

function printRevocations({ revoked, skipped, failed }: Revocations): void {
  for (const { id, name } of revoked) print(paint("good", "revoked"), ` ${id} ${plain(name)}`);
  for (const { id, name, why } of skipped) print(paint("warn", "skipped"), ` ${id} ${plain(name)}: ${why}`);
  for (const { id, name, why, isLive } of failed) {
    print(paint("bad", isLive ? "still live" : "may be live"), ` ${id} ${plain(name)}: ${plain(why)}`);
  }
  print(
    `${revoked.length} revoked${failed.length > 0 ? `, ${failed.length} still live or unknown: run it again` : ""}`,
  );
}
