import { randomUUID } from "node:crypto";
import { lstat, open, rename, rm } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { keyIdOf } from "../../provider/ids";
import type { Scope } from "../../provider/keys/scope";
import { isKeyType } from "../../provider/resource-types";
import { conceal } from "../../provider/secrets";
import type { Deployment } from "../../provider/stack/deployment";
import { isKeyplanes } from "../../provider/stack/keys-in-state";
import { counted } from "../../provider/text";
import { type AccountFlags, readOrganization } from "../account";
import { type CommandRun, EXIT } from "../command-run";
import { type Age, UNUSED_FOR } from "../duration-option";
import { noteHidden, type ReadState, readStatesBelow, type StateFlags } from "../state/states";
import { note, plain, printJson } from "../terminal";
import { UsageError } from "../usage-error";
import { joinReport } from "./join";
import { accountsOf, requestLists } from "./key-lists";
import type { Report } from "./report-data";
import { scopeIn } from "./state-keys";

export interface ReportFlags extends AccountFlags, StateFlags {
  readonly organization?: readonly string[];
  readonly unusedFor?: Age;
  readonly out?: string;
  readonly json?: true;
}

/** Reads the sources, joins them and shows the report. */
export async function makeReport(flags: ReportFlags, run: CommandRun): Promise<void> {
  const { json, out } = flags;
  if (!json && out === undefined) throw new UsageError("no output was chosen. Pass --out report.html, or --json");
  if (out === "-") throw new UsageError("--out: a page needs a file. `--json` prints to standard output");
  const states = await readStatesBelow(flags);
  for (const { deployment } of states) concealSecrets(deployment);
  const { lists, now } = await requestLists(wantedLists(flags, states), flags, run.signal);
  const report = joinReport({ lists, states }, { now, unusedFor: flags.unusedFor ?? UNUSED_FOR });
  noteProblems(report, run);
  noteHidden(states);
  if (out !== undefined) await writePage(report, out);
  if (json) printJson(report);
}

async function writePage(report: Report, file: string): Promise<void> {
  const [{ pageOf }, { readPageParts }] = await Promise.all([import("./page.js"), import("./page-parts.js")]);
  try {
    await writeOwnFile(file, pageOf(report, readPageParts()));
  } catch (error) {
    // An argument that is not a file could be a misplaced secret, so it is not repeated.
    throw new UsageError(`--out: the page cannot be written (${(error as NodeJS.ErrnoException).code})`);
  }
  const { keys, accounts, stacks } = report;
  note(
    `Wrote the report: ${counted(keys.length, "key")}, ${counted(accounts.length, "list")}, ${counted(stacks.length, "state")}.`,
  );
}

/** The lists of all accounts, and of the organizations that are given or that hold keys of the states. */
function wantedLists(flags: ReportFlags, states: readonly ReadState[]): readonly Scope[] {
  const accounts = accountsOf(flags);
  const organizations = (flags.organization ?? []).map(readOrganization);
  const given = organizations.map((organizationId) => ({ account: accounts[0], organizationId }));
  const inStates = states
    .flatMap(({ deployment }) => deployment.resources.filter(({ type }) => isKeyType(type)))
    .flatMap((resource) => scopeIn(resource) ?? [])
    .filter(({ account, organizationId }) => organizationId !== undefined && accounts.includes(account));
  const own = accounts.map((account) => ({ account, organizationId: undefined }));
  const all = [...own, ...given, ...inStates].map((wanted) => [JSON.stringify(wanted), wanted] as const);
  return [...new Map(all).values()];
}

/** A report with an account that could not be read is not complete. */
function noteProblems({ accounts }: Report, run: CommandRun): void {
  for (const { label, problem } of accounts) {
    if (problem === undefined) continue;
    run.exitCode = EXIT.failed;
    note(`account ${plain(label)} could not be read: ${problem}`);
  }
}

/** The properties of keyplane's resources with a secret. */
const SECRETS = ["key", "previousKey", "apiKey"];

/**
 * Keeps secrets of a state out of the output, in case that the state contains them in plain text and that one is also
 * where a name should be. The report copies none of these properties.
 */
export function concealSecrets({ resources }: Deployment): void {
  for (const { inputs, outputs, secrets } of resources.filter(isKeyplanes)) {
    for (const values of [inputs, outputs]) {
      for (const name of [...SECRETS, ...secrets]) concealIn(values[name]);
      concealIn(values.adopt);
    }
  }
}

/** Conceals a text, or the texts of an object, such as the triggers of a rotation. Ids of keys are not secrets. */
function concealIn(value: unknown): void {
  if (typeof value === "string") {
    if (keyIdOf(value) === undefined) conceal(value);
  } else if (typeof value === "object" && value !== null) for (const each of Object.values(value)) concealIn(each);
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
  const file = await open(temporary, "wx", 0o600);
  try {
    await file.writeFile(text);
    await rename(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  } finally {
    await file.close();
  }
}
