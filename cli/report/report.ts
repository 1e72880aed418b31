import { randomUUID } from "node:crypto";
import { lstat, rename, rm, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import type { Command } from "commander";
import type { Account } from "../../provider/api";
import { isAborted, messageOf } from "../../provider/errors";
import type { Scope } from "../../provider/keys/scope";
import { counted } from "../../provider/text";
import { type AccountFlags, configuredAccounts, readOrganization, withAccount } from "../account";
import { type CommandRun, EXIT } from "../command-run";
import type { ReadList } from "../keys/join";
import { credentialsIn, openList } from "../keys/lists";
import { plain, printInfo, printJson } from "../output";
import { type ReadState, readStates, type StateFlags, warnOfHidden, withStates } from "../state/states";
import { UsageError } from "../usage-error";
import { reportOf } from "./data";

interface Flags extends AccountFlags, StateFlags {
  readonly organization?: readonly string[];
  readonly out?: string;
  readonly json?: true;
}

/** `keyplane report`: joins the lists of keys with the states of stacks. */
export function addReport(program: Command, run: CommandRun): void {
  const command = program
    .command("report")
    .description("shows each key with its stack, its consumers, its dates and what happens to it next");
  withStates(command)
    .option("--organization <id...>", "also lists the keys of these organizations")
    .option("--out <file>", "writes the report as one HTML page, which needs nothing else")
    .option("--json", "prints JSON");
  withAccount(command).action((flags: Flags) => report(flags, run));
}

async function report(flags: Flags, run: CommandRun): Promise<void> {
  const { json, out } = flags;
  if (!json && out === undefined) throw new UsageError("no output was chosen. Pass --out report.html, or --json");
  if (out === "-") throw new UsageError("--out: a page needs a file. `--json` prints to standard output");
  const states = await readStates(flags);
  const { lists, now } = await requestLists(wantedLists(flags, states), run.signal);
  const { credentials } = await credentialsIn(lists, states, { now, signal: run.signal });
  const made = reportOf(lists, states, { now, credentials });
  for (const { label, problem } of made.accounts) {
    if (problem === undefined) continue;
    // A report without one of its accounts is not complete.
    run.exitCode = EXIT.failed;
    printInfo(`account ${plain(label)} could not be read: ${problem}`);
  }
  warnOfHidden(states);
  if (out !== undefined) {
    // Loaded only for a page.
    const { pageOf } = await import("./page.js");
    await writeOwnFile(out, pageOf(made)).catch(({ code }: NodeJS.ErrnoException) => {
      // An argument that is not a file could be a misplaced secret, so it is not repeated.
      throw new UsageError(`--out: the page cannot be written (${code})`);
    });
    const counts = [counted(made.keys.length, "key"), counted(lists.length, "list"), counted(states.length, "state")];
    printInfo(`Wrote the report: ${counts.join(", ")}.`);
  }
  if (json) printJson(made);
}

/** The lists of all accounts, and of the organizations that are given or in which the states have keys or pending creations. */
function wantedLists(flags: Flags, states: readonly ReadState[]): readonly Scope[] {
  const accounts = accountsOf(flags);
  const organizations = (flags.organization ?? []).map(readOrganization);
  const given = organizations.map((organizationId) => ({ account: accounts[0], organizationId }));
  const scopes = states.flatMap(({ keys, pendingCreations }) =>
    [...keys, ...pendingCreations].flatMap(({ scope }) => scope ?? []),
  );
  const inStates = scopes.filter(({ account, organizationId }) => organizationId && accounts.includes(account));
  const own = accounts.map((account) => ({ account, organizationId: undefined }));
  const all = [...own, ...given, ...inStates].map((wanted) => [JSON.stringify(wanted), wanted] as const);
  return [...new Map(all).values()];
}

/** The selected account, else all that the environment configures. */
function accountsOf({ account }: AccountFlags): readonly (string | undefined)[] {
  if (account !== undefined) return [account];
  const accounts = configuredAccounts();
  // Without any account, the settings of the default one say what is missing.
  return accounts.length === 0 ? [undefined] : accounts;
}

/** Requests the lists. Throws if none can be read. `now` is the service's time after the first answer, in milliseconds. */
async function requestLists(wanted: readonly Scope[], signal: AbortSignal) {
  const errors: unknown[] = [];
  const answered: Account[] = [];
  // All settings are checked before the first request.
  const all = wanted.map(openList);
  const lists = await Promise.all(
    all.map(async ({ account, keys, scope }): Promise<ReadList> => {
      try {
        const records = await keys.list({ signal });
        answered.push(account);
        return { ...scope, keys: records };
      } catch (error) {
        if (isAborted(error)) throw error;
        errors.push(error);
        return { ...scope, keys: undefined, problem: messageOf(error) };
      }
    }),
  );
  if (answered[0] === undefined) throw errors[0];
  return { lists, now: answered[0].serviceNow() };
}

/**
 * Writes a file that only its owner can read. Other users can have put a link, a pipe or their own file at this path, in
 * a folder that they share. Only a file is replaced, as a whole, and nothing is written through it.
 */
export async function writeOwnFile(path: string, text: string): Promise<void> {
  const existing = await lstat(path).catch(() => undefined);
  if (existing?.isFile() === false) throw Object.assign(new Error("not a file"), { code: "not a file" });
  // A random name and an exclusive create, so that no existing link is followed.
  const temporary = join(dirname(path), `.${basename(path)}.${randomUUID()}.tmp`);
  try {
    await writeFile(temporary, text, { flag: "wx", mode: 0o600 });
    await rename(temporary, path);
  } finally {
    await rm(temporary, { force: true });
  }
}
