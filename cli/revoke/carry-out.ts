import type { ApiKeyRecord, Keys } from "../../provider/api";
import { messageOf } from "../../provider/errors";
import type { Reason } from "../../provider/keys/fate";
import type { KeysFlags } from "../account";
import { type CommandRun, EXIT } from "../command-run";
import { type Column, printTable } from "../table";
import { LiveLines, note, paint, plain, print, printJson } from "../terminal";

export interface RevokingFlags extends KeysFlags {
  readonly yes?: true;
  readonly json?: true;
}

/** What a command would do with the keys that it has found. */
export interface Plan<Key extends ApiKeyRecord = ApiKeyRecord> {
  readonly revoke: readonly Key[];
  readonly keep: readonly (Key & { readonly reason: Reason })[];
}

/** Why a key is not revoked, and what to do about it. */
const REASONS: Partial<Readonly<Record<Reason, string>>> = {
  credential: "in KEYPLANE_API_KEY or KEYPLANE_ACCOUNTS, or not proven to be another key",
  "in use": "used in the last 5 minutes",
  used: "was used (see --include-used)",
  "after state": "created after the state was saved (pass a newer one, or run `pulumi up`)",
  young: "younger than 15 min (see --include-young)",
  "time unknown": "the service's answer does not say what time it is",
};

export function printPlan<Key extends ApiKeyRecord>(
  { revoke, keep }: Plan<Key>,
  columns: readonly Column<Key>[],
): void {
  const rows = [
    ...revoke.map((key) => ({ ...key, plan: "revoke" })),
    ...keep.map((key) => ({ ...key, plan: `keep: ${REASONS[key.reason]}` })),
  ];
  const isRevoked = ({ plan }: { readonly plan: string }) => plan === "revoke";
  const plan: Column<{ readonly plan: string }> = {
    title: "PLAN",
    text: (row) => row.plan,
    tone: (row) => (isRevoked(row) ? "bad" : undefined),
    atLeast: 15,
  };
  if (rows.length > 0) printTable(rows, [...columns, plan]);
}

interface Revocations {
  readonly revoked: readonly ApiKeyRecord[];
  readonly failed: readonly (ApiKeyRecord & { readonly why: string })[];
}

interface Order {
  readonly planned: readonly ApiKeyRecord[];
  /** Those of the planned keys that are still to be revoked. @default all */
  readonly recheck?: () => Promise<readonly ApiKeyRecord[]>;
  readonly keys: Keys;
  /** What `--json` prints. */
  readonly asJson: (results: Revocations) => object;
}

/** Revokes the keys of a plan with `--yes`, and shows the results. Without it, says what to do. */
export async function carryOut(
  { planned, recheck, keys, asJson }: Order,
  { yes, json }: RevokingFlags,
  run: CommandRun,
): Promise<void> {
  if (!yes || planned.length === 0) {
    if (json) printJson(asJson({ revoked: [], failed: [] }));
    else if (planned.length > 0) note("Nothing was revoked. To revoke these keys, run the same command with --yes.");
    return;
  }
  const results = await revokeKeys((await recheck?.()) ?? planned, keys, run.signal);
  if (json) printJson(asJson(results));
  else printRevocations(results);
  if (run.interrupted) run.exitCode = EXIT.interrupted;
  else if (results.failed.length > 0) run.exitCode = EXIT.failed;
}

/** Revokes keys one after another, and verifies the result with a list. An interrupt skips the remaining keys. */
async function revokeKeys(toRevoke: readonly ApiKeyRecord[], keys: Keys, signal: AbortSignal): Promise<Revocations> {
  const live = new LiveLines();
  const troubles = new Map<string, string>();
  for (const [at, { id, name }] of toRevoke.entries()) {
    if (signal.aborted) {
      troubles.set(id, "interrupted");
      continue;
    }
    live.show([`revoking key ${id} (${plain(name)}), ${at + 1} of ${toRevoke.length}`]);
    try {
      // A request that was sent completes despite an interrupt, or its result would be unknown.
      await keys.revoke(id, { signal });
    } catch (error) {
      troubles.set(id, messageOf(error));
    }
  }
  live.clear();
  const left = await stillLive(keys);
  // A failed or unsent revocation counts as failed even if the key is not in the list: that proves nothing.
  const hasFailed = ({ id }: ApiKeyRecord) => left.has(id) || troubles.has(id);
  return {
    revoked: toRevoke.filter((key) => !hasFailed(key)),
    failed: toRevoke.filter(hasFailed).map((key) => ({ ...key, why: troubles.get(key.id) ?? "is still in the list" })),
  };
}

/** Ids of the live keys in a list. Empty if the list is not available. */
async function stillLive(keys: Keys): Promise<ReadonlySet<string>> {
  try {
    return new Set((await keys.list({ fresh: true })).map(({ id }) => id));
  } catch (error) {
    note(`the revocations could not be verified with a list: ${messageOf(error)}`);
    return new Set();
  }
}

function printRevocations({ revoked, failed }: Revocations): void {
  for (const { id, name } of revoked) print(paint("good", "revoked"), ` ${id} ${plain(name)}`);
  for (const { id, name, why } of failed) print(paint("bad", "still live"), ` ${id} ${plain(name)}: ${plain(why)}`);
  print(`${revoked.length} revoked${failed.length > 0 ? `, ${failed.length} still live: run it again` : ""}`);
}
