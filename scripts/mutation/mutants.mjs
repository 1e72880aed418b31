// The protections, one by one: each is taken out by a small change of one source, and the tests whose names begin with
// `by` in the given files must notice: any test of theirs where there is no `by`.

const inFile = (file, mutants) => mutants.map((mutant) => ({ file, ...mutant }));
const http = (name) => `test/unit/http/${name}.test.ts`;
const api = (name) => `test/unit/api/${name}.test.ts`;
const cli = (name) => `test/unit/cli/${name}.test.ts`;
const plane = (name) => `test/unit/control-plane/${name}.test.ts`;
const resources = (name) => `test/unit/resources/${name}.test.ts`;

const retry = [
  ...inFile("provider/http/backoff.ts", [
    {
      name: "a POST is not repeated after a lost answer",
      find: 'replay === "safe" &&',
      replace: "",
      test: resources("lost-answers"),
      by: "C4",
    },
    {
      name: "the service's Retry-After is a minimum",
      find: "Math.max(own, state.retryAfterMs ?? 0)",
      replace: "own",
      test: http("decisions"),
    },
    {
      name: "no pause ends after the deadline",
      find: "delay < state.remainingMs ? delay : undefined",
      replace: "delay",
      test: http("decisions"),
    },
    {
      name: "attempts are limited",
      find: "if (state.attempt >= limit) return undefined;",
      replace: "",
      test: http("decisions"),
    },
    {
      name: "pauses are jittered",
      find: "return random * Math.min",
      replace: "return Math.min",
      test: http("decisions"),
    },
    { name: "pauses are capped", find: "Math.min(CAP_MS, ", replace: "Math.max(1, ", test: http("decisions") },
    {
      name: "a service at work that refuses is asked for longer, whatever the request",
      find: " || status === 429 || status === 423",
      replace: "",
      test: http("decisions"),
    },
  ]),
  ...inFile("provider/http/classify.ts", [
    {
      name: "423, 429 and 503 say that nothing was done",
      find: "new Set([423, 429, 503])",
      replace: "new Set()",
      test: resources("lost-answers"),
      by: "C12",
    },
    {
      name: "a success counts only when it is complete and JSON",
      find: 'outcome.complete && isJsonType(outcome.contentType) ? "ok" : "ambiguous"',
      replace: '"ok"',
      test: http("decisions"),
    },
    {
      name: "a 408 does not prove that nothing was done",
      find: "status === 303 || status === 408",
      replace: "status === 303",
      test: resources("lost-answers"),
      by: "C4",
    },
    {
      name: "a failure after sending proves nothing",
      find: 'if (outcome.sent) return "ambiguous";',
      replace: "",
      test: resources("lost-answers"),
      by: "C4",
    },
    {
      name: "a 4xx is final",
      find: 'return status >= 300 && status < 500 ? "refused" : "ambiguous";',
      replace: 'return "ambiguous";',
      test: resources("lost-answers"),
      by: "C2",
    },
  ]),
  ...inFile("provider/http/sent.ts", [
    {
      name: "it is noted that a request was sent",
      find: "  mark.sent = true;\n",
      replace: "",
      test: resources("lost-answers"),
      by: "C4",
    },
  ]),
  ...inFile("provider/http/retry-budget.ts", [
    {
      name: "all calls share one budget of repeats",
      find: "if (this.#tokens < cost) return undefined;",
      replace: "",
      test: http("decisions"),
    },
  ]),
  ...inFile("provider/http/client.ts", [
    {
      name: "nothing is sent after the end",
      find: "this.#abort.abort(reason);",
      replace: "",
      test: resources("readiness"),
      by: "W6",
    },
    {
      name: "secrets are taken out of every error",
      find: "error.message = message;",
      replace: "",
      test: http("client"),
    },
  ]),
];

const limits = [
  ...inFile("provider/http/limiter.ts", [
    {
      name: "the rates of the service are kept",
      find: "this.#ratesApply ? Math.max(pace.next(now), this.#total.next(now)) : now",
      replace: "now",
      test: http("limits"),
    },
    {
      name: "all requests together are held to the rate per minute",
      find: "Math.max(pace.next(now), this.#total.next(now))",
      replace: "pace.next(now)",
      test: http("limits"),
    },
    {
      name: "a route that is refused goes slower",
      find: "if (this.#ratesApply) pace.throttled(startedAt, now);",
      replace: "",
      test: http("limits"),
    },
    {
      name: "rates that nobody knew of are kept once the service shows them",
      find: "this.#ratesApply ||= this.#refused > 0.5;",
      replace: "",
      test: http("limits"),
    },
  ]),
  ...inFile("provider/http/adaptive-limit.ts", [
    {
      name: "a volley of refusals counts once",
      find: "if (startedAt < this.#loweredAt) return;",
      replace: "",
      test: http("limits"),
    },
  ]),
];

const settle = [
  ...inFile("provider/resources/mint-key.ts", [
    {
      name: "an orphan that cannot be revoked is recorded",
      find: "if (orphan === undefined) return error;",
      replace: "return error;",
      test: resources("lost-answers"),
      by: "C7",
    },
    {
      name: "orphans of earlier attempts are kept beside the key",
      find: "pendingRevocations: left.orphans.map((orphan) => orphan.id) };",
      replace: "pendingRevocations: [] };",
      test: resources("lost-answers"),
      by: "C7",
    },
    {
      name: "a name that did not show up is kept",
      find: "if (!settled.found) left.lostNames.push(name);",
      replace: "",
      test: resources("lost-answers"),
      by: "C4",
    },
    {
      name: "no more than three names are tried",
      find: "attempt >= MAX_NAMES ||",
      replace: "attempt >= 5 ||",
      test: resources("lost-answers"),
      by: "C4",
    },
    {
      name: "every request has a name of its own",
      find: "for (let attempt = 1; ; attempt++) {\n    const name = isExact ? naming.exactName : autoName(naming.prefix, naming.owner);",
      replace:
        "const name = isExact ? naming.exactName : autoName(naming.prefix, naming.owner);\n  for (let attempt = 1; ; attempt++) {",
      test: resources("lost-answers"),
      by: "C4",
    },
    {
      name: "a taken exact name is a stranger's, unless a lost request explains it",
      find: "mayBeOurs(error, isExact && left.lostNames.length === 0)",
      replace: "mayBeOurs(error, false)",
      test: resources("exact-name"),
      by: "C11",
    },
    {
      name: "a key older than the request is a stranger's",
      find: "account.serviceNow() - CREATED_AT_TOLERANCE_MS : Number.NEGATIVE_INFINITY",
      replace: "Number.NEGATIVE_INFINITY : Number.NEGATIVE_INFINITY",
      test: resources("exact-name"),
      by: "C4",
    },
    {
      name: "a taken auto-name is settled",
      find: '(isApiError(error) && error.kind === "conflict" && !takenByOthers)',
      replace: "false",
      test: resources("lost-answers"),
      by: "C11",
    },
  ]),
  ...inFile("provider/resources/settle-lost.ts", [
    {
      name: "a lost key is looked for",
      find: "knownId ?? (await findOrphan(unsettled, context))",
      replace: "knownId",
      test: resources("lost-answers"),
      by: "C4",
    },
    {
      name: "a lost key is looked for until the request is surely over",
      find: "if (waited >= context.settings().requestTimeoutMs) break;",
      replace: "break;",
      test: resources("lost-answers"),
      by: "C5",
    },
    {
      name: "a used key is never taken for an orphan",
      find: "key.lastUsedAt === null &&",
      replace: "",
      test: resources("exact-name"),
      by: "C4",
    },
    {
      name: "without the list nothing more is sent",
      find: "    throw new KeyplaneError(\n",
      replace: "    return undefined;\n    throw new KeyplaneError(\n",
      test: resources("lost-answers"),
      by: "C13",
    },
    {
      name: "an orphan is revoked",
      find: "        await context.keys().revoke(orphan);\n",
      replace: "",
      test: resources("lost-answers"),
      by: "C4",
    },
    {
      name: "a complete refusal is final",
      find: "if (!isAnswerLost(lost)) throw lost;",
      replace: "",
      test: resources("lost-answers"),
      by: "C11",
    },
  ]),
  ...inFile("provider/resources/clear-name.ts", [
    {
      name: "an exact name that is taken stops the creation",
      find: "if (taken !== undefined) {",
      replace: "if (false) {",
      test: resources("exact-name"),
      by: "C11",
    },
    {
      name: "a used key in the way is never revoked",
      find: "inTheWay.filter((found) => found.lastUsedAt === null)",
      replace: "inTheWay",
      test: resources("exact-name"),
      by: "C11",
    },
  ]),
  ...inFile("provider/api/read-created-key.ts", [
    {
      name: "a broken answer's id is ours only under our name",
      find: 'reader.field(body, "name") === context.name ? id : undefined',
      replace: "id",
      test: resources("lost-answers"),
      by: "C6",
    },
    {
      name: "a key that no header can carry is not delivered",
      find: " || !/^[\\x21-\\x7e]+$/.test(key)",
      replace: "",
      test: resources("lost-answers"),
      by: "C6",
    },
  ]),
  ...inFile("provider/api/ids.ts", [
    {
      name: "an id is exact or none",
      find: "Number.isSafeInteger(value) && (value as number) > 0",
      replace: "value !== undefined",
      test: resources("lost-answers"),
      by: "C6",
    },
  ]),
];

const ledger = [
  ...inFile("provider/resources/orphans.ts", [
    {
      name: "the sweep revokes only keys with the owner's tag",
      find: "tagOf(key.name) === tag && ",
      replace: "",
      test: resources("ledger"),
      by: "C14",
    },
    {
      name: "the sweep revokes nothing that the stack holds or held",
      find: " && !held.has(key.id)",
      replace: "",
      test: resources("ledger"),
      by: "leaves what",
    },
    {
      name: "the sweep revokes nothing that was used",
      find: "unused: unexplained.filter((key) => key.lastUsedAt === null)",
      replace: "unused: unexplained",
      test: resources("ledger"),
      by: "C14",
    },
    {
      name: "a used key that nobody holds is reported",
      find: "for (const key of used) {",
      replace: "for (const key of []) {",
      test: resources("ledger"),
      by: "C14",
    },
    {
      name: "the sweep only reports where states come late",
      find: "if (context.checkpointsSkipped) {",
      replace: "if (false) {",
      test: resources("ledger"),
      by: "C10",
    },
    {
      name: "an orphan that cannot be revoked is kept",
      find: "left.push(key.id);",
      replace: "",
      test: resources("ledger"),
      by: "C7",
    },
    {
      name: "orphans are revoked",
      find: "      await context.keys().revoke(key.id);\n",
      replace: "",
      test: resources("ledger"),
      by: "C9",
    },
  ]),
  ...inFile("provider/resources/owner.ts", [
    {
      name: "an owner that a running program replaces leaves its keys",
      find: "if (context.run.hasProgram) return;",
      replace: "",
      test: resources("ledger"),
      by: "D9",
    },
    {
      name: "a destroy that has left keys behind fails",
      find: "if (left.length > 0) {",
      replace: "if (left.length < 0) {",
      test: resources("ledger"),
      by: "D9",
    },
    {
      name: "a destroy tells of lost requests that may still be carried out",
      find: "warnOfLostNames(keys, id, context);",
      replace: "",
      test: resources("ledger"),
      by: "C5",
    },
  ]),
  ...inFile("provider/resources/ledger.ts", [
    {
      name: "what was ever delivered is remembered",
      find: "...textsOf(before.delivered), ...textsOf(before.owned), ...textsOf(inputs.owned)",
      replace: "...textsOf(inputs.owned)",
      test: resources("ledger"),
      by: "leaves what",
    },
    {
      name: "a sweep that could not look is due again",
      find: "delivered: before.delivered, unswept: true });",
      replace: "delivered: before.delivered });",
      test: resources("ledger"),
      by: "C13",
    },
    {
      name: "a sweep that could not look forgets nothing",
      find: "delivered: before.delivered, unswept",
      replace: "unswept",
      test: resources("ledger"),
      by: "C13",
    },
    {
      name: "a refresh flags what is left behind",
      find: "orphans: findings.orphans.unused.map((key) => key.id) });",
      replace: "});",
      test: resources("ledger"),
      by: "C5",
    },
    {
      name: "a sweep never fails a run",
      find: "    const why = messageOf(error);\n",
      replace: "    throw error;\n",
      test: resources("ledger"),
      by: "C13",
    },
    {
      name: "what could not be revoked is tried again",
      find: 'if (outputs.unrevoked !== undefined) due.push({ field: "unrevoked", replace: false });',
      replace: "",
      test: resources("ledger"),
      by: "notes what it could not revoke",
    },
    {
      name: "what the last run could not revoke is not forgotten",
      find: "left: textsOf(before.unrevoked) };",
      replace: "left: [] };",
      test: resources("ledger"),
      by: "notes what it could not revoke",
    },
    {
      name: "a run that only revokes does not sweep",
      find: "revokes && !needsSweep(outputs, inputs) ?",
      replace: "false ?",
      test: resources("ledger"),
      by: "revokes what its keys want gone",
    },
    {
      name: "a run that revokes sweeps, too, where a key was made",
      find: "revokes && !needsSweep(outputs, inputs) ?",
      replace: "revokes ?",
      test: resources("ledger"),
    },
  ]),
];

const deletes = [
  ...inFile("provider/resources/revoke-key.ts", [
    {
      name: "keyplane's own credential is not revoked",
      find: "refuseOwnCredential(id, outputs.key, account);",
      replace: "",
      test: resources("deletes"),
      by: "D7",
    },
    {
      name: "absence counts only where the key was made",
      find: "if (tag !== undefined && keys.some((key) => tagOf(key.name) === tag)) return;",
      replace: "return;",
      test: resources("deletes"),
      by: "D8",
    },
    {
      name: "a witness is a key of the same stack",
      find: "keys.some((key) => tagOf(key.name) === tag)",
      replace: "true",
      test: resources("deletes"),
      by: "D8",
    },
    {
      name: "under another credential an id alone proves nothing",
      find: "if (found !== undefined && typeof name",
      replace: "if (false && typeof name",
      test: resources("deletes"),
      by: "D8",
    },
    {
      name: "a young key is looked for twice",
      find: "if (found === undefined && context.now() - Date.parse(String(outputs.createdAt)) < LISTED_WITHIN_MS) {",
      replace: "if (false) {",
      test: resources("reads"),
      by: "R4",
    },
    {
      name: "a copied state's keys are not its own",
      find: "maker !== undefined && maker !== ownerTag(owner)",
      replace: "false",
      test: resources("deletes"),
      by: "C14",
    },
  ]),
  ...inFile("provider/resources/api-key.ts", [
    {
      name: "a copied state does not revoke the original's orphans",
      find: "isCopy ? [] : ",
      replace: "",
      test: resources("deletes"),
      by: "C14",
    },
  ]),
  ...inFile("provider/api/check-revoked.ts", [
    {
      name: "a revocation is confirmed for this very key",
      find: "keyIdOf(answeredId) === id && ",
      replace: "",
      test: resources("deletes"),
      by: "D4",
    },
    {
      name: "a revocation is confirmed",
      find: "if (keyIdOf(answeredId) === id && revoked === true) return;",
      replace: "if (keyIdOf(answeredId) === id) return;",
      test: resources("deletes"),
      by: "D4",
    },
  ]),
  ...inFile("provider/api/api-keys.ts", [
    {
      name: "a key that is still listed is not revoked",
      find: "if (keys.some((each) => each.id === id)) throw trouble;",
      replace: "",
      test: resources("deletes"),
      by: "D3",
    },
    {
      name: "a list is not shared across this process's own changes",
      find: "throw nameConflict(error) ?? error;\n    } finally {\n      this.#list.wrote();",
      replace: "throw nameConflict(error) ?? error;\n    } finally {",
      test: resources("reads"),
      by: "R6",
    },
  ]),
  ...inFile("provider/api/shared-read.ts", [
    {
      name: "a list under way is shared only by those who came before it",
      find: "if (!fresh && running.sentAt > this.#lastWrite) return running;",
      replace: "return running;",
      test: resources("reads"),
      by: "R6",
    },
    {
      name: "a finished list is shared only until the next change",
      find: "finished !== undefined && finished.sentAt > this.#lastWrite",
      replace: "finished !== undefined",
      test: resources("reads"),
      by: "R",
    },
  ]),
  ...inFile("provider/api/read-keys.ts", [
    {
      name: "an empty list is a contradiction",
      find: "if (items.length === 0) reader.fail",
      replace: "if (items.length === 0) return [];\n  if (false) reader.fail",
      test: resources("reads"),
      by: "R3",
    },
    {
      name: "a list with an id twice is refused",
      find: "if (ids.has(key.id)) reader.fail(",
      replace: "if (false) reader.fail(",
      test: resources("reads"),
      by: "R2",
    },
  ]),
];

const waits = [
  ...inFile("provider/resources/pending.ts", [
    {
      name: "what was handed to nobody is not kept",
      find: "action === VERIFY.action && status === undefined",
      replace: "action !== status",
      test: resources("readiness"),
      by: "W4",
    },
    {
      name: "a failed operation is remembered",
      find: '{ ...work, status: "failed" as const }',
      replace: "work",
      test: resources("readiness"),
      by: "W4",
    },
    {
      name: "what is pending asks for an update",
      find: "if (pending.length === 0) return [];",
      replace: "return [];",
      test: resources("readiness"),
      by: "W5",
    },
  ]),
  ...inFile("provider/resources/api-key.ts", [
    {
      name: "projects are waited for before the POST",
      find: "    await waitForProjects(inputs, context);\n",
      replace: "",
      test: resources("readiness"),
      by: "W5",
    },
  ]),
  ...inFile("provider/api/statuses.ts", [
    {
      name: "an unknown status has not ended",
      find: '?? "pending"',
      replace: '?? "success"',
      test: resources("readiness"),
      by: "W3",
    },
    {
      name: "a failed operation is a failure",
      find: '["failed", "failure"]',
      replace: '["failed", "success"]',
      test: resources("readiness"),
      by: "W4",
    },
  ]),
  ...inFile("provider/api/operations-wait.ts", [
    {
      name: "an operation may be unknown at first",
      find: "if (misses < MAX_MISSES) return;",
      replace: "",
      test: api("waits"),
      by: "W1",
    },
  ]),
  ...inFile("provider/api/wait.ts", [
    {
      name: "an unknown status is warned of once",
      find: "this.#unknown.add(status);",
      replace: "",
      test: resources("readiness"),
      by: "W3",
    },
    {
      name: "a wait ends with its signal",
      find: "if (signal !== undefined) this.#cleanup.push(onAbort(signal, () => this.#abort()));",
      replace: "",
      test: api("waits"),
      by: "W6",
    },
  ]),
  ...inFile("provider/api/project-poller.ts", [
    {
      name: "a wait ends with its deadline",
      find: "if (each.deadline <= now) each.expire();",
      replace: ";",
      test: resources("readiness"),
      by: "W5",
    },
    {
      name: "polls may fail for a time",
      find: "const MAX_FAILED_POLLS = 20;",
      replace: "const MAX_FAILED_POLLS = 1;",
      test: resources("readiness"),
      by: "W2",
    },
  ]),
];

const rotating = ["rotation", "rotation-compromise", "rotation-readiness", "rotation-requests", "rotation-order"].map(
  resources,
);

const rotation = [
  ...inFile("provider/resources/rotation/rotation-plan.ts", [
    {
      name: "the previous key stays while the current one is not ready",
      find: " || state.currentGone || state.pending.length > 0) {",
      replace: ") {",
    },
    {
      name: "the previous key has its grace",
      find: "if (at === undefined || now < at) return undefined;",
      replace: "",
    },
    {
      name: "no third key is made while the previous one lives",
      find: "if (reason !== undefined && (reason.urgent || !inTheWay)) {",
      replace: "if (reason !== undefined) {",
    },
    {
      name: "a compromised key is marked as such",
      find: "compromised: true };",
      replace: "compromised: false };",
    },
  ]),
  ...inFile("provider/resources/rotating-api-key.ts", [
    {
      name: "an update waits for the previous key before it rotates",
      find: "(reason.urgent || state.previous === undefined)",
      replace: "true",
    },
    {
      name: "a resource with one key left is not gone",
      find: "if (currentFound === undefined && previousFound === undefined) {",
      replace: "if (currentFound === undefined) {",
    },
    {
      name: "what is left is revoked only once its successor is ready",
      find: "if (state.current === undefined || state.currentGone || state.pending.length > 0) return state;",
      replace: "",
    },
  ]),
  ...inFile("provider/resources/rotation/retire-key.ts", [
    {
      name: "a key in use is not retired",
      find: "if (Number.isNaN(lastUsed) || lastUsed + quiet <= account.serviceNow()) return undefined;",
      replace: "return undefined;",
    },
    {
      name: "even a key in use goes at the end of the overlap",
      find: "  if (context.now() >= end) {\n",
      replace: "  if (false) {\n",
    },
    {
      name: "keyplane's own credential is not retired",
      find: "  if (ownSetting !== undefined) {",
      replace: "if (false) {",
    },
    {
      name: "a copied state does not retire the original's key",
      find: "if (isForeign(makerOf(state, previous, inputs.owner))) {",
      replace: "if (false) {",
    },
    {
      name: "a key that may be in another account does not fail the run",
      find: "if (byForce || isAborted(error)) throw error;",
      replace: "throw error;",
    },
    {
      name: "the service's clock has to agree that the grace is over",
      find: "if (account.serviceNow() < (retireTime(state, inputs) ?? 0)) {",
      replace: "if (false) {",
    },
  ]),
  ...inFile("provider/resources/rotation/rotate-key.ts", [
    {
      name: "the old key lives on as the previous one",
      find: "if (!reason.compromised) return { ...state, previous: old };",
      replace: "if (!reason.compromised) return state;",
    },
    {
      name: "keyplane's own credential is rotated only when told so",
      find: "    throw refuseSelfRotation(old, ownSetting);\n",
      replace: "",
    },
    {
      name: "no key is made in a stranger's account",
      find: "    await mustBeSameAccount(old.keyId, { ...old, owner: inputs.owner, credential, createdAt }, context);\n",
      replace: "",
    },
    {
      name: "a key that never became ready goes before the next is made",
      find: "await withoutBroken(request.state, context)",
      replace: "request.state",
    },
    {
      name: "what a new key's making has left behind is recorded",
      find: "[...state.pendingRevocations, ...made.pendingRevocations]",
      replace: "state.pendingRevocations",
    },
    {
      name: "a rotation that made nothing changes nothing",
      find: "if (sameKeys(failed, saved)) throw made.failure;",
      replace: "",
    },
    {
      name: "times only go forward",
      find: "Math.max(context.now(), Date.parse(createdAt) || 0)",
      replace: "context.now()",
    },
  ]),
].map((mutant) => ({ test: rotating, ...mutant }));

const adoption = [
  ...inFile("provider/resources/rotation/adopt-key.ts", [
    {
      name: "keyplane's own credential is not adopted",
      find: "if (ownSetting !== undefined) throw ownCredential(adopt, ownSetting);",
      replace: "",
    },
    {
      name: "a key that another resource holds is not adopted",
      find: "if (context.run.holders.has(adopt.id)) {",
      replace: "if (false) {",
    },
    {
      name: "a key of the stack's own making is not adopted",
      find: "if (tagOf(name) === ownerTag(owner)) {",
      replace: "if (false) {",
    },
    {
      name: "a secret that is not accepted is not adopted",
      find: "if (seen === undefined) throw notAccepted(id);",
      replace: "seen ??= [];",
    },
    {
      name: "a secret is not taken for that of another key",
      find: "if (!last.includes(id)) throw",
      replace: "if (false) throw",
    },
    {
      name: "a key used in the same second is looked at again",
      find: "if (last.length === 1) return record;",
      replace: "return record;",
    },
    {
      name: "a key that is not live is not adopted",
      find: "if (record !== undefined) return record;",
      replace: "return record;",
    },
    { name: "an adopting run holds its key", find: "context.run.holders.set(adopt.id, new Set([id]));", replace: "" },
    {
      name: "an adopted key is known as the adopting stack's",
      find: "const adopted = { id: adopt.id, by: ownerTag(owner) };",
      replace: "const adopted = undefined;",
    },
  ]),
  ...inFile("provider/resources/rotation/adoption.ts", [
    { name: "two resources do not adopt one key", find: "if (other === urn) return [];", replace: "return [];" },
    {
      name: "a resource that exists adopts no other key",
      find: "if (adopt.id !== state.adopted?.id && !heldBy(state).includes(adopt.id)) {",
      replace: "if (false) {",
    },
    {
      name: "a resource that moves does not adopt its key again",
      find: "if (!samePlace(outputs, inputs) || outputs.projectId !== inputs.projectId) {",
      replace: "if (false) {",
    },
  ]),
  ...inFile("provider/resources/holders.ts", [
    {
      name: "a key that a successor holds is not revoked with the old resource",
      find: "if (others.length === 0) return false;",
      replace: "return false;",
    },
  ]),
  ...inFile("provider/resources/rotation/rotation-outputs.ts", [
    { name: "an adopted secret is in the state once", find: "adopt: undefined,", replace: "" },
  ]),
].map((mutant) => ({ test: resources("adopt"), ...mutant }));

const outside = [
  ...inFile("provider/http/text.ts", [
    {
      name: "escape sequences are taken out of text from outside",
      find: 'text.replace(SEQUENCES, "")',
      replace: "text",
      test: http("text"),
    },
    {
      name: "control and direction characters are taken out of text from outside",
      find: '.replace(SEQUENCES, "").replace(UNPRINTABLE, " ")',
      replace: '.replace(SEQUENCES, "")',
      test: http("text"),
    },
    { name: "JSON escapes unprintable characters", find: "/[^\\n]/g", replace: "/[^\\s\\S]/g", test: http("text") },
  ]),
  ...inFile("provider/http/connections.ts", [
    {
      name: "a proxy that is no URL is not repeated",
      find: "url === undefined || !/^",
      replace: "url !== undefined && !/^",
      test: http("connections"),
    },
    {
      name: "a proxy's broken encoding is told by the name of its variable",
      find: " || !canDecode(url.username + url.password)",
      replace: "",
      test: http("connections"),
    },
  ]),
  ...inFile("provider/api/read-keys.ts", [
    {
      name: "a creator's name is cleaned",
      find: "told === undefined ? undefined : reader.clean(told)",
      replace: "told",
      test: api("keys-list"),
    },
  ]),
  ...inFile("provider/api/collected.ts", [
    {
      name: "the pages of a list are limited together",
      find: "if (this.#characters > MAX_CHARACTERS) throw",
      replace: "if (false) throw",
      test: api("collected"),
    },
    {
      name: "long texts count in the limit of a list",
      find: "size += each.length",
      replace: "size += 0",
      test: api("collected"),
    },
  ]),
  ...inFile("provider/api/projects.ts", [
    {
      name: "a page of any length is added",
      find: "for (const each of collected.take(page.items)) projects.push(each);",
      replace: "projects.push(...collected.take(page.items));",
      test: api("collected"),
    },
  ]),
  ...inFile("cli/terminal.ts", [
    {
      name: "every printed line is printable",
      find: "shortened(printable(withoutSecrets(text).slice(0, 2 * MAX_PART)), MAX_PART)",
      replace: "shortened(withoutSecrets(text).slice(0, 2 * MAX_PART), MAX_PART)",
    },
    {
      name: "every printed line has a limited length",
      find: "shortened(printable(withoutSecrets(text).slice(0, 2 * MAX_PART)), MAX_PART)",
      replace: "printable(withoutSecrets(text))",
    },
    {
      name: "no printed line holds a configured credential",
      find: "shortened(printable(withoutSecrets(text)",
      replace: "shortened(printable((text)",
    },
    {
      name: "printed JSON holds no configured credential",
      find: "printableJson(withoutSecrets(JSON.stringify(value, null, 2)))",
      replace: "printableJson(JSON.stringify(value, null, 2))",
    },
  ]),
  ...inFile("cli/table.ts", [
    { name: "a cell is cleaned", find: "plain(column.text(row))", replace: "column.text(row)" },
  ]),
  ...inFile("cli/usage-error.ts", [
    { name: "a wrong word is not repeated", find: "problems[code] ?? text", replace: "text", test: cli("usage") },
    {
      name: "only what looks like an option is repeated",
      find: "[a-z][a-z-]{0,23}",
      replace: "[a-z][\\w-]*",
      test: cli("usage"),
    },
    {
      name: "an argument that imitates the parser's words is not repeated",
      find: "lastIndexOf",
      replace: "indexOf",
      test: cli("usage"),
    },
  ]),
  ...inFile("cli/doctor/run-apart.ts", [
    {
      name: "a program's code gets a clean environment",
      find: ".filter(([name]) => PASSED_ON.has(name.toUpperCase()))",
      replace: "",
      test: cli("run-apart"),
    },
  ]),
].map((mutant) => ({ test: cli("outside-text"), ...mutant }));

const serving = [
  ...inFile("test/kit/control-plane/exchange.ts", [
    {
      name: "a body is read only of who is known",
      find: "if (keyOf(plane.state, request.authorization) !== undefined) {",
      replace: "{",
      test: plane("bodies"),
    },
  ]),
  ...inFile("test/kit/control-plane/read-body.ts", [
    {
      name: "a body that is announced too long is not read",
      find: 'if (Number(incoming.headers["content-length"] ?? 0) > max) return Promise.resolve(undefined);',
      replace: "",
      test: plane("bodies"),
    },
    {
      name: "a body that grows too long is not kept",
      find: "if (length <= max) return;",
      replace: "if (length > 0) return;",
      test: plane("bodies"),
    },
  ]),
  ...inFile("test/kit/control-plane/request-log.ts", [
    {
      name: "the log does not grow without end",
      find: "if (this.entries.length > 2 * KEPT)",
      replace: "if (false)",
      test: plane("log"),
    },
    {
      name: "an entry of the log is of limited length",
      find: "path: arrival.path.slice(0, MAX_TEXT),",
      replace: "",
      test: plane("log"),
    },
    { name: "the log counts what it forgets", find: "count += 1", replace: "count += 0", test: plane("log") },
  ]),
  ...inFile("test/kit/control-plane/data-file.ts", [
    {
      name: "nobody can take the name of the temporary file",
      find: "this.temporaryName(randomUUID())",
      replace: 'this.temporaryName("new")',
      test: plane("data-file"),
    },
    {
      name: "the data file is for its owner alone",
      find: "0o600",
      replace: "0o644",
      test: plane("data-file"),
    },
  ]),
  ...inFile("test/kit/control-plane/control/app.ts", [
    {
      name: "the control endpoints do not tell a key that must not be told",
      find: "plane.showsApiKey ? ",
      replace: "true ? ",
      test: plane("control"),
    },
    {
      name: "the body of a control call is limited",
      find: "readBody(env.incoming, MAX_BODY_BYTES)",
      replace: "req.text()",
      test: plane("control"),
    },
  ]),
  ...inFile("test/kit/control-plane/control/state-calls.ts", [
    {
      name: "a key that must not be told is not among the secrets",
      find: "showsApiKey || secret !== seed.apiKey",
      replace: "true",
      test: plane("control"),
    },
  ]),
];

export const mutants = [
  ...retry.map((mutant) => ({ part: "retry", ...mutant })),
  ...limits.map((mutant) => ({ part: "limits", ...mutant })),
  ...settle.map((mutant) => ({ part: "settle", ...mutant })),
  ...ledger.map((mutant) => ({ part: "ledger", ...mutant })),
  ...deletes.map((mutant) => ({ part: "delete, read", ...mutant })),
  ...waits.map((mutant) => ({ part: "wait", ...mutant })),
  ...rotation.map((mutant) => ({ part: "rotation", ...mutant })),
  ...adoption.map((mutant) => ({ part: "adoption", ...mutant })),
  ...outside.map((mutant) => ({ part: "outside", ...mutant })),
  ...serving.map((mutant) => ({ part: "serve", ...mutant })),
];
