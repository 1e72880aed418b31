import type { Command } from "commander";
import type { ApiKeyRecord } from "../../provider/api";
import { KeyplaneError } from "../../provider/errors";
import { keyIdOf } from "../../provider/ids";
import { keyIn } from "../../provider/key-index";
import { withKeys } from "../account";
import { Callers } from "../callers";
import { type CommandRun, EXIT } from "../command-run";
import { formatHolder, keyColumns } from "../keys/columns";
import { holdersOf, joinKeys } from "../keys/join";
import { openList } from "../keys/lists";
import { plain, print, printInfo, printTable } from "../output";
import { otherScopes } from "../state/other-scopes";
import { hasStates, readStates, type StateFlags, warnOfHidden, withStates } from "../state/states";
import { UsageError } from "../usage-error";
import { carryOut, type RevokingFlags, withRevoking } from "./carry-out";

/** A key to revoke, and the resources that hold it according to the given states. */
type KeyToRevoke = ApiKeyRecord & { readonly holders: ReturnType<typeof holdersOf> };

/** `keyplane revoke`: revokes keys by id, whoever created or uses them. */
export function addRevoke(program: Command, run: CommandRun): void {
  const command = program
    .command("revoke <id...>")
    .description("revokes keys by id, including keys in use that no stack created");
  withKeys(withRevoking(withStates(command))).action((ids: readonly string[], flags: RevokingFlags & StateFlags) =>
    revoke(ids, flags, run),
  );
}

async function revoke(args: readonly string[], flags: RevokingFlags & StateFlags, run: CommandRun): Promise<void> {
  const { signal } = run;
  const ids = [...new Set(args.map(readId))];
  const states = await readStates(flags);
  const hidden = warnOfHidden(states);
  const { account, keys, scope } = openList({ account: flags.account, organizationId: flags.organization });
  const callers = await Callers.ask(flags, signal);
  const live = await keys.list({ signal });
  const joined = joinKeys([{ ...scope, keys: live }], states);
  const toRevoke = ids.flatMap((id): KeyToRevoke[] => {
    const key = joined.find(({ record }) => record?.id === id);
    return key?.record === undefined ? [] : [{ ...key.record, holders: holdersOf(key) }];
  });
  for (const key of toRevoke) refuseCredential(key, await callers.accountOf(key));
  const missing = ids.filter((id) => keyIn(live, id) === undefined);
  const nobody = hasStates(flags) ? "-" : "? (see --stack)";
  if (!flags.json) printKeys(toRevoke, missing, { now: account.serviceNow(), nobody });
  for (const id of missing) {
    const scopes = joined.flatMap(({ held }) => held.flatMap((key) => (key.id === id ? [key.scope] : [])));
    for (const warning of otherScopes(`A stack has key ${id} in`, scopes, flags)) printInfo(warning);
  }
  if (missing.length > 0) run.exitCode = EXIT.failed;
  const asJson = (results: object) => ({ planned: toRevoke, missing, hidden, ...results });
  await carryOut({ planned: toRevoke, keys, asJson }, flags, run);
}

function readId(arg: string): string {
  // The message omits an invalid id, because it could be a misplaced key.
  const id = /^\d+$/.test(arg) ? keyIdOf(arg) : undefined;
  if (id === undefined)
    throw new UsageError("an argument is not a key id. Key ids are numbers, which `keyplane keys` shows");
  return id;
}

/** Throws unless each configured account is proven to use another key. Revoking one could lock out every stack. */
function refuseCredential({ id }: ApiKeyRecord, credential: Awaited<ReturnType<Callers["accountOf"]>>): void {
  if (credential === undefined) return;
  const why =
    credential.unasked === undefined
      ? `key ${id} is the credential of ${credential.name}, or may be: nothing proves that it is another key. Nothing was revoked. ` +
        "Set KEYPLANE_API_KEY and KEYPLANE_ACCOUNTS to other keys first. If the key is used all the time, stop its users"
      : `key ${id} may be the credential of ${credential.name}. Nothing was revoked. ${credential.unasked}`;
  throw new KeyplaneError("KP-OWN-CREDENTIAL", why);
}

function printKeys(
  toRevoke: readonly KeyToRevoke[],
  missing: readonly string[],
  { now, nobody }: { readonly now: number; readonly nobody: string },
): void {
  if (toRevoke.length > 0) {
    const text = ({ holders }: KeyToRevoke) => {
      const [first] = holders;
      return first === undefined ? nobody : `${first.stack} ${formatHolder({ resource: first.urn, holders })}`;
    };
    const holder = { title: "HELD BY", text };
    printTable(toRevoke, [...keyColumns(now), holder]);
  }
  for (const id of missing) print(`${id} is not a live key of this account`);
  for (const { id, holders } of toRevoke) {
    for (const { stack, role } of holders) {
      const after =
        role === "current"
          ? ": after its revocation, `pulumi up --refresh` there creates a new one"
          : ", but not as a current key: nothing replaces it";
      printInfo(`${plain(stack)} holds key ${id}${after}.`);
    }
  }
}
