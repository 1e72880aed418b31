import type { Scope } from "../../provider/keys/scope";
import { isKeyType } from "../../provider/resource-types";
import { counted } from "../../provider/text";
import { UNUSED_FOR } from "../duration-option";
import { EXIT, type Session } from "../session";
import { type ReadState, readStatesBelow } from "../state/states";
import { note, plain, printJson } from "../terminal";
import { UsageError } from "../usage-error";
import { concealSecrets } from "./conceal-secrets";
import { joinReport } from "./join";
import { accountsOf, requestLists } from "./key-lists";
import type { ReportFlags } from "./report";
import type { Report } from "./report-data";
import { scopeIn } from "./state-keys";
import { writeOwnFile } from "./write-own-file";

/** Reads the sources, joins them and shows the report. */
export async function makeReport(flags: ReportFlags, session: Session): Promise<void> {
  const { json, out } = flags;
  if (!json && out === undefined) throw new UsageError("no output was chosen. Pass --out report.html, or --json");
  const states = await readStatesBelow(flags);
  for (const { deployment } of states) concealSecrets(deployment);
  const { lists, now } = await requestLists(wantedLists(flags, states), flags, session.signal);
  const report = joinReport({ lists, states }, { now, unusedFor: flags.unusedFor ?? UNUSED_FOR });
  noteProblems(report, session);
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
  const given = (flags.organization ?? []).map((organizationId) => ({ account: accounts[0], organizationId }));
  const inStates = states
    .flatMap(({ deployment }) => deployment.resources.filter(({ type }) => isKeyType(type)))
    .flatMap((resource) => scopeIn(resource) ?? [])
    .filter(({ account, organizationId }) => organizationId !== undefined && accounts.includes(account));
  const own = accounts.map((account) => ({ account, organizationId: undefined }));
  const all = [...own, ...given, ...inStates].map((wanted) => [JSON.stringify(wanted), wanted] as const);
  return [...new Map(all).values()];
}

/** A report with an account that could not be read is not complete. */
function noteProblems({ accounts, stacks }: Report, session: Session): void {
  for (const { label, problem } of accounts) {
    if (problem === undefined) continue;
    session.exitCode = EXIT.failed;
    note(`account ${plain(label)} could not be read: ${problem}`);
  }
  for (const { stack, hidden } of stacks) {
    if (hidden !== undefined) note(`${plain(stack)} contains encrypted key ids: these keys appear as unmanaged`);
  }
}
