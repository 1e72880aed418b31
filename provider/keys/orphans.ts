import type { ApiKeyRecord } from "../api/records";
import { isAborted, messageOf } from "../errors";
import { getOrCreate } from "../get-or-create";
import { textOf } from "../members";
import { type Run, updatedSince } from "../stack/history";
import type { Unread } from "../stack/stack";
import type { PendingCreation, StackFacts } from "../stack/stack-facts";
import { counted } from "../text";
import type { Call } from "./call";
import { firstList, type KeyList } from "./key-list";
import { formatListed, keysBySuffix, suffixIn, tagIn, tagOf } from "./naming";
import { decideOrphan, type OrphanFacts, proofOf, REASONS, UNDER_WAY_MS, type Why } from "./orphan-decision";
import { isWord, sameScope, scopedCommand } from "./scope";

/** Maximum number of keys in a report. The command shows all. */
const MAX_REPORTED = 10;

/**
 * Revokes the orphans in a list: the keys that interrupted runs of this stack have created and that nobody got. A refresh only
 * reports them. All calls of a process share one pass over the list, which costs no request of its own. The state is asked for
 * only if a key of this stack is unexplained. Returns, to the call that began the pass, the ids that could not be revoked.
 * Never throws, because it must not lose the work beside it.
 */
export async function revokeOrphans(call: Call): Promise<readonly string[]> {
  const { memory } = call.keyList;
  const aim = call.verb === "read" ? "report" : "revoke";
  try {
    const keys = await firstList(call);
    const isAsker = !memory.passes.has(aim);
    const live = getOrCreate(memory.passes, aim, () => passOver(keys, call));
    const ids = await live;
    return isAsker ? ids : [];
  } catch (error) {
    // Without the list, the call itself fails, or says what it could not find out.
    if (memory.first !== undefined && !isAborted(error)) {
      call.log.warn(`could not look for orphans of interrupted runs. The next run tries again: ${messageOf(error)}`);
    }
    return [];
  }
}

/** Does the work of a call beside the pass over the list, and ends with both. */
export async function besideOrphans<Done>(call: Call, work: () => Promise<Done>): Promise<Done> {
  const pass = revokeOrphans(call);
  try {
    return await work();
  } finally {
    await pass;
  }
}

/** What the pass knows beside the list. */
interface Known {
  readonly state: StackFacts | Unread;
  readonly runs: readonly Run[] | Unread | undefined;
}

async function passOver(keys: readonly ApiKeyRecord[], call: Call): Promise<readonly string[]> {
  const unexplained = unexplainedIn(keys, call);
  if (unexplained.length === 0) return [];
  const state = await call.stack.state(call);
  const open = ofStack(unexplained, state);
  const known = { state, runs: await historyFor(open, state, call) };
  const candidates = [...open, ...exactNamesIn(keys, known, call)];
  const found = candidates.map((key) => ({ key, decided: decideOrphan(factsOf(key, known, call)) }));
  const toRevoke = found.flatMap(({ key, decided }) => (decided.decision === "revoke" ? [key] : []));
  const isRefresh = call.verb === "read";
  const reported = found.flatMap(({ key, decided }) =>
    decided.decision === "report" ? [{ key, why: reasonOf(decided.why, known) }] : [],
  );
  const next = isRefresh
    ? toRevoke.map((key) => ({ key, why: "an interrupted run created it, and nobody got it" }))
    : [];
  report([...next, ...reported], { isRevokedNext: next.length > 0, isRead: !("unread" in known.state) }, call);
  if (isRefresh) return [];
  const live = await Promise.all(toRevoke.map((key) => revokeOrphan(key, call)));
  return live.flat();
}

/** The keys with generated names of this stack that nothing in this process explains. */
function unexplainedIn(keys: readonly ApiKeyRecord[], call: Call): readonly ApiKeyRecord[] {
  const tag = tagOf(call.urn);
  const ours = [...keysBySuffix(keys)].filter(([suffix]) => tagIn(suffix) === tag || call.stack.hasShownSuffix(suffix));
  return ours.flatMap(([, same]) => same).filter((key) => isUnexplained(key, call));
}

/** Those of the keys that are of the state's stack: the URN of a call can be from before a rename or a move. */
function ofStack(keys: readonly ApiKeyRecord[], state: Known["state"]): readonly ApiKeyRecord[] {
  if ("unread" in state || state.urn === undefined) return keys;
  const tag = tagOf(state.urn);
  return keys.filter((key) => tagIn(suffixIn(key.name) ?? "") === tag || originOf(key, state).proof !== "none");
}

/** The keys with the exact names of interrupted creations that nothing in this process explains. */
function exactNamesIn(keys: readonly ApiKeyRecord[], { state }: Known, call: Call): readonly ApiKeyRecord[] {
  if ("unread" in state) return [];
  // A creation of this run says itself that its name is taken.
  const isOver = ({ urn, inputs }: PendingCreation) =>
    !call.stack.hasShownUrn(urn) && sameScope(inputs, call.keyList.scope);
  const names = new Set(
    state.pendingCreations.flatMap((each) => (isOver(each) ? (textOf(each.inputs.name) ?? []) : [])),
  );
  return keys.filter((key) => names.has(key.name) && isUnexplained(key, call));
}

/** Whether this process has neither made a key, nor revoked it, nor was shown a resource that has it. */
function isUnexplained(key: ApiKeyRecord, { keyList }: Call): boolean {
  return !keyList.memory.has(key) && !keyList.keys.hasRevoked(key.id);
}

/** Asks for the history if the decision about a key needs it. */
async function historyFor(open: readonly ApiKeyRecord[], state: Known["state"], call: Call): Promise<Known["runs"]> {
  if ("unread" in state) return undefined;
  const isOpen = (key: ApiKeyRecord) =>
    key.lastUsedAt === null &&
    state.holds(key) === "no" &&
    (state.isFromBefore || originOf(key, state).proof === "next attempt");
  return open.some(isOpen) ? call.stack.history(call) : undefined;
}

function factsOf(key: ApiKeyRecord, { state, runs }: Known, { keyList }: Call): OrphanFacts {
  const isUsed = key.lastUsedAt !== null;
  if ("unread" in state) {
    const isUnderWay = isSince(key, startedAt(keyList)) ? "yes" : "unknown";
    return { isUsed, isHeld: "unknown", isUnderWay, proof: "none", isUpdatedSince: "unknown" };
  }
  const origin = originOf(key, state);
  const { skewMs } = keyList.account;
  const read = runs === undefined || "unread" in runs ? [] : runs;
  return {
    isUsed,
    isHeld: state.holds(key),
    isUnderWay: underWay(key, origin, { state, runs: read }, keyList),
    proof: origin.proof,
    isUpdatedSince: updatedSince(read, Date.parse(key.createdAt), skewMs),
  };
}

/** Whether another process of the run may be about to save a key. */
function underWay(
  key: ApiKeyRecord,
  { proof, process }: Origin,
  { state, runs }: { readonly state: StackFacts; readonly runs: readonly Run[] },
  keyList: KeyList,
): OrphanFacts["isUnderWay"] {
  const { skewMs = 0 } = keyList.account;
  // Only this process creates keys of the resources that it updates, and none before it has the list.
  if (proof === "next attempt" && process === "own") return "no";
  // Either this machine's clock or the service's can be that of the history, so the earlier reading counts.
  const runBegan = runs[0]?.isInProgress ? runs[0].began + Math.min(0, skewMs) : undefined;
  if (isSince(key, Math.min(startedAt(keyList), runBegan ?? Number.POSITIVE_INFINITY))) return "yes";
  // A state from before the run has only creations of earlier runs.
  if (process === "own" || (state.isFromBefore && runBegan !== undefined)) return "no";
  return isSince(key, keyList.account.serviceNow() - UNDER_WAY_MS) ? "yes" : "unknown";
}

/** What in the state shows that an interrupted run requested a key, and whose process that was. */
type Origin = Pick<OrphanFacts, "proof"> & Pick<PendingCreation, "process">;

function originOf({ name }: ApiKeyRecord, state: StackFacts): Origin {
  const suffix = suffixIn(name) ?? "";
  const creation = state.pendingCreations.find((each) => each.suffix === suffix || each.inputs.name === name);
  const owner = state.resourceWith(suffix);
  const proof = proofOf(name, { creation: creation?.suffix, attempts: owner?.attempts });
  return { proof, process: (proof === "none" ? undefined : (creation ?? owner)?.process) ?? "own" };
}

/** A key, and why it is reported. */
interface Reported {
  readonly key: ApiKeyRecord;
  readonly why: string;
}

function reasonOf(why: Why, { state, runs }: Known): string {
  const unread = "unread" in state ? state : runs !== undefined && "unread" in runs ? runs : undefined;
  if (why === "no state" && unread !== state) return "the state encrypts the ids of its keys";
  return unread !== undefined && (why === "no state" || why === "no history")
    ? `${REASONS[why]}: ${unread.unread}`
    : REASONS[why];
}

/**
 * Reports keys once, in one message. Where the state could not be read, resources can have them, so the command is one that
 * reads it.
 */
function report(
  found: readonly Reported[],
  { isRevokedNext, isRead }: { readonly isRevokedNext: boolean; readonly isRead: boolean },
  { keyList, log, stack, urn }: Call,
): void {
  const { reported } = keyList.memory;
  const open = found.filter(({ key }) => !reported.has(key.id));
  if (open.length === 0) return;
  const byReason = new Map<string, string[]>();
  for (const { key, why } of open.slice(0, MAX_REPORTED)) getOrCreate(byReason, why, () => []).push(formatListed(key));
  for (const { key } of open) reported.add(key.id);
  const ids = open.map(({ key }) => key.id);
  const reasons = [...byReason].map(([why, shown]) => `key ${shown.join(", key ")}: ${why}`);
  if (ids.length > MAX_REPORTED) reasons.push(`and ${ids.slice(MAX_REPORTED).join(", ")}`);
  const name = stack.nameFor(urn);
  const next = isRevokedNext ? "The next `pulumi up` or `destroy` that changes a key revokes what nobody got. " : "";
  const way = isRead
    ? `Another stack may have ${ids.length === 1 ? "it" : "them"}: one of the same name in another backend, one that was renamed, or one ` +
      "to which a resource was moved. If none has, run " +
      `\`${scopedCommand(["revoke", ...ids], keyList.scope)}\``
    : `To see which of them nobody has, run \`${scopedCommand(["sweep", "--stack", isWord(name) ? name : "NAME"], keyList.scope)}\``;
  log.warn(
    `${counted(ids.length, "key")} of stack ${name} may be orphaned, and stay${ids.length === 1 ? "s" : ""} live: ${reasons.join("; ")}. ${next}${way}`,
  );
}

/** Revokes an orphan. Returns its id if it could not be revoked. */
async function revokeOrphan(key: ApiKeyRecord, { keyList, log }: Call): Promise<readonly string[]> {
  const shown = `key ${formatListed(key)}, which an interrupted run created and nobody got`;
  try {
    log.progress(`revoking orphan ${key.id}`);
    if ((await keyList.keys.revoke(key.id)) === "revoked") log.info(`revoked ${shown}`);
    return [];
  } catch (error) {
    if (isAborted(error)) throw error;
    const command = scopedCommand(["revoke", key.id], keyList.scope);
    log.warn(`could not revoke ${shown}. Run \`${command}\`, or run the command again: ${messageOf(error)}`);
    return [key.id];
  }
}

/** Whether a key was created at a time or later, in milliseconds by the service's clock. A list has whole seconds. */
function isSince({ createdAt }: ApiKeyRecord, time: number): boolean {
  return !(Date.parse(createdAt) < Math.floor(time / 1_000) * 1_000);
}

/** When this process was started, by the service's clock. */
function startedAt({ account }: KeyList): number {
  return performance.timeOrigin + (account.skewMs ?? 0);
}
