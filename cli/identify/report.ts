import { formatDuration } from "../../provider/duration";
import { nameInUrn } from "../../provider/keys/naming";
import { counted } from "../../provider/text";
import { paint, plain, print } from "../terminal";
import { replaceFirst } from "./advice";
import type { Holding, Holdings } from "./holdings";
import type { Checked, KeyAnswer } from "./service";

/** A key that was found in the text, and that a state has. */
export interface Identified {
  /** The resource that has it. */
  readonly holding: Holding;
  /** What other states that have it say, such as older ones. */
  readonly others: readonly Holding[];
  /** What its account lists; `undefined` if it was not asked. */
  readonly listed: KeyAnswer | undefined;
  /** Whether there is a credential for its account, so that this was asked or tried. */
  readonly isConfigured: boolean;
  readonly checked: Checked | undefined;
  /** What to do, step by step. */
  readonly next: readonly string[];
  /** The command that revokes it. */
  readonly revoke: string;
}

/** What looks like a key of the service, or is keyplane's own, but is in no state. */
export interface Unknown {
  readonly digest: string;
  /** The setting in the environment that has it, so that it is known after all. */
  readonly credential: string | undefined;
  readonly checked: Checked | undefined;
  /** The command that revokes it, if the service told its id. */
  readonly revoke: string | undefined;
}

/** What was found in a text, and in which states it was looked for. */
export interface Findings extends Pick<Holdings, "states"> {
  readonly identified: readonly Identified[];
  readonly unknown: readonly Unknown[];
  /** Why accounts could not be asked, and keys not be checked. */
  readonly problems: readonly string[];
}

/** Prints what was found. No part of a secret is among it. */
export function printReport({ identified, unknown, states }: Findings): void {
  for (const key of identified) printKey(key);
  for (const { digest, credential, checked, revoke } of unknown) {
    print(paint("warn", credential === undefined ? "unknown key" : "keyplane's own key"), ` (digest ${digest})`);
    const inNone = states > 0 ? "none of the given states has it" : "no state was given. Pass --state or --stack";
    row("owner", credential ?? inNone);
    if (checked !== undefined) row("check", checkedText(checked));
    const revokeIt = revoke ?? "Find its id in the service's console, by the time of its last use, and revoke it";
    steps([...replaceFirst(credential), revokeIt]);
    print("");
  }
  const total = identified.length + unknown.length;
  const known = total - unknown.filter(({ credential }) => credential === undefined).length;
  print(total === 0 ? "no key found" : `${counted(total, "key")} found, ${known} identified`);
}

function printKey(key: Identified): void {
  const { holding, others, listed, checked, next } = key;
  const { digest, keyId, name, stack, urn, type, account, organizationId, projectId, usedBy } = holding;
  print(paint("bad", `key ${keyId}`), ` ${plain(name ?? "")} (digest ${digest})`);
  row("stack", `${stack} (${holding.source})`);
  row("resource", `${nameInUrn(urn)} (${type}): ${roleText(holding)}`);
  const limits = [organizationId && `organization ${organizationId}`, projectId && `project ${projectId}`];
  row("account", [account ?? "the account of keyplane:apiKey", ...limits].filter(Boolean).join(", "));
  const since = holding.createdAt ?? listed?.record?.createdAt ?? "unknown";
  row("since", holding.replacedAt === undefined ? since : `${since}, replaced ${holding.replacedAt}`);
  row("last use", lastUseText(key));
  if (checked !== undefined) row("check", checkedText(checked));
  row("used by", usedBy.length === 0 ? "no resource of the stack" : usedBy.map(shownUrn).join(", "));
  for (const other of others) {
    row("also in", `${other.stack}: ${nameInUrn(other.urn)}, ${roleText(other)} (${other.source})`);
  }
  steps(next);
  print("");
}

/** Prints what to do. A step is not shortened, because it contains a command. */
function steps(next: readonly string[]): void {
  for (const [at, step] of next.entries()) print(`  ${(at === 0 ? "next" : "").padEnd(9)} ${step}`);
}

function row(title: string, text: string): void {
  print(`  ${title.padEnd(9)} ${plain(text)}`);
}

function roleText({ role, roleNow }: Holding): string {
  if (roleNow === role) return `${role} key`;
  return `${role} key in this state, ${roleNow ?? "not held"} in the newest one`;
}

function lastUseText({ holding, listed, isConfigured }: Identified): string {
  if (listed === undefined) {
    const why = isConfigured ? "the account could not be asked" : "no credential of the account is set";
    return `${holding.lastUsedAt ?? "unknown"} (${why})`;
  }
  const { record, now } = listed;
  if (record === undefined) return "the account in the settings does not list the key";
  const { lastUsedAt, lastUsedFromAddr } = record;
  if (lastUsedAt === null) return "never";
  return `${formatDuration(now - Date.parse(lastUsedAt))} ago from ${lastUsedFromAddr ?? "an unknown address"}`;
}

function checkedText(checked: Checked): string {
  return checked.works ? "the service accepts the key" : "the service does not accept the key";
}

function shownUrn(urn: string): string {
  const type = urn.split("::")[2]?.split("$").at(-1) ?? "";
  return `${nameInUrn(urn)} (${type})`;
}
