// The protections. Each mutant removes one with a small `change` of one source file, at a named place (operators.mjs). A
// test in the given files whose name starts with `by` must then fail, or any of their tests if `by` is not set.
import { always, becomes, before, drop, instead, negated, never, uncalled, unchained, without } from "./operators.mjs";

const inFile = (file, mutants) => mutants.map((mutant) => ({ file, ...mutant }));
const http = (name) => `test/unit/http/${name}.test.ts`;
const api = (name) => `test/unit/api/${name}.test.ts`;
const cli = (name) => `test/unit/cli/${name}.test.ts`;
const plane = (name) => `testing/control-plane/test/${name}.test.ts`;
const resources = (name) => `test/unit/resources/${name}.test.ts`;
const keys = (name) => `test/unit/keys/${name}.test.ts`;
const plugin = (name) => `test/unit/plugin/${name}.test.ts`;
const unit = (name) => `test/unit/${name}.test.ts`;
const STORIES_OF_PLUGIN = "test/model/plugin-stories.test.ts";
const KNOWN_ADDRESS = "test/unit/session/known-address.test.ts";
const WAYS_OUT = "test/unit/session/ways-out.test.ts";
const PROGRAM_END = "test/unit/sdk/program-end.test.ts";
const contract = (name) => `test/contract/plugin${name && `-${name}`}.test.ts`;

const retry = [
  ...inFile("provider/http/retry/backoff.ts", [
    {
      name: "a POST is not repeated after a lost answer",
      change: without("mayRepeat", "safe"),
      test: resources("lost-answers"),
      by: "C4",
    },
    {
      name: "the service's Retry-After is a minimum",
      change: uncalled("nextDelay", "retryAfterMs"),
      test: http("decisions"),
    },
    {
      name: "no pause ends after the deadline",
      change: always("nextDelay", "delay", "remainingMs"),
      test: http("decisions"),
    },
    { name: "attempts are limited", change: drop("nextDelay", "attempt", "limit"), test: http("decisions") },
    { name: "pauses are jittered", change: without("backoffMs", "random"), test: http("decisions") },
    {
      name: "pauses are capped",
      change: becomes("Math.max(1, base * 2 ** (attempt - 1))", "backoffMs", "CAP_MS", "attempt"),
      test: http("decisions"),
    },
    {
      name: "a service at work that refuses is asked for longer, whatever the request",
      change: becomes('replay === "once"', "isPatient", "replay", "isBusyButWorking"),
      test: http("decisions"),
    },
  ]),
  ...inFile("provider/http/statuses.ts", [
    {
      name: "423, 429 and 503 say that nothing was done",
      change: without("isBusy", "423"),
      test: resources("lost-answers"),
      by: "C12",
    },
    {
      name: "a 408 does not prove that nothing was done",
      change: without("isInconclusive", "408"),
      test: resources("lost-answers"),
      by: "C4",
    },
    {
      name: "a 408 does not prove that the service accepts a key",
      change: without("isRefusal", "isInconclusive"),
      test: api("keys-create"),
    },
  ]),
  ...inFile("provider/http/retry/classify.ts", [
    {
      name: "a success counts only when it is complete and JSON",
      change: always("classify", "complete", "isJsonType"),
      test: http("decisions"),
    },
    {
      name: "a failure after sending proves nothing",
      change: drop("classify", "sent"),
      test: resources("lost-answers"),
      by: "C4",
    },
    { name: "a 4xx is final", change: never("classify", "status", "300"), test: resources("lost-answers"), by: "C2" },
  ]),
  ...inFile("provider/http/exchange.ts", [
    {
      name: "it is noted that a request was sent",
      change: drop("onRequestStart", "#isSent"),
      test: resources("lost-answers"),
      by: "C4",
    },
    {
      name: "an abort does not cut a change that was sent",
      change: always("exchange", "GET", "||"),
      test: http("client"),
      by: "W6",
    },
    {
      name: "a change that was sent has the request timeout left after an abort",
      change: drop("exchange", "push"),
      test: http("client"),
      by: "W6",
    },
    {
      name: "an aborted request is refused when its turn comes",
      change: drop("onRequestStart", "!=="),
      test: http("sent"),
    },
  ]),
  ...inFile("provider/session/engine-link.ts", [
    {
      name: "a message without an engine fails nothing",
      change: drop("log", "address"),
      test: "test/unit/session/engine-link.test.ts",
    },
  ]),
  ...inFile("provider/http/retry/retry-budget.ts", [
    { name: "all calls share one budget of repeats", change: never("take", "#tokens"), test: http("decisions") },
  ]),
  ...inFile("provider/http/client.ts", [
    { name: "nothing is sent after the end", change: drop("abort"), test: resources("readiness"), by: "W6" },
    {
      name: "a date to retry after is measured on the service's clock",
      change: becomes("clock.now()", "#attempt", "date"),
      test: http("client"),
      by: "C12",
    },
    {
      name: "a refusal is told, although the run was aborted meanwhile",
      change: without("#requestWithRetries", "refused"),
      test: http("client"),
      by: "W6",
    },
  ]),
];

const limits = [
  ...inFile("provider/http/limits/limiter.ts", [
    { name: "the rates of the service are kept", change: never("#turn", "#ratesApply"), test: http("limits") },
    {
      name: "all requests together are held to the rate per minute",
      change: uncalled("#turn", "Math"),
      test: http("limits"),
    },
    { name: "a route that is refused goes slower", change: never("release", "#ratesApply"), test: http("limits") },
    {
      name: "rates that nobody knew of are kept once the service shows them",
      change: drop("release", "||="),
      test: http("limits"),
    },
  ]),
  ...inFile("provider/http/limits/pace.ts", [
    {
      name: "requests do not start all at once",
      change: becomes("perSecond", "constructor", "Math", "perSecond"),
      test: http("limits"),
    },
    {
      name: "nothing starts for a moment after a refusal",
      change: becomes("now", "next", "loweredAt", "REST_MS"),
      test: http("limits"),
    },
    { name: "the bucket of the service is never overdrawn", change: without("next", "#service"), test: http("limits") },
  ]),
  ...inFile("provider/http/limits/aimd-limit.ts", [
    { name: "a volley of refusals counts once", change: drop("throttled", "startedAt"), test: http("limits") },
  ]),
];

const settle = [
  ...inFile("provider/keys/create-key.ts", [
    {
      name: "an orphan that cannot be revoked is recorded",
      change: always("create", "name", "===", 2),
      test: resources("lost-answers"),
      by: "C7",
    },
    {
      name: "orphans of earlier attempts are kept beside the key",
      change: becomes("[]", "leftOf", "orphans", "id"),
      test: resources("lost-answers"),
      by: "C7",
    },
    {
      name: "a name that did not show up is kept",
      change: before("left.lostNames.pop();", "revokeLost", "isAnswerLost"),
      test: resources("lost-answers"),
      by: "C5",
    },
    {
      name: "no more than three names are tried",
      change: becomes("5", "createNamed", "MAX_NAMES"),
      test: resources("lost-answers"),
      by: "C4",
    },
    {
      name: "every request has a name of its own",
      change: becomes('(() => "same")', "createNamed", "context", "nonce"),
      test: resources("lost-answers"),
      by: "C4",
    },
    {
      name: "a taken exact name is a stranger's, unless a lost request explains it",
      change: without("createExact", "1"),
      test: resources("exact-name"),
      by: "C11",
    },
    {
      name: "a taken auto-name is settled",
      change: without("createNamed", "isTaken"),
      test: resources("lost-answers"),
      by: "C11",
    },
  ]),
  ...inFile("provider/keys/scope.ts", [
    {
      name: "the command that revokes a key of an organization names the organization",
      change: without("revokeCommand", "options"),
      test: resources("organization-keys"),
    },
  ]),
  ...inFile("provider/keys/lost-request.ts", [
    {
      name: "a lost key is looked for",
      change: becomes('key.name === ""', "findLostKey", "==="),
      test: resources("lost-answers"),
      by: "C4",
    },
    {
      name: "a lost key is looked for until the request is surely over",
      change: becomes("0", "findLostKey", "requestTimeoutMs"),
      test: resources("lost-answers"),
      by: "C5",
    },
    {
      name: "a used key is never taken for an orphan",
      change: becomes('"never"', "fateOfLost", "used"),
      test: resources("lost-answers"),
      by: "C5: is reported",
    },
    {
      name: "without the list nothing more is sent",
      change: before("return undefined;", "findLostKey", "KP-UNSETTLED"),
      test: resources("lost-answers"),
      by: "C13",
    },
  ]),
  ...inFile("provider/keys/clear-name.ts", [
    {
      name: "a copied stack takes no name from a key of its original",
      change: becomes("false", "otherHolder", "some", "isOthers"),
      test: resources("exact-name"),
      by: "C14: is not created in a copy",
    },
    {
      name: "an exact name that is taken stops the creation",
      change: becomes("taken !== 7", "clearName", "taken", "undefined"),
      test: resources("exact-name"),
      by: "C11",
    },
    {
      name: "a used key in the way is never revoked",
      change: unchained("clearName", "found"),
      test: resources("exact-name"),
      by: "C11",
    },
    {
      name: "the key of another resource of the stack is never in the way",
      change: never("clearName", "whose", "undefined"),
      test: resources("exact-name"),
      by: "C11: leaves a never used key",
    },
    {
      name: "the state shows which resource has a key in the way",
      change: becomes("[]", "otherHolder", "saved", "..."),
      test: resources("exact-name"),
      by: "C11: leaves a never used key",
    },
    {
      name: "without the state, another resource may have a key in the way",
      change: always("otherHolder", "!==", "witness", "undefined"),
      test: resources("exact-name"),
      by: "C11: leaves a never used key that another resource may have",
    },
  ]),
  ...inFile("provider/secrets.ts", [
    {
      name: "a secret is found in any case",
      change: becomes("code", "unitsOf", "|"),
      test: "test/unit/secrets.test.ts",
    },
    {
      name: "a secret that is forgotten is kept out of messages",
      change: drop("forget", "conceal"),
      test: "test/unit/secrets.test.ts",
      by: "a concealed secret whose text is forgotten",
    },
    {
      name: "a secret is found in base64 behind other text",
      change: becomes("[0]", "formsOf", "0", "1"),
      test: "test/unit/secrets.test.ts",
    },
    {
      name: "a text that repeats the end of a secret is not hashed again and again",
      change: always("endsWith", "sumOf"),
      test: "test/unit/secrets-cost.test.ts",
    },
    {
      name: "a secret is found between invisible characters and escapes",
      change: drop("mayHold", "beginsEscape"),
      test: "test/unit/secrets.test.ts",
    },
  ]),
  ...inFile("provider/http/exact-json.ts", [
    {
      name: "each digit of an answer is read once",
      change: drop("withExactIntegers", "end", "1"),
      test: "test/unit/fuzz/cpu.test.ts",
      by: "a hostile text takes time in proportion to its length as an answer",
    },
    {
      name: "an answer with too many values is refused",
      change: becomes("++values < 0", "withExactIntegers", "values", "MAX_VALUES"),
      test: "test/unit/http/exact-json.test.ts",
    },
    {
      name: "an id keeps its digits",
      change: drop("withExactIntegers", "INTEGER"),
      test: "test/unit/http/exact-json.test.ts",
    },
  ]),
  ...inFile("provider/http/retry/retry-after.ts", [
    {
      name: "no date beyond the year 9999 keeps a key from being recorded",
      change: becomes("Number.isNaN(at) ? undefined : at", "parseHttpDate", "LATEST_MS", "undefined"),
      test: http("decisions"),
    },
  ]),
  ...inFile("provider/http/failure.ts", [
    {
      name: "secrets are taken out of the service's words before they are cut",
      change: becomes("redact(maskKeyLike(cleanText(words)))", "serviceWords", "cleanText", "maskKeyLike"),
      test: http("client"),
      by: "show no part of a secret",
    },
    {
      name: "secrets are taken out of the service's words",
      change: uncalled("serviceWords", "redactShort"),
      test: http("client"),
      by: "show no part of a secret",
    },
    {
      name: "a request id of the service is no secret",
      change: without("requestIdOf", "maskKeyLike"),
      test: http("client"),
      by: "show no part of a secret",
    },
  ]),
  ...inFile("provider/api/reader.ts", [
    {
      name: "secrets are taken out of every text of an answer",
      change: becomes("text", "clean", "redactShort", "UNSTORABLE"),
      test: resources("lies"),
      by: "a secret that the service repeats",
    },
    {
      name: "what holds a secret is no id of a project",
      change: drop("match", "redact"),
      test: resources("lies"),
      by: "with the new secret in an operation",
    },
  ]),
  ...inFile("provider/api/keys/read-created-key.ts", [
    {
      name: "the answer to another request makes no key",
      change: never("readCreatedKey", "!==", "toLowerCase"),
      test: api("keys-create"),
      by: "creating a key treats the answer to another request",
    },
    {
      name: "the new secret is concealed before anything else of the answer is read",
      change: drop("readCreatedKey", "conceal"),
      test: resources("lies"),
      by: "a creation that is answered with the new secret",
    },
    {
      name: "what holds the new secret is no id of a key",
      change: without("readCreatedKey", "redact"),
      test: resources("lies"),
      by: "a creation that is answered with the new secret",
    },
    {
      name: "a key that no header can carry is not delivered",
      change: without("readCreatedKey", "isKeyText"),
      test: resources("lost-answers"),
      by: "C6",
    },
  ]),
  ...inFile("provider/api/keys/api-keys.ts", [
    {
      name: "a new key with another scope than requested is not handed out",
      change: drop("#mustBeAsAsked", "throw", "OtherKeyError"),
      test: resources("key-scope"),
    },
    {
      name: "a list shows the scope of a new key whose answer does not",
      change: drop("#mustBeAsAsked", "said", "#listedLimit"),
      test: api("keys-limit"),
      by: "creating a key for a project fails with the key's id if the service has ignored",
    },
    {
      name: "a list that contradicts the answer to a creation is reported",
      change: drop("#read", "#compareLimits"),
      test: api("keys-limit"),
      by: "creating a key for a project reports a list",
    },
  ]),
  ...inFile("provider/keys/create-key.ts", [
    {
      name: "a new key with another scope than requested is revoked",
      change: uncalled("revokeOther", "revokeOrphan"),
      test: resources("key-scope"),
    },
  ]),
  ...inFile("provider/session/session.ts", [
    {
      name: "a warning of an account is shown",
      change: drop("account", "onWarning"),
      test: contract("account"),
      by: "a service that does not say the scope of new keys",
    },
  ]),
  ...inFile("provider/api/paging.ts", [
    {
      name: "a refusal that is not about the size is not repeated with smaller pages",
      change: never("fetch", "canBeAboutLimit"),
      test: api("paging"),
      by: "a page that the service refuses is not requested again",
    },
  ]),
  ...inFile("provider/api/projects/projects.ts", [
    {
      name: "a project of another organization is not found",
      change: never("get", "organizationId", "orgId"),
      test: api("projects"),
      by: "projects that belong to organizations are read by their id",
    },
    {
      name: "a project is looked for in the list only if the service lacks the call for one",
      change: drop("get", "hasNoRoute", "throw"),
      test: api("projects"),
      by: "one project is not looked for",
    },
  ]),
  ...inFile("provider/keys/key-limit.ts", [
    {
      name: "a refresh records the scope that the list shows",
      change: always("asListed", "other", "undefined"),
      test: resources("key-scope"),
    },
  ]),
  ...inFile("provider/ids.ts", [
    {
      name: "an id is exact or none",
      change: without("keyIdOf", "Number"),
      test: "test/unit/fuzz/inputs.test.ts",
      by: "of a key in an answer",
    },
  ]),
];

const ledger = [
  ...inFile("provider/dynamic/owner.ts", [
    {
      name: "an owner that a running program replaces leaves its keys",
      change: drop("delete", "hasProgram"),
      test: resources("ledger"),
      by: "D9",
    },
    {
      name: "a destroy names the keys with exact names that it leaves live",
      change: without("isOurs", "isHeld"),
      test: resources("ledger"),
      by: "D9",
    },
    {
      name: "a destroy does not name the original's keys that a copy held",
      change: without("isOurs", "isAutoName"),
      test: resources("ledger"),
      by: "D9",
    },
    {
      name: "a destroy that has left keys behind fails",
      change: drop("delete", "mustBeRevoked"),
      test: resources("ledger"),
      by: "D9",
    },
  ]),
  ...inFile("provider/dynamic/ledger.ts", [
    {
      name: "a time of the ledger that cannot be read proves nothing",
      change: becomes("0", "timeIn", "isNaN", "?"),
      test: resources("ledger"),
      by: "an unknown key is only reported by a ledger whose",
    },
    {
      name: "a ledger that knows nothing of earlier keys says so in the state",
      change: becomes("isoOf(knowsSince || undefined)", "writeState", "never"),
      test: resources("ledger"),
      by: "an unknown key is only reported by a ledger whose",
    },
    {
      name: "what was ever delivered is remembered",
      change: never("everHeld", "delivered"),
      test: resources("ledger"),
      by: "leaves keys that were in the stack",
    },
    {
      name: "a refresh reports the keys that no resource has",
      change: drop("read", "reportUnknown"),
      test: "test/model/stories.test.ts",
      by: "a stack keeps all invariants in the story of a key of a killed rotation that no list shows until a refresh",
    },
    {
      name: "the key of a replaced resource is not reported as recorded under another id",
      change: without("isMisnamed", "holders"),
      test: resources("ledger"),
      by: "leaves the key of a failed run",
    },
    {
      name: "a hook may have failed in a command that goes on",
      change: becomes("false", "isUnseen", "hasAfterHooks"),
      test: resources("ledger"),
      by: "revokes no old key and starts no grace",
    },
    {
      name: "a run that can have left out a consumer revokes no old key",
      change: becomes("false", "leavesOut", "isLimited"),
      test: resources("ledger"),
      by: "revokes no old key and starts no grace",
    },
    {
      name: "a sweep that could not look is due again",
      change: without("unsweptAfter", "isUnswept"),
      test: resources("ledger"),
      by: "C13",
    },
    {
      name: "a sweep that could not look forgets nothing",
      change: becomes("[]", "unsweptAfter", "everHeld", "before"),
      test: resources("ledger"),
      by: "C13",
    },
    {
      name: "a refresh flags what is left behind",
      change: becomes("state", "read", "isUnswept"),
      test: resources("ledger"),
      by: "C5",
    },
    {
      name: "a sweep never fails a run",
      change: instead("throw error;", "trying", "warn", "messageOf"),
      test: resources("ledger"),
      by: "C13",
    },
    {
      name: "what could not be revoked is tried again",
      change: drop("due", "0"),
      test: resources("ledger"),
      by: "C10",
    },
    {
      name: "what the last run could not revoke is not forgotten",
      change: becomes("[]", "endRun", "hasNewOwner", "unrevoked", "?"),
      test: resources("ledger"),
      by: "revokes nothing in an incomplete run",
    },
    {
      name: "a run that only revokes does not sweep",
      change: always("endRun", "needsSweep"),
      test: resources("ledger"),
      by: "revokes retired keys",
    },
    {
      name: "an incomplete run revokes nothing",
      change: never("endRun", "incomplete"),
      test: resources("ledger"),
      by: "revokes nothing in an incomplete run",
    },
    {
      name: "an incomplete run notes what it did not revoke",
      change: becomes("left", "endRun", "left", "added", 2),
      test: resources("ledger"),
      by: "revokes nothing in an incomplete run",
    },
    {
      name: "an incomplete run notes that it did not sweep",
      change: becomes("{ delivered: everHeld(before) }", "endRun", "unsweptAfter", "context", 1),
      test: resources("ledger"),
      by: "revokes nothing in an incomplete run",
    },
    {
      name: "a compromised key that is still live fails the run",
      change: always("revoke", "failed", "0"),
      test: resources("ledger"),
      by: "fails the run if it cannot revoke a compromised key",
    },
    {
      name: "a run that revokes sweeps, too, where a key was made",
      change: never("endRun", "needsSweep"),
      test: resources("ledger"),
    },
  ]),
  ...inFile("provider/keys/revoke-key.ts", [
    {
      name: "keys are revoked side by side",
      change: before(
        "await (globalThis.turn = Promise.resolve(globalThis.turn).then(() => new Promise((done) => setTimeout(done, 100))));",
        "revokeAll",
        "try",
      ),
      test: resources("ledger"),
      by: "revokes many keys at the same time",
    },
  ]),
  ...inFile("provider/resources/rotating-api-key.ts", [
    {
      name: "a mistyped key is not taken for revoked",
      change: drop("due", "refuseUnknownKey"),
      test: resources("rotation-compromise"),
      by: "revokeNow of a key that is not the resource's own",
    },
  ]),
  ...inFile("provider/resources/rotation/rotate-key.ts", [
    {
      name: "a compromised key is left to the ledger",
      change: becomes(
        "{ ...state, pendingRevocations: [...state.pendingRevocations, old.keyId] }",
        "makePrevious",
        "state",
        "compromised",
        "old",
      ),
      test: resources("rotation-compromise"),
      by: "revokeNow of the current key does not revoke it before a run",
    },
    {
      name: "the key before a previous one is retired",
      change: becomes("{ ...state, previous: old }", "makePrevious", "state", "retired", "isOwn"),
      test: resources("rotation"),
      by: "the key with which keyplane authenticates T12: keeps the key before it",
    },
    {
      name: "a previous key with which keyplane authenticates is not retired",
      change: drop("makePrevious", "settingWith", "retired", "return"),
      test: resources("rotation"),
      by: "the key with which keyplane authenticates T12: stays the previous key",
    },
  ]),
  ...inFile("sdk/nodejs/run/program-end.ts", [
    {
      name: "the ledger waits for the program's function",
      change: drop("whenRunIsIdle", "await"),
      test: "test/unit/sdk/program-run.test.ts",
      by: "the ledger of an inline program waits for a program",
    },
    {
      name: "the ledger waits for all calls of the program",
      change: becomes("ended !== undefined", "whenCallsHaveEnded", "==="),
      test: "test/unit/sdk/program-run.test.ts",
      by: "the ledger of an inline program is its last resource",
    },
    {
      name: "a program that waits forever is not complete",
      change: drop("beforeExit", "isDryRun"),
      test: PROGRAM_END,
      by: "a program with its own process fails and has no ledger if its last await",
    },
    {
      name: "a run with a call that never ends is not complete",
      change: without("endOf", "rpcDone", 3),
      test: PROGRAM_END,
      by: "a program with its own process fails and has no ledger if its last call",
    },
    {
      name: "a program that waits forever fails before Pulumi ends its run",
      change: drop("beforeExit", "exitCode"),
      test: PROGRAM_END,
      by: "a program with its own process fails before Pulumi",
    },
    {
      name: "a resource that another listener registers is not taken for one that waits forever",
      change: becomes("program.once", "whenProcessIsIdle", "prependOnceListener"),
      test: PROGRAM_END,
      by: "a program with its own process is complete once",
    },
    {
      name: "the ledger waits for resources that another listener registers",
      change: drop("beforeExit", "whenCallsHaveEnded"),
      test: PROGRAM_END,
      by: "a program with its own process is complete once",
    },
    {
      name: "a failed program gets no second message when it waits forever",
      change: always("beforeExit", "hasRunFailed"),
      test: PROGRAM_END,
      by: "a program with its own process fails without a second message",
    },
    {
      name: "a preview may wait for an unknown value",
      change: without("beforeExit", "isDryRun"),
      test: PROGRAM_END,
      by: "a program with its own process may wait",
    },
    {
      name: "a preview that waits for an unknown value did not exit",
      change: drop("beforeExit", "isOver", "stuck"),
      test: PROGRAM_END,
      by: "a program with its own process may wait",
    },
    {
      name: "the run of a program that failed is not complete",
      change: becomes('"done" as const', "endOf", "unproven", "as"),
      test: PROGRAM_END,
      by: "a program with its own process is never complete if it failed",
    },
    {
      name: "a program with an exit code has no ledger",
      change: drop("beforeExit", "code"),
      test: PROGRAM_END,
      by: "a program with its own process has no ledger if it set",
    },
    {
      name: "a run is not complete without a proof",
      change: always("declareLast", "end"),
      test: PROGRAM_END,
      by: "a program with its own process is never complete",
    },
    {
      name: "calls that Pulumi does not show prove nothing",
      change: without("endOf", "rpcDone", "undefined"),
      test: PROGRAM_END,
      by: "a program with its own process is never complete if Pulumi's SDK does not show",
    },
    {
      name: "process.exit with code 0 before the ledger fails the run",
      change: drop("exit", "exitCode"),
      test: PROGRAM_END,
      by: "a program that calls process.exit with code 0",
    },
    {
      name: "process.exit while the ledger runs fails the run",
      change: becomes('void finish(end === "done")', "declareLast", "await"),
      test: PROGRAM_END,
      by: "a program that calls process.exit while the ledger runs",
    },
    {
      name: "process.exit after the ledger is fine",
      change: without("exit", "isOver"),
      test: PROGRAM_END,
      by: "a program that calls process.exit after the ledger",
    },
    {
      name: "process.exit with another code keeps it",
      change: without("exit", "code"),
      test: PROGRAM_END,
      by: "a program that calls process.exit with code",
    },
    {
      name: "process.exit after an error gets no second message",
      change: without("exit", "hasRunFailed"),
      test: PROGRAM_END,
      by: "a program that calls process.exit after an error",
    },
    {
      name: "process.exit gets one message only",
      change: becomes("program.once", "whenProcessIsIdle", "prependListener"),
      test: PROGRAM_END,
      by: "a program that calls process.exit before its end",
    },
  ]),
  ...inFile("sdk/nodejs/run/key-registry.ts", [
    {
      name: "a plan allows for the previous key of a rotation",
      change: never("known", "isOpen"),
      test: "test/unit/sdk/program-run.test.ts",
      by: "the ledger of an inline program knows none of its lists",
    },
  ]),
  ...inFile("sdk/nodejs/run/program-run.ts", [
    {
      name: "no inline run is complete without a proof",
      change: without("#finish", "isProven", "isRunComplete"),
      test: "test/unit/sdk/program-run.test.ts",
      by: "the ledger of an inline program is told that the run is incomplete if Pulumi's SDK",
    },
    {
      name: "a unit test with mocks has no ledger",
      change: without("constructor", "isMocked"),
      test: "test/unit/sdk/program-run.test.ts",
      by: "a unit test with mocks that runs a whole program",
    },
  ]),
  ...inFile("sdk/nodejs/run/traces.ts", [
    {
      name: "the state repeats no frame of Pulumi or Node",
      change: becomes("at >= 0", "programFrames", "at", "own"),
      test: "test/unit/sdk/traces.test.ts",
    },
    {
      name: "the class of a resource stays in its trace, because Pulumi skips it",
      change: becomes("at < own", "programFrames", "at", "own"),
      test: "test/unit/sdk/traces.test.ts",
    },
  ]),
  ...inFile("sdk/nodejs/shim.ts", [
    {
      name: "an output without a value is no absent sealTo",
      change: never("notNothing", "isLate", 2),
      test: "test/unit/sdk/options.test.ts",
      by: "an input from an output without a value",
    },
  ]),
  ...inFile("sdk/nodejs/run/watch-registrations.ts", [
    {
      name: "a run of which nothing was seen is not complete",
      change: becomes("!seen?.anyFailed", "isRunComplete", "any", "anyFailed"),
      test: "test/unit/sdk/program-run.test.ts",
      by: "the ledger of an inline program is told that the run is incomplete if no answer",
    },
    {
      name: "a run fails if the engine refuses a resource",
      change: drop("note", "error", "anyRefused"),
      test: "test/unit/sdk/program-run.test.ts",
      by: "a run has failed if the engine refuses",
    },
    {
      name: "a run whose program failed is not complete",
      change: without("isRunComplete", "hasErrors"),
      test: "test/unit/sdk/program-run.test.ts",
      by: "the ledger of an inline program is told that the run is incomplete if the program",
    },
  ]),
];

const deletes = [
  ...inFile("provider/keys/revoke-key.ts", [
    {
      name: "an abort does not lose a key that is still to be revoked",
      change: before("if (isAborted(error)) throw error;", "revokeAll", "isAborted"),
      test: resources("readiness"),
      by: "W6",
    },
    {
      name: "no key that stays live is forgotten in another account",
      change: drop("mustNotForget", "sameOwner"),
      test: "test/model/stories.test.ts",
      by: "a destroy in another account of a key that should outlive its resource",
    },
    {
      name: "keyplane's own credential is not revoked",
      change: drop("revokeKey", "refuseOwnCredential"),
      test: resources("deletes"),
      by: "D7",
    },
    {
      name: "under another credential, a key that lists lack is tried",
      change: becomes("undefined", "revokeKey", "mustNotWork", 1),
      test: resources("deletes"),
      by: "in another account than the one with the key, under another credential",
    },
    {
      name: "a key that is found nowhere is tried before it is forgotten",
      change: drop("revokeKey", "mustNotWork", "list"),
      test: resources("deletes"),
      by: "is not done for a key that the service finds nowhere",
    },
    {
      name: "a new key that is found nowhere and cannot be tried is looked for again",
      change: never("revokeKey", "isYoung"),
      test: resources("deletes"),
      by: "is done when the minute of a new key is over",
    },
    {
      name: "a key that is proven to be gone is looked for no more",
      change: drop("revokeKey", "noteGone"),
      test: contract("orphans"),
      by: "fails while such a key stays",
    },
    {
      name: "the id of keyplane's own credential is not revoked under another secret",
      change: without("refuseOwnCredential", "get"),
      test: resources("lies"),
      by: "the id of keyplane's own credential",
    },
    {
      name: "a second list can veto the revocation of a wrong id",
      change: without("revokeKey", "secondLook"),
      test: resources("lies"),
      by: "a list that lacks a live key",
    },
    {
      name: "a list that lacks a key does not keep it from being revoked",
      change: always("revokeKey", "isElsewhere"),
      test: resources("lies"),
      by: "a list that lacks a live key",
    },
  ]),
  ...inFile("provider/schema/outputs.ts", [
    {
      name: "a member of a state that has a wrong form is left out",
      change: always("readOutputs", "size"),
      test: "test/unit/outputs.test.ts",
      by: "is left out",
    },
  ]),
  ...inFile("provider/keys/find-key.ts", [
    {
      name: "an id alone proves nothing",
      change: becomes("true", "mustBeKey", "found", "==="),
      test: resources("deletes"),
      by: "touches nothing if",
    },
    {
      name: "a young key is looked for twice",
      change: drop("findKey", "isYoung", "fresh"),
      test: resources("reads"),
      by: "R4",
    },
    {
      name: "a young key that the service refuses is tried again",
      change: becomes("false", "mustNotWork", "isYoung", "held", "context"),
      test: resources("reads"),
      by: "reading a key R4: does not take a new key for gone",
    },
    {
      name: "a young sealed key is not taken for gone",
      change: always("laterLook", "isYoung"),
      test: resources("sealed"),
      by: "a sealed ApiKey is taken for gone only",
    },
    {
      name: "a key that works is not gone, whatever a list lacks",
      change: drop("findKey", "mustNotWork"),
      test: resources("lies"),
      by: "a list that lacks a live key",
    },
  ]),
  ...inFile("provider/resources/api-key.ts", [
    {
      name: "a copied state does not revoke the original's orphans",
      change: never("update", "hasNewOwner", "keysToRevoke"),
      test: resources("deletes"),
      by: "C14",
    },
    {
      name: "a renamed stack looks for the keys of its lost requests",
      change: becomes("{}", "update", "settleLost"),
      test: resources("lost-answers"),
      by: "C5: is looked for and revoked under another owner",
    },
  ]),
  ...inFile("provider/api/keys/api-keys.ts", [
    {
      name: "a refused list does not answer for later runs",
      change: without("#read", "REFUSED_MS"),
      test: api("keys-list"),
      by: "listing keys R1: sends one list with a credential",
    },
    {
      name: "a revocation is confirmed for this very key",
      change: without("checkRevoked", "keyIdOf"),
      test: resources("deletes"),
      by: "D4",
    },
    {
      name: "a revocation is confirmed",
      change: without("checkRevoked", "true"),
      test: resources("deletes"),
      by: "D4",
    },
  ]),
  ...inFile("provider/api/keys/api-keys.ts", [
    {
      name: "a key that is still listed is not revoked",
      change: drop("#settleRevoke", "keyIn", "throw"),
      test: resources("deletes"),
      by: "D3",
    },
    {
      name: "a revocation is shared by all callers",
      change: becomes("new Map()", "revoke", "#revocations", 1),
      test: resources("deletes"),
      by: "D5",
    },
    {
      name: "a revocation that failed is requested again",
      change: never("revoke", "#revoked", "has"),
      test: api("keys-revoke"),
    },
    {
      name: "a key that was not found is not taken for revoked",
      change: never("revoke", "absent"),
      test: api("keys-revoke"),
      by: "D5: asks again",
    },
    {
      name: "a credential that was refused from the start sends one list",
      change: never("#read", "#refusal", "REFUSED_MS"),
      test: api("keys-list"),
      by: "R1",
    },
    {
      name: "a credential that was accepted once is not refused for good",
      change: without("#read", "#isAccepted"),
      test: api("keys-list"),
      by: "R1",
    },
    {
      name: "a list that lags behind a revocation is read again",
      change: becomes("[]", "listWithout", "SETTLE_PAUSES_MS"),
      test: api("keys-revoke"),
      by: "D3",
    },
    {
      name: "a list that lacks a key again does not settle its revocation",
      change: drop("#settleRevoke", "open", "unlisted"),
      test: api("keys-revoke"),
      by: "revoking a key D2: fails if every answer is lost and no list",
    },
    {
      name: "an organization's empty list settles no revocation",
      change: drop("#settleRevoke", "open", "keys"),
      test: resources("lies"),
      by: "an organization's empty list",
    },
    {
      name: "a list is not shared across this process's own changes",
      change: drop("create", "noteCreation", 2),
      test: resources("reads"),
      by: "R6",
    },
  ]),
  ...inFile("provider/api/keys/shared-list.ts", [
    {
      name: "a list under way is shared only by those who came before it",
      change: always("#flight", "any", "running"),
      test: resources("reads"),
      by: "R6",
    },
    {
      name: "a finished list is shared only until the next change",
      change: without("get", "sentAt"),
      test: resources("reads"),
      by: "R",
    },
  ]),
  ...inFile("provider/api/keys/read-keys.ts", [
    {
      name: "an empty list is a contradiction",
      change: instead("if (items.length === 0) return;", "mustHoldCaller", "items", "length"),
      test: resources("reads"),
      by: "R3",
    },
    { name: "a list with an id twice is refused", change: drop("readKeys", "has"), test: resources("reads"), by: "R2" },
  ]),
];

const waits = [
  ...inFile("provider/keys/readiness.ts", [
    {
      name: "what was handed to nobody is not kept",
      change: becomes("action !== status", "isTrial", "action", "status"),
      test: resources("readiness"),
      by: "W4",
    },
    {
      name: "a poll without an answer ends no operation",
      change: without("afterFailedWait", "length"),
      test: resources("readiness"),
      by: "is recorded with its operations if the service answers no poll",
    },
    {
      name: "a failed operation is remembered",
      change: becomes("work", "afterFailedWait", "failed", "work"),
      test: resources("readiness"),
      by: "W4",
    },
    {
      name: "what is pending asks for an update",
      change: always("pendingDue", "length"),
      test: resources("readiness"),
      by: "W5",
    },
  ]),
  ...inFile("provider/resources/api-key.ts", [
    {
      name: "projects are waited for before the POST",
      change: drop("create", "waitForProjects"),
      test: resources("readiness"),
      by: "W5",
    },
  ]),
  ...inFile("provider/api/operations/statuses.ts", [
    {
      name: "an unknown status has not ended",
      change: becomes('"success"', "phaseOf", "pending"),
      test: resources("readiness"),
      by: "W3",
    },
    {
      name: "a failed operation is a failure",
      change: becomes('["failed", "success"]', "PHASES", "failed", "failure"),
      test: resources("readiness"),
      by: "W4",
    },
  ]),
  ...inFile("provider/api/operations/wait.ts", [
    {
      name: "an operation may be unknown at first",
      change: always("miss", "MAX_MISSES"),
      test: api("waits"),
      by: "W1",
    },
    {
      name: "an unknown status is warned of once",
      change: drop("warnIfUnknown", "add"),
      test: resources("readiness"),
      by: "W3",
    },
    { name: "a wait ends with its signal", change: drop("start", "signals", "#cleanup"), test: api("waits"), by: "W6" },
  ]),
  ...inFile("provider/api/operations/operations.ts", [
    {
      name: "a project that is known again gets all its polls",
      change: drop("fetch", "projectId"),
      test: api("idle"),
      by: "W1",
    },
  ]),
  ...inFile("provider/api/operations/project-poller.ts", [
    {
      name: "a wait ends if its request cannot be sent because of an input",
      change: without("isFinal", "input"),
      test: api("waits"),
    },
    {
      name: "a project that stayed unknown gets one poll",
      change: drop("constructor", "wasUnknown"),
      test: api("idle"),
      by: "W1",
    },
    {
      name: "a wait ends with its deadline",
      change: drop("#expire", "deadline"),
      test: resources("readiness"),
      by: "W5",
    },
    {
      name: "polls may fail for a time",
      change: becomes("1", "MAX_FAILED_POLLS"),
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
      change: without("retireReason", "pending", "length"),
    },
    { name: "the previous key has its grace", change: drop("retireReason", "now") },
    { name: "no third key is made while the previous one lives", change: always("rotationDue", "urgent") },
  ]),
  ...inFile("provider/resources/rotating-api-key.ts", [
    { name: "an update waits for the previous key before it rotates", change: always("rotateIfDue", "urgent") },
    { name: "a resource with one key left is not gone", change: without("read", "previousFound", "undefined") },
    {
      name: "a resource with a retired key that one list lacks is not gone",
      change: becomes(
        "(await context.keys().list()).filter(({ id }) => state.retired.includes(id))",
        "read",
        "notGone",
      ),
      by: "a rotation keeps the id of a retired live key",
    },
    { name: "what is left is revoked only once its successor is ready", change: drop("revokePending", "current") },
  ]),
  ...inFile("provider/resources/rotation/retire-key.ts", [
    { name: "keyplane's own credential is not retired", change: drop("retirePrevious", "ownSetting", "undefined") },
    { name: "a copied state does not retire the original's key", change: drop("retirePrevious", "isOthers") },
    { name: "a list that fails does not fail the run", change: always("listedKey", "isAborted") },
    {
      name: "a retired key that one list lacks is remembered",
      change: without("listedKey", "secondLook"),
      by: "a rotation remembers a retired key",
    },
    {
      name: "a retired key that was adopted is revoked under its own name",
      change: uncalled("revokeRetired", "keysToRevoke"),
      test: contract("rotation"),
      by: "after the grace of a previous key a retired key that was adopted",
    },
    {
      name: "a previous key that two lists lack is tried",
      change: drop("listedKey", "mustNotWork"),
      test: contract("rotation"),
      by: "after the grace of a previous key a key that works stays",
    },
    {
      name: "a previous key that works is kept after maxOverlap, too, if lists lack it",
      change: never("retirePrevious", "record", "unknown"),
      test: resources("rotation"),
      by: "a rotation keeps a previous key that works although",
    },
    {
      name: "a sealed previous key that two lists lack is named",
      change: drop("retirePrevious", "mustNotWork"),
      test: resources("sealed"),
      by: "a sealed RotatingApiKey names a previous key that two lists lack",
    },
    {
      name: "a retired key that two lists lack is named",
      change: drop("revokeRetired", "mustNotWork"),
      test: contract("rotation"),
      by: "after the grace of a previous key a retired key that two lists lack",
    },
    {
      name: "one list that lacks a previous key says nothing about its use",
      change: without("listedKey", "secondLook"),
      test: contract("rotation"),
      by: "after the grace of a previous key a key that is still used stays if",
    },
    {
      name: "the service's clock has to agree that the grace is over",
      change: uncalled("judgePrevious", "serviceNow"),
    },
  ]),
  ...inFile("provider/resources/rotation/rotate-key.ts", [
    { name: "a compromised key is marked as such", change: never("makePrevious", "revokeNow", "ownSetting") },
    {
      name: "the old key lives on as the previous one",
      change: becomes("state", "makePrevious", "state", "retired", "isOwn"),
    },
    { name: "keyplane's own credential is rotated only when told so", change: drop("rotateKey", "KP-OWN-CREDENTIAL") },
    {
      name: "a key that never became ready goes before the next is made",
      change: becomes("request.state", "rotateKey", "await", "request"),
    },
    {
      name: "what a new key's making has left behind is recorded",
      change: becomes("state.pendingRevocations", "rotateKey", "state", "made", 1),
    },
    {
      name: "an unusable new key is called revoked only if it is",
      change: always("makeReadyKey", "left", "length"),
    },
    { name: "a rotation that made nothing changes nothing", change: drop("rotateKey", "sameKeys") },
    { name: "times only go forward", change: uncalled("rotateKey", "Math") },
  ]),
].map((mutant) => ({ test: rotating, ...mutant }));

const adoption = [
  ...inFile("provider/keys/import-key.ts", [
    { name: "keyplane's own credential is not adopted", change: drop("proveKey", "refused", "throw") },
    { name: "the deadline of an adopted key is told", change: drop("proveKey", "deadline", "warn") },
    {
      name: "a secret that is not accepted is not adopted",
      change: instead("seen ??= [];", "provenByItself", "if", "seen", "notAccepted"),
    },
    { name: "a secret is not taken for that of another key", change: drop("provenByItself", "includes") },
    { name: "a key used in the same second is looked at again", change: always("provenByItself", "length") },
  ]),
  ...inFile("provider/resources/rotation/adopt-key.ts", [
    { name: "a key that another resource holds is not adopted", change: drop("adoptKey", "held", "!==") },
    { name: "a key of the stack's own making is not adopted", change: drop("adoptKey", "hasTagOf") },
    { name: "an adopted key is known as the adopting stack's", change: becomes("undefined", "takenOver", "by") },
  ]),
  ...inFile("provider/resources/rotation/adoption.ts", [
    { name: "two resources do not adopt one key", change: always("adoptionRules", "other", "urn") },
    {
      name: "a preview says that a new resource adopts a key, and only then",
      change: never("adoptionRules", "before"),
    },
    {
      name: "a preview refuses an adoption that needs no request for it",
      change: drop("adoptionRules", "refused", "!=="),
    },
    { name: "a resource that exists adopts no other key", change: drop("refuseLateAdoption", "adopted") },
    { name: "a resource that moves does not adopt its key again", change: drop("refuseLateAdoption", "sameScope") },
  ]),
  ...inFile("provider/keys/holders.ts", [
    {
      name: "a key that a successor holds is not revoked with the old resource",
      change: always("isHeldElsewhere", "ids", "urns"),
    },
    {
      name: "the deletion of a key that was imported twice does not revoke it",
      change: without("isHeldElsewhere", "urns"),
      test: "test/contract/plugin-import.test.ts",
      by: "a key that two resources import",
    },
  ]),
  ...inFile("provider/resources/rotation/rotation-outputs.ts", [
    { name: "an adopted secret is in the state once", change: without("writeState", "adopt") },
    {
      name: "the exact name of a key that an alias passes is known as the stack's own",
      change: becomes("adopted", "readState", "mintedBy", "adopted", "by"),
      test: resources("converted"),
      by: "of an ApiKey with an exact name",
    },
  ]),
  ...inFile("provider/schema/diff.ts", [
    {
      name: "a key is not deleted first for a change that the engine only supposes",
      change: never("diff", "isSupposed"),
      test: resources("diff"),
      by: "replaces no key for a change that the engine only supposes",
    },
  ]),
  ...inFile("provider/resources/api-key.ts", [
    {
      name: "a replacement looks for the lost requests of its predecessor",
      change: without("create", "lostBefore"),
      test: resources("lost-answers"),
      by: "a request that the service carries out long after its answer was lost C5: is on record with the key",
    },
    {
      name: "a refresh does not forget the lost request of a key that is gone",
      change: without("read", "lostNames"),
      test: resources("reads"),
      by: "R4",
    },
  ]),
  ...inFile("provider/resources/rotating-api-key.ts", [
    {
      name: "a refresh does not forget the lost request of a rotating key that is gone",
      change: without("read", "lostNames"),
      test: resources("reads"),
      by: "R4",
    },
  ]),
  ...inFile("provider/session/compare-resource.ts", [
    {
      name: "a comparison that the engine only supposes does not count as that of a refresh",
      change: without("compareResource", "driftOnly", "isSupposed"),
      test: resources("diff"),
      by: "a change of an input is only supposed",
    },
    {
      name: "the age that replaces a key is known under its former URN",
      change: without("noteReplaced", "urnBefore"),
      test: resources("diff"),
      by: "a key that its age replaces is known",
    },
    {
      name: "a key in another scope does not go on to look for the keys of lost requests",
      change: without("noteReplaced", "sameScope"),
      test: resources("lost-answers"),
      by: "C5: is not on record with a key in another organization",
    },
    {
      name: "a stack with another owner names the keys that it does not revoke",
      change: drop("reportRename", "warn", "sameOwner"),
      test: resources("diff"),
      by: "a key of another owner is named",
    },
  ]),
  ...inFile("provider/session/session.ts", [
    {
      name: "a change is only supposed unless the program has declared the key with unknown values",
      change: becomes("!this.#checked.has(urn)", "isSupposed", "get", "!=="),
      test: resources("diff"),
      by: "a change of an input is only supposed",
    },
  ]),
  ...inFile("provider/resources/api-key-state.ts", [
    {
      name: "an ApiKey does not forget the keys of a RotatingApiKey that an alias passes",
      change: drop("readState", "nextAction", "KeyplaneError"),
      test: resources("converted"),
      by: "is refused by all verbs",
    },
  ]),
].map((mutant) => ({ test: resources("adopt"), ...mutant }));

const account = [
  ...inFile("provider/keys/account-guard.ts", [
    {
      name: "an account that holds no key of the owner is refused",
      change: instead("return;", "mustBeSameAccount", "throw", "KP-WRONG-ACCOUNT"),
    },
    { name: "a witness is a key of the same stack", change: always("mustBeSameAccount", "hasTagOf") },
    { name: "an account that is confirmed is taken", change: without("mustBeSameAccount", "isAccountConfirmed") },
    {
      name: "the owner of the program's keys proves the account of a key that left it",
      change: drop("mustBeSameAccount", "noteProof", "ownerOfRun"),
    },
    {
      name: "what is recorded under this credential proves the account of its owner",
      change: drop("mustBeSameAccount", "noteProof", "identity"),
    },
  ]),
  ...inFile("provider/keys/known-origins.ts", [
    {
      name: "a confirmation is for one account",
      change: becomes("confirmedAccounts.length > 0", "isAccountConfirmed", "includes", "accountIn"),
    },
    {
      name: "the credential goes to no address that the state does not record",
      change: becomes("owners.length >= 0", "refusal", "owners", "origins"),
      test: KNOWN_ADDRESS,
    },
    {
      name: "a new owner does not vouch for an address that another one has not recorded",
      change: becomes("owners.some", "refusal", "every"),
      test: KNOWN_ADDRESS,
    },
    {
      name: "a confirmation is for one address",
      change: becomes("confirmedAccounts.length > 0", "isOriginConfirmed", "includes", "each"),
      test: KNOWN_ADDRESS,
    },
  ]),
  ...inFile("provider/session/session.ts", [
    {
      name: "every request goes only to an address that the state records",
      change: drop("account", "refusal", "undefined"),
      test: KNOWN_ADDRESS,
    },
  ]),
  ...inFile("provider/session/verb.ts", [
    {
      name: "a state counts only if it knows the owner",
      change: always("witness", "knows"),
      test: contract("rotation"),
      by: "the deletion of a resource by a provider that the program does not use is refused if the CLI answers",
    },
    {
      name: "the name of an input that looks like a key is not repeated",
      change: uncalled("reasonsOf", "maskKeyLike"),
      test: contract("config"),
      by: "the configuration of a provider resource controls no terminal",
    },
    {
      name: "a failed check leaves as a message",
      change: uncalled("reasonsOf", "toMessage"),
      test: WAYS_OUT,
      by: "a wrong setting of the plugin",
    },
    { name: "each verb notes the address in the state", change: drop("runVerb", "create"), test: KNOWN_ADDRESS },
  ]),
  ...inFile("provider/session/compare-resource.ts", [
    {
      name: "a preview says that the address is new",
      change: drop("compareResource", "reportOrigin"),
      test: KNOWN_ADDRESS,
    },
    { name: "a preview says once that the address is new", change: never("reportOrigin", "run"), test: KNOWN_ADDRESS },
  ]),
  ...inFile("provider/session/engine-link.ts", [
    {
      name: "what the engine is told leaves as a message",
      change: uncalled("#send", "toMessage"),
      test: WAYS_OUT,
      by: "a message to the engine",
    },
  ]),
  ...inFile("provider/dynamic/adapter.ts", [
    {
      name: "a resource is compared in the scope where it is",
      change: never("run", "name", "diff"),
      test: resources("diff"),
      by: "a key that moves to another account",
    },
    {
      name: "an error of the npm package leaves as a message",
      change: uncalled("toHostError", "toMessage"),
      test: WAYS_OUT,
      by: "an error of the npm package",
    },
    {
      name: "a reason why a key is not ready leaves as a message",
      change: becomes("{ id, properties, reasons: [messageOf(error)] }", "toHostError", "reasons"),
      test: WAYS_OUT,
      by: "a reason of the npm package",
    },
    {
      name: "a key that is created without its owner knows the owner's address",
      change: drop("run", "noteRecorded"),
      test: KNOWN_ADDRESS,
    },
  ]),
  ...inFile("provider/plugin/server.ts", [
    {
      name: "an error of the plugin leaves as a message",
      change: uncalled("toServiceError", "toMessage"),
      test: WAYS_OUT,
      by: "an error of the plugin",
    },
    {
      name: "data sources and gates know the address of the provider",
      change: drop("configure", "noteRecorded"),
      test: contract("account"),
      by: "no data source, gate, list or import",
    },
  ]),
  ...inFile("provider/keys/revoke-key.ts", [
    {
      name: "no key is revoked, and none taken for gone, in an account that is not proven",
      change: drop("revokeKey", "mustBeSameAccount"),
    },
  ]),
  ...inFile("provider/keys/find-key.ts", [
    { name: "no key is read in an account that is not proven", change: drop("findKey", "identity") },
    {
      name: "an id without a name is revoked only under the owner's tag",
      change: becomes("true", "mustBeKey", "hasTagOf", "&&"),
    },
  ]),
  ...inFile("provider/resources/api-key.ts", [
    { name: "an ApiKey is made in a proven account", change: drop("create", "mustBeSameAccount") },
    { name: "an ApiKey is updated in a proven account", change: becomes("false", "update", "provenOwnerChange") },
    { name: "an ApiKey that stays live is not forgotten in another account", change: drop("delete", "mustNotForget") },
  ]),
  ...inFile("provider/resources/rotating-api-key.ts", [
    { name: "a RotatingApiKey is made in a proven account", change: drop("create", "mustBeSameAccount") },
    {
      name: "a RotatingApiKey is updated in a proven account",
      change: becomes("false", "update", "provenOwnerChange"),
    },
  ]),
  ...inFile("provider/resources/rotation/delete-rotating-key.ts", [
    {
      name: "a RotatingApiKey that stays live is not forgotten in another account",
      change: drop("deleteRotatingKey", "mustNotForget"),
    },
  ]),
  ...inFile("provider/dynamic/owner.ts", [
    { name: "a new owner is recorded only with a credential that works", change: drop("create", "fresh") },
    { name: "another credential is shown as a change of the owner", change: drop("due", "accountIn", "replace") },
    { name: "an owner is refreshed in a proven account", change: drop("read", "recordedIdentity") },
    { name: "an owner is updated in a proven account", change: drop("update", "recordedIdentity") },
    {
      name: "an owner of version 0.1, which recorded no account, is proven, too",
      change: without("recordedIdentity", "identityOf"),
    },
    { name: "an owner is deleted in a proven account", change: drop("delete", "mustBeSameAccount") },
  ]),
  ...inFile("provider/dynamic/ledger.ts", [
    { name: "a ledger sweeps and revokes in a proven account", change: drop("endRun", "mustBeSameAccount") },
    { name: "a ledger is read in a proven account", change: drop("read", "mustBeSameAccount") },
    { name: "a ledger is not forgotten in another account", change: drop("delete", "owner") },
  ]),
].map((mutant) => ({ test: resources("wrong-account"), ...mutant }));

const digests = [
  ...inFile("cli/identify/advice.ts", [
    {
      name: "the command for a key that its account does not list only shows a plan",
      change: never("revokeNow", "record", "undefined"),
      test: cli("identify"),
      by: "with a credential, the last use is shown",
    },
    {
      name: "the command for a key whose account was not asked only shows a plan",
      change: becomes('" --yes"', "revokeNow", " --yes", ""),
      test: cli("identify"),
      by: "a key whose account was not asked",
    },
    {
      name: "a key that stays live without its resource is not said to be replaced",
      change: never("adviceFor", "kept"),
      test: cli("identify"),
      by: "a key that stays live without",
    },
  ]),
  ...inFile("cli/identify/identify.ts", [
    {
      name: "a key that keyplane authenticates with is no unknown key",
      change: becomes("new Map()", "identify", "own", "new"),
      test: cli("identify"),
      by: "a key that keyplane authenticates with is recognized",
    },
    {
      name: "a key that keyplane authenticates with is replaced before it is revoked",
      change: without("identify", "replaceFirst"),
      test: cli("identify"),
      by: "a key that keyplane authenticates with is recognized",
    },
    {
      name: "the key of another account is not sent to the selected one",
      change: becomes("true", "identify", "includes", "accountSetting", "credential"),
      test: cli("identify"),
      by: "the key of another account is not sent",
    },
  ]),
  ...inFile("cli/identify/key-search.ts", [
    {
      name: "a part of a key at the end of a window is not a key",
      change: never("#search", "openEnd"),
      test: cli("identify-search"),
    },
    {
      name: "a part of a key at the start of a window is not a key",
      change: never("#search", "openStart"),
      test: cli("identify-search"),
    },
    {
      name: "the end of a window is searched again with the next one",
      change: becomes("Buffer.alloc(OVERLAP)", "add", "subarray", "OVERLAP"),
      test: cli("identify-search"),
    },
    {
      name: "a hash in hex is no unknown key",
      change: becomes("/^(?:[a-z]{2,10}_)?[a-z0-9]{64}$/", "SERVICES"),
      test: cli("identify-search"),
    },
  ]),
  ...inFile("cli/identify/holdings.ts", [
    {
      name: "a key that another stack created is shown as that of a copy",
      change: becomes("false", "holdingOf", "foreign", "isMadeByOneOf", "length"),
      test: cli("identify"),
      by: "the answers for a corpus",
    },
    {
      name: "a stack of the same name with another owner is no newer state",
      change: always("newestOf", "some", "includes"),
      test: cli("identify"),
      by: "the answers for a corpus",
    },
    {
      name: "an older state does not say that a key is in use",
      change: never("newestOf", "newest", "timeOf", "state"),
      test: cli("identify"),
      by: "the answers for a corpus",
    },
  ]),
  ...inFile("cli/state/states.ts", [
    {
      name: "a resource that is about to be deleted does not count as a consumer",
      change: without("consumersIn", "resource", "replaced"),
      test: cli("report-join"),
      by: "a key has the stack, the resource, the consumers",
    },
  ]),
  ...inFile("provider/functions/args.ts", [
    {
      name: "a function waits no longer than a timer can",
      change: without("checkTimer", "MAX_TIMER_MS"),
      test: "test/unit/functions/functions.test.ts",
      by: "arguments with a time that no timer can wait",
    },
  ]),
  ...inFile("cli/identify/service.ts", [
    {
      name: "a key that cannot be checked does not hide what was identified",
      change: before("throw error;", "#noting", "problems"),
      test: cli("identify"),
      by: "a key that cannot be checked",
    },
    {
      name: "a key is not checked without an address",
      change: always("check", "hasAddress"),
      test: cli("identify"),
      by: "a key of the account of KEYPLANE_API_KEY",
    },
    {
      name: "a key that was found is sent to no service but its own",
      change: becomes("this.flags.account", "check", "account", "flags", "??"),
      test: cli("identify"),
      by: "a key is checked only at the address",
    },
  ]),
  ...inFile("cli/state/state-files.ts", [
    {
      name: "the states of a project named stacks are not all that a folder has",
      change: never("stateFilesIn", "endsWith"),
      test: cli("report"),
      by: "report reads links in a folder",
    },
    {
      name: "a folder without states is refused",
      change: always("stateFiles", "files", "length"),
      test: cli("identify"),
      by: "what is not a state",
    },
    {
      name: "a wrong path that can be a misplaced key is not repeated",
      change: becomes("path !== undefined", "shownPath", "test", "path"),
      test: cli("identify"),
      by: "what is not a state",
    },
  ]),
  ...inFile("provider/key-digest.ts", [
    {
      name: "a secret that could be guessed has no digest",
      change: without("keyDigest", "isRandomKey"),
      test: keys("key-digest"),
      by: "a digest that could be guessed",
    },
    {
      name: "a secret of repeated parts or rows is not random",
      change: always("isRandomKey", "pairs"),
      test: keys("key-digest"),
    },
    { name: "a passphrase is not random", change: without("isRandomKey", "CHANGE"), test: keys("key-digest") },
    {
      name: "the digest of a key is not the plain hash of its secret",
      change: without("keyDigest", "KEY_DOMAIN"),
      test: keys("key-digest"),
    },
  ]),
  ...inFile("provider/resources/rotation/rotation-outputs.ts", [
    {
      name: "a RotatingApiKey remembers no triggers in clear",
      change: without("writeState", "rotationTriggers"),
      test: resources("rotation"),
      by: "T4",
    },
    {
      name: "triggers that version 0.1 queued in clear are cleaned",
      change: without("readState", "queuedTriggers"),
      test: resources("rotation"),
      by: "T4",
    },
  ]),
  ...inFile("provider/keys/rotation-window.ts", [
    {
      name: "a window over midnight belongs to the day on which it opens",
      change: without("firstInside", "1"),
      test: unit("keys/rotation-window"),
    },
    {
      name: "a window is judged by the clocks that its time has, not by those of now",
      change: always("dueIn", "offset", "current"),
      test: unit("keys/rotation-window"),
    },
    {
      name: "a window that opens as soon as the clocks have changed is not passed over",
      change: becomes("open", "dueIn", "changeOf", "offset"),
      test: unit("keys/rotation-window"),
    },
  ]),
  ...inFile("provider/keys/key-fields.ts", [
    {
      name: "a key whose window has closed waits for the next one",
      change: becomes("due(Number.NEGATIVE_INFINITY)", "dueByAge", "due", "now"),
      test: resources("diff"),
      by: "the diff of an ApiKey with a rotationWindow",
    },
    {
      name: "a key does not wait for a window that opens after its deadline",
      change: always("nextDue", "open", "latest"),
      test: resources("rotation-window"),
      by: "a RotatingApiKey with a rotationWindow does not wait for a window",
    },
    { name: "a window without an age is refused", change: drop("keyRules", "rotateAfter"), test: resources("check") },
  ]),
  ...inFile("provider/keys/key-state.ts", [
    {
      name: "a digest of triggers that anybody can make is due",
      change: without("readKeyState", "isWeak"),
      test: resources("secret-triggers"),
    },
    {
      name: "a state that holds triggers in clear is due",
      change: without("readKeyState", "isClear", "isWeak"),
      test: resources("diff"),
    },
  ]),
  ...inFile("provider/resources/api-key-state.ts", [
    {
      name: "an ApiKey remembers no triggers in clear",
      change: without("writeState", "rotationTriggers"),
      test: resources("wrong-account"),
      by: "an ApiKey stores",
    },
  ]),
  ...inFile("provider/schema/digest.ts", [
    {
      name: "a digest of triggers cannot be made without the secret of the key",
      change: becomes('createHmac("sha256", "").update', "keyed", "update"),
      test: resources("secret-triggers"),
    },
    {
      name: "a digest of a former version is one of the same triggers",
      change: becomes("isKeyed(text) || text.length === 24", "keyed", "isKeyed", "text"),
      test: resources("secret-triggers"),
    },
  ]),
  ...inFile("provider/keys/fate.ts", [
    {
      name: "a shortened maxOverlap counts at once",
      change: uncalled("endOfOverlap", "maxOverlap"),
      test: resources("rotation"),
      by: "T7",
    },
    {
      name: "a shortened quietPeriod counts at once",
      change: becomes("3 * 24 * 3_600_000", "endOfOverlap", "quiet"),
      test: resources("rotation"),
      by: "T7",
    },
  ]),
  ...inFile("provider/resources/rotating-api-key.ts", [
    {
      name: "a copied state leaves what a RotatingApiKey has to revoke to the original",
      change: becomes("taken", "update", "hasNewOwner", "compromised"),
      test: resources("rotation-requests"),
      by: "are not revoked if the copied state",
    },
  ]),
  ...inFile("provider/resources/rotation/delete-rotating-key.ts", [
    {
      name: "a copied state leaves what a deleted RotatingApiKey has to revoke to the original",
      change: always("leftBeside", "sameOwner"),
      test: resources("deletes"),
      by: "C14",
    },
  ]),
  ...inFile("provider/dynamic/ledger.ts", [
    {
      name: "a copied state leaves what its ledger has to revoke to the original",
      change: becomes("false", "endRun", "sameOwner", "&&"),
      test: resources("wrong-account"),
      by: "leaves the ids",
    },
  ]),
  ...inFile("provider/keys/identity.ts", [
    {
      name: "a stack of another organization gets an owner of its own",
      change: never("formerName", "organization", "now", "undefined"),
      test: resources("wrong-account"),
      by: "gets an owner",
    },
  ]),
];

const values = [
  ...inFile("sdk/nodejs/run/hide-debug-values.ts", [
    {
      name: "values are cut off debug messages",
      change: becomes("values !== null", "withoutValues", "||"),
      test: "test/unit/sdk/hide-debug-values.test.ts",
    },
  ]),
  ...inFile("sdk/plugin/runtime.ts", [
    {
      name: "secret inputs of the plugin's resources are secret, also as plain text",
      change: becomes("pulumi.output", "secretOf", "secret"),
      test: "test/unit/sdk/plugin-sdk.test.ts",
    },
    {
      name: "secret outputs of the plugin's resources are secret",
      change: without("optionsOf", "secrets"),
      test: "test/unit/sdk/plugin-sdk.test.ts",
    },
    {
      name: "a program with the plugin shows no values in debug messages",
      change: drop("", "../nodejs/run/hide-debug-values"),
      test: "test/unit/sdk/plugin-sdk.test.ts",
    },
    {
      name: "the program's version of the plugin runs",
      change: never("optionsOf", "pluginOptions"),
      test: "test/unit/sdk/plugin-sdk.test.ts",
    },
  ]),
  ...inFile("provider/dynamic/adapter.ts", [
    {
      name: "a failed check names no property, whose value would be printed",
      change: becomes("(reason, at) => ({ property: failures[at].property, reason })", "check", "=>"),
      test: "test/unit/errors/error-pages.test.ts",
    },
    {
      name: "the npm package marks secrets itself",
      change: uncalled("written", "markSecrets"),
      test: WAYS_OUT,
      by: "the npm package marks the secrets",
    },
  ]),
  ...inFile("provider/session/values.ts", [
    {
      name: "an output that does not exist is null in the state",
      change: becomes("undefined", "toState", "null"),
      test: "test/unit/session/values.test.ts",
    },
    {
      name: "the secret of a previous key is marked",
      change: without("SECRET_OUTPUTS", "previousKey"),
      test: "test/unit/session/values.test.ts",
    },
    {
      name: "recipients that wait are marked, because the input can be a secret",
      change: without("SECRET_OUTPUTS", "queuedSealTo"),
      test: "test/unit/session/values.test.ts",
    },
    {
      name: "a secret that a key lacks is not marked",
      change: always("markSecrets", "null"),
      test: "test/unit/session/values.test.ts",
    },
    {
      name: "an output that is null in the state does not exist",
      change: always("fromState", "includes"),
      test: "test/unit/session/values.test.ts",
    },
  ]),
];

const outside = [
  ...inFile("provider/api/operations/wait.ts", [
    { name: "a wait says why it got no answer", change: drop("missed", "#trouble"), test: api("waits"), by: "W2" },
  ]),
  ...inFile("provider/text.ts", [
    {
      name: "escape sequences are taken out of text from outside",
      change: unchained("printable", "SEQUENCES"),
      test: "test/unit/text.test.ts",
    },
    {
      name: "control and direction characters are taken out of text from outside",
      change: unchained("printable", "UNPRINTABLE"),
      test: "test/unit/text.test.ts",
    },
    {
      name: "a name in a message has a limited length",
      change: uncalled("shownName", "cleanText"),
      test: "test/unit/text.test.ts",
    },
    {
      name: "secrets in a name are replaced before it is cut",
      change: uncalled("shownName", "redactShort"),
      test: "test/unit/text.test.ts",
    },
    {
      name: "a message leaves without secrets, printable and of limited length",
      change: becomes("redact(text)", "toMessage", "shortened", "printable"),
      test: "test/unit/text.test.ts",
    },
    {
      name: "JSON escapes unprintable characters",
      change: becomes("/[^\\s\\S]/g", "printableJson", "/[^\\n]/g"),
      test: "test/unit/text.test.ts",
    },
  ]),
  ...inFile("provider/http/client.ts", [
    {
      name: "a request with a secret outside its header is not sent",
      change: becomes("false as boolean", "request", "holdsSecret", "stringify"),
      test: http("misplaced-secrets"),
    },
  ]),
  ...inFile("provider/http/proxy.ts", [
    {
      name: "a proxy that is no URL is not repeated",
      change: negated("parse", "url", "undefined"),
      test: http("connections"),
    },
    {
      name: "a proxy's password that is not encoded is refused",
      change: without("parse", "holdsStrayPassword"),
      test: http("connections"),
    },
    { name: "NO_PROXY exempts a host", change: without("proxyFor", "isExempt"), test: http("connections") },
  ]),
  ...inFile("provider/api/keys/read-keys.ts", [
    {
      name: "a creator's name is cleaned",
      change: becomes("text", "readCreator", "undefined", "reader"),
      test: api("keys-list"),
    },
  ]),
  ...inFile("provider/api/paging.ts", [
    {
      name: "a list whose cursors become a circle is an error",
      change: without("advance", "cursor", "#mark", "==="),
      test: api("paging"),
      by: "the pages of a list fail soon",
    },
    {
      name: "the cursors of former pages are not kept",
      change: instead('this.#own = (this.#own ?? "").concat(cursor);', "#follow", "#own"),
      test: api("paging"),
      by: "the pages of a list need no memory",
    },
    {
      name: "the pages of a list are limited",
      change: becomes("pages <= 2 * MAX_PAGES", "paginate", "pages", "MAX_PAGES", "<="),
      test: api("paging"),
      by: "the pages of a list end with an error",
    },
  ]),
  ...inFile("provider/api/collected.ts", [
    {
      name: "the pages of a list are limited together",
      change: drop("take", "MAX_CHARACTERS"),
      test: api("collected"),
    },
    {
      name: "long texts count in the limit of a list",
      change: becomes("size += 0", "sizeOf", "+="),
      test: api("collected"),
    },
  ]),
  ...inFile("provider/api/projects/projects.ts", [
    {
      name: "a page of any length is added",
      change: instead("projects.push(...collected.take(page.items));", "list", "take", "push", "projects", "items"),
      test: api("collected"),
    },
  ]),
  ...inFile("provider/resource-types.ts", [
    {
      name: "policies know the keys of the plugin",
      change: without("KEY_TYPES", "PLUGIN"),
      test: "test/unit/resource-types.test.ts",
    },
  ]),
  ...inFile("provider/text.ts", [
    {
      name: "no message repeats the name of an account that can be a secret",
      change: becomes("!name", "shownAccount", "looksSecret", "name"),
      test: "test/unit/accounts.test.ts",
    },
    {
      name: "no message names the setting of an account whose name can be a secret",
      change: uncalled("accountSetting", "shownAccount"),
      test: "test/unit/accounts.test.ts",
    },
  ]),
  ...inFile("cli/account.ts", [
    {
      name: "a wrong --account repeats no account whose name can be a secret",
      change: uncalled("settingsOf", "shownAccount"),
      by: "the name of an account that can be a secret",
    },
  ]),
  ...inFile("provider/settings/accounts.ts", [
    {
      name: "no message repeats a member of an account that can be a secret",
      change: always("readAccount", "MISSPELLED"),
      test: "test/unit/accounts.test.ts",
    },
    {
      name: "each wrong setting is named",
      change: instead("throw error;", "readAll", "found", "problem"),
      test: "test/unit/settings.test.ts",
    },
  ]),
  ...inFile("provider/plugin/functions.ts", [
    {
      name: "the plugin repeats no id that a data source was given",
      change: becomes("described(session, name, error) + ids.slice(99)", "invoke", "described", "fromEntries"),
      test: contract("functions"),
    },
  ]),
  ...inFile("cli/terminal.ts", [
    { name: "every printed line is printable", change: uncalled("harmless", "printable") },
    {
      name: "every printed line has a limited length",
      change: becomes("printable(withoutSecrets(text))", "harmless", "shortened", "printable"),
    },
    { name: "no printed line holds a configured credential", change: uncalled("harmless", "withoutSecrets") },
    { name: "printed JSON holds no configured credential", change: uncalled("printJson", "withoutSecrets") },
  ]),
  ...inFile("cli/table.ts", [{ name: "a cell is cleaned", change: uncalled("table", "plain") }]),
  ...inFile("cli/usage-error.ts", [
    { name: "a wrong word is not repeated", change: without("usageErrorOf", "problems"), test: cli("usage.long") },
    {
      name: "only what looks like an option is repeated",
      change: becomes("/^unknown option '(-{1,2}[a-z][\\w-]*)(=.*)?'/s.exec", "optionName", "exec"),
      test: cli("usage.long"),
    },
    {
      name: "an argument that imitates the parser's words is not repeated",
      change: becomes('text.indexOf("\' is invalid. ")', "usageErrorOf", "lastIndexOf", "' is invalid. "),
      test: cli("usage.long"),
    },
  ]),
  ...inFile("cli/state/pulumi-stack.ts", [
    {
      name: "a stack's name cannot be an option of the Pulumi CLI",
      change: without("readStackName", "startsWith"),
      test: cli("stack-access"),
    },
    {
      name: "the Pulumi CLI gets no credential of keyplane",
      change: becomes("() => true", "pulumiFor", "=>"),
      test: cli("stack-access"),
    },
    {
      name: "a stack's name that can be a secret is not repeated",
      change: becomes("looksSecret(full) && position < 0", "shownStack", "split", "looksSecret"),
      test: cli("stack-access"),
    },
  ]),
  ...inFile("cli/doctor/stack.ts", [
    {
      name: "a decrypted credential is in no output",
      change: becomes("credential.slice(999)", "openCredentials", "credential"),
      test: cli("stack-access"),
    },
    {
      name: "the doctor decrypts nothing that the user has not asked for",
      change: without("openCredentials", "isNamed", "hasPassphrase"),
      test: cli("stack-access"),
    },
    {
      name: "the doctor decrypts only what it needs",
      change: becomes("[...config.settings.keys()]", "openCredentials", "NEEDED", "settings"),
      test: cli("stack-access"),
    },
  ]),
  ...inFile("cli/report/page.ts", [
    {
      name: "no text can end the script element with the data of the page",
      change: becomes("/[>&]/g", "pageOf", "/[<>&]/g"),
    },
    { name: "text in the elements of the page is escaped", change: becomes("/[\"']/g", "html", "/[<>&\"']/g") },
    {
      name: "the policy names the script by its hash",
      change: becomes("`script-src 'unsafe-inline'`", "policyOf", "`script-src ${"),
    },
    { name: "the policy allows nothing else", change: becomes('"default-src *"', "policyOf", "default-src 'none'") },
    {
      name: "no text of the page is invisible, changes its direction or is too long",
      change: uncalled("shown", "cleanText"),
    },
    { name: "no text of the page contains a known secret", change: uncalled("shown", "redact") },
  ]).map((mutant) => ({ test: cli("report-page"), ...mutant })),
  ...inFile("cli/report/make-report.ts", [
    {
      name: "the report's page is not written through a link or into a pipe",
      change: never("writeOwnFile", "isFile"),
      test: cli("write-own-file"),
    },
    {
      name: "the report's page is readable only by its owner",
      change: becomes("0o644", "writeOwnFile", "0o600"),
      test: cli("write-own-file"),
    },
  ]),
  ...inFile("cli/report/make-report.ts", [
    {
      name: "the report conceals the secrets of a state in plain text",
      change: drop("concealSecrets", "concealIn", "name"),
      test: cli("report-secrets"),
    },
  ]),
  ...inFile("cli/report/state-keys.ts", [
    {
      name: "the report copies no name that a state marks as a secret",
      change: without("hasName", "secrets"),
      test: cli("report-join"),
    },
  ]),
  ...inFile("cli/report/place-keys.ts", [
    {
      name: "the report shows no name of an account that can be a secret",
      change: uncalled("labelOf", "shownAccount"),
      test: cli("report-join"),
    },
    {
      name: "a key is reported as gone only with a proof that the list had it",
      change: becomes("this.lists[0]", "of", "#recorded", "key"),
      test: cli("report-join"),
    },
    {
      name: "the same id in another account is another key",
      change: without("isHere", "undefined"),
      test: cli("report-join"),
    },
  ]),
  ...inFile("cli/doctor/run-apart.ts", [
    {
      name: "a program's code gets a clean environment",
      change: unchained("runApart", "entries", "PASSED_ON"),
      test: cli("run-apart"),
    },
    {
      name: "a program's code that ignores signals ends",
      change: without("runApart", "killSignal"),
      test: cli("run-apart"),
      by: "a separate process that ignores signals",
    },
  ]),
].map((mutant) => ({ test: cli("outside-text"), ...mutant }));

const serving = [
  ...inFile("testing/control-plane/exchange.ts", [
    { name: "a body is read only of who is known", change: always("exchange", "keyOf"), test: plane("bodies") },
  ]),
  ...inFile("testing/control-plane/read-body.ts", [
    {
      name: "a body that is announced too long is not read",
      change: drop("readBody", "headers"),
      test: plane("bodies"),
    },
    {
      name: "a body that grows too long is not kept",
      change: becomes("length > 0", "onData", "<="),
      test: plane("bodies"),
    },
  ]),
  ...inFile("testing/control-plane/request-log.ts", [
    { name: "the log does not grow without end", change: drop("open", "2"), test: plane("log") },
    { name: "an entry of the log is of limited length", change: without("open", "path"), test: plane("log") },
    { name: "the log counts what it forgets", change: becomes("0", "open", "1"), test: plane("log") },
  ]),
  ...inFile("testing/control-plane/data-file.ts", [
    {
      name: "nobody can take the name of the temporary file",
      change: becomes('"new"', "write", "randomUUID", ""),
      test: plane("data-file"),
    },
    {
      name: "the data file is for its owner alone",
      change: becomes("0o644", "write", "0o600"),
      test: plane("data-file"),
    },
  ]),
  ...inFile("testing/control-plane/control/app.ts", [
    {
      name: "the control endpoints refuse a page of another site that sends no origin",
      change: without("createControlApp", "||"),
      test: plane("control"),
    },
    {
      name: "the control endpoints do not tell a key that must not be told",
      change: always("info", "showsApiKey"),
      test: plane("control"),
    },
    {
      name: "the body of a control call is limited",
      change: becomes("req.text()", "textOf", "readBody", "incoming"),
      test: plane("control"),
    },
  ]),
  ...inFile("testing/control-plane/control/state-calls.ts", [
    {
      name: "a key that must not be told is not among the secrets",
      change: always("secretsToShow", "showsApiKey"),
      test: plane("control"),
    },
  ]),
];

const plugins = [
  ...inFile("provider/plugin/main.ts", [
    {
      name: "the plugin ends with the engine before it is configured",
      change: drop("", "watch"),
      test: contract("process"),
      by: "the plugin's process ends with the engine even",
    },
  ]),
  ...inFile("provider/plugin/config.ts", [
    {
      name: "a setting that does not exist is refused",
      change: never("checkConfig", "OF_ENGINE"),
      test: plugin("config"),
    },
    {
      name: "a configuration with unknown values is not checked",
      change: always("checkConfig", "hasUnknown"),
      test: contract("config"),
      by: "the configuration of a provider resource is not checked",
    },
  ]),
  ...inFile("sdk/nodejs/run/judge-config.ts", [
    {
      name: "a credential in plain text causes a warning",
      change: never("plainTextWarnings", "isSecret"),
      test: "test/unit/sdk/judge-config.test.ts",
      by: "causes a warning for each secret in plain text",
    },
    {
      name: "a setting without effect causes a warning",
      change: always("misnamed", "some"),
      test: "test/unit/sdk/judge-config.test.ts",
      by: "causes a warning for each name",
    },
  ]),
  ...inFile("provider/settings/setting-names.ts", [
    {
      name: "the secrets of a provider resource are marked",
      change: becomes('["apiKey"]', "SECRET_SETTINGS", "accounts", "importKeys"),
      test: contract("config"),
      by: "the configuration of a provider resource is saved",
    },
  ]),
  ...inFile("provider/plugin/owner.ts", [
    {
      name: "an up has the owner of its plan",
      change: drop("newOwnerId", "isOfStack"),
      test: unit("stack/plan"),
      by: "a run with the file of a plan gives the provider",
    },
    {
      name: "a plan of another stack gives no owner",
      change: becomes("planned !== undefined", "newOwnerId", "isOfStack", "planned"),
      test: unit("stack/plan"),
      by: "a run with the file of a plan gives it another owner",
    },
    {
      name: "a strict up has the owner of its preview",
      change: becomes("seed !== undefined", "newOwnerId", "==="),
      test: unit("stack/plan"),
      by: "a run whose plan is in the memory of the CLI has the owner",
    },
    {
      name: "two providers of a strict up have different owners",
      change: unchained("newOwnerId", "urn"),
      test: unit("stack/plan"),
      by: "a run whose plan is in the memory of the CLI has the owner",
    },
  ]),
  ...inFile("provider/plugin/same-user.ts", [
    {
      name: "a connection that its process has closed belongs to nobody",
      change: without("userOf", "INODE"),
      test: plugin("same-user"),
      by: "the process at the other end of a connection is nobody",
    },
    {
      name: "a connection that the table lacks is refused",
      change: becomes("other === undefined || other === user", "isSameUser", "other", "user"),
      test: plugin("same-user"),
      by: "the process at the other end of a connection is nobody",
    },
    {
      name: "a caller at another address of this machine is not the engine",
      change: never("isSameUser", "remoteAddress", "HERE"),
      test: plugin("same-user"),
      by: "the process at the other end of a connection is not the engine",
    },
    {
      name: "a table without users refuses nobody",
      change: drop("isSameUser", "some"),
      test: plugin("same-user"),
      by: "counts as one of the same user",
    },
  ]),
  ...inFile("provider/plugin/main.ts", [
    {
      name: "another user gets no answer of the plugin",
      change: always("listener", "isSame"),
      test: contract("config"),
      by: "a caller that is not the engine gets no answer",
    },
  ]),
  ...inFile("provider/plugin/server.ts", [
    {
      name: "a running plugin cannot be configured again",
      change: drop("configure", "config", "CONFIGURED"),
      test: contract("config"),
      by: "a caller that is not the engine cannot configure",
    },
  ]),
  ...inFile("provider/plugin/resources.ts", [
    {
      name: "a preview creates nothing",
      change: drop("create", "isPreview"),
      test: contract(""),
      by: "a preview sends no request",
    },
    {
      name: "a preview updates nothing",
      change: drop("update", "isPreview"),
      test: contract(""),
      by: "a preview of a rotation",
    },
    {
      name: "a key that its own resource imports is held by the import",
      change: drop("#import", "noteHeldBy", "IMPORT"),
      test: contract("import"),
      by: "an organization's key that its own resource imports",
    },
    {
      name: "a second state of a resource holds its key",
      change: never("#noteOthers", "stays", "shown", "organizationId"),
      test: contract("import"),
      by: "an organization's key that its own resource imports",
    },
    {
      name: "a command without a state creates no key",
      change: drop("beforeCreate", "isStateless"),
      test: contract("do"),
      by: "a command without a state creates no",
    },
  ]),
  ...inFile("provider/plugin/orphans.ts", [
    {
      name: "the orphans of a resource are looked for in each list that it was in",
      change: always("afterDelete", "swept"),
      test: contract("orphans"),
      by: "the deletion of a resource also revokes them if the resource has moved",
    },
    {
      name: "a failed search at the end of a run is reported",
      change: drop("atEnd", "warn", "messageOf"),
      test: contract("orphans"),
      by: "a key of a resource that is gone from the program is kept with a warning",
    },
    {
      name: "the end of a run revokes no key that another process of it may be creating",
      change: becomes("false", "#gone", "requestOf", "thisSecond"),
      test: contract("orphans"),
      by: "a key of a resource that is gone from the program is kept if a process",
    },
    {
      name: "a refresh revokes nothing",
      change: negated("atEnd", "hasChanged"),
      test: contract("orphans"),
      by: "a refresh reports at its end",
    },
  ]),
  ...inFile("provider/plugin/handover.ts", [
    {
      name: "the keys of a handover that ended half-way are named",
      change: drop("reportLeft", "warn"),
      test: contract("rotation"),
      by: "a key that revokeNow names is reported if",
    },
  ]),
  ...inFile("provider/stack/plan.ts", [
    {
      name: "a run without a plan has a random owner",
      change: never("plannedSeed", "usesPlan"),
      test: unit("stack/plan"),
      by: "a run whose plan is in the memory of the CLI has a random owner",
    },
  ]),
  ...inFile("provider/plugin/owner.ts", [
    {
      name: "a copied stack gets a provider's owner of its own",
      change: becomes('typeof before !== "string"', "ownerOfProvider", "!"),
      test: plugin("owner"),
    },
    {
      name: "the account of a provider's owner stays until the user confirms another one",
      change: instead("return mark;", "markAfter", "before", "undefined", "return", "===", 1),
      test: plugin("owner"),
    },
    {
      name: "the address of a provider's owner stays until the user confirms another one",
      change: becomes("false", "markAfter", "isKept"),
      test: plugin("owner"),
    },
    {
      name: "a key keeps its owner under another provider",
      change: becomes("fresh", "ownerOfKey", "isKept", "before"),
      test: plugin("owner"),
    },
    {
      name: "a copied state does not claim the keys of the original",
      change: becomes('typeof before === "string"', "ownerOfKey", "isOfStack", "renamedFrom"),
      test: plugin("owner"),
    },
    {
      name: "a key keeps the account in which it was recorded",
      change: becomes("ofNewKey", "identityOfResource", "markIn", "recorded"),
      test: plugin("owner"),
    },
    {
      name: "an organization is not compared with the account of its provider",
      change: always("identityOfResource", "organizationId"),
      test: plugin("owner"),
    },
  ]),
  ...inFile("provider/plugin/engine-values.ts", [
    {
      name: "inputs of the dynamic provider's SDK are refused",
      change: always("publicPart", "internal", "account"),
      test: contract("config"),
      by: "the inputs of a resource cannot include",
    },
    {
      name: "a prefix leaves room for both tags",
      change: without("publicPart", "prefixUpTo"),
      test: contract("config"),
      by: "the inputs of a resource can name a prefix",
    },
  ]),
  ...inFile("provider/plugin/wire.ts", [
    { name: "secrets are marked for the engine", change: uncalled("toStruct", "markSecrets"), test: plugin("wire") },
    {
      name: "secrets are read without their marks",
      change: becomes("(struct?.toJavaScript() ?? {})", "fromStruct", "unmarked", "struct"),
      test: plugin("wire"),
    },
    {
      name: "the engine gets a resource that is not ready",
      change: drop("notReady", "addDetails"),
      test: plugin("wire"),
    },
  ]),
  ...inFile("provider/plugin/server.ts", [
    {
      name: "a failed check names no property, whose value Pulumi would show",
      change: becomes('"apiKey"', "checked", "", 2),
      test: contract("config"),
      by: "the configuration of a provider resource with",
    },
    {
      name: "no setting replaces a provider resource",
      change: becomes("new provider.DiffResponse().setReplacesList(changed)", "diffConfig", "new", "DiffResponse"),
      test: contract("config"),
      by: "the configuration of a provider resource never asks",
    },
  ]),
  ...inFile("provider/plugin/orphans.ts", [
    {
      name: "a key that the engine has shown is no orphan of a resource",
      change: without("#unknown", "has"),
      test: contract("orphans"),
      by: "a key that the engine has shown",
    },
    {
      name: "a deletion fails while an orphan of the resource stays",
      change: drop("afterDelete", "mustBeRevoked"),
      test: contract("orphans"),
      by: "the deletion of a resource fails",
    },
    {
      name: "a failed list of orphans is not remembered",
      change: drop("#list", "undefined"),
      test: contract("orphans"),
      by: "a key that an interrupted run left behind does not stop",
    },
  ]),
  ...inFile("provider/plugin/resources.ts", [
    {
      name: "an import is guarded by the account of the stack's keys",
      change: drop("#import", "mustBeSameAccount"),
      test: contract("import"),
      by: "an import with another credential is refused",
    },
    {
      name: "a replacement is guarded by the account that its comparison has shown",
      change: drop("create", "mustBeSameAccount", "former"),
      test: contract("account"),
      by: "the credential of another account, for ApiKey, is refused by a replacement",
    },
    {
      name: "a changed credential causes an update",
      change: never("diff", "isElsewhere"),
      test: contract("account"),
      by: "another credential of the same account, for ApiKey, is recorded by an update",
    },
    {
      name: "an update records the account",
      change: becomes("outputs", "recorded", "withoutEmpty", "outputs"),
      test: contract("account"),
      by: "another credential of the same account, for ApiKey, is recorded by an update",
    },
    {
      name: "a refresh of the plugin revokes nothing",
      change: becomes("this.#orphans.afterDelete", "read", "report"),
      test: contract("orphans"),
      by: "a refresh reports",
    },
    {
      name: "a deletion revokes the orphans of the resource",
      change: drop("delete", "afterDelete"),
      test: contract("orphans"),
      by: "the deletion of a resource of type",
    },
    {
      name: "an id to import is checked",
      change: drop("#import", "holds", "checkId"),
      test: contract("import"),
      by: "the import of an existing key as ApiKey is refused for an id",
    },
    {
      name: "a real replacement is no handover",
      change: without("diff", "0", ">"),
      test: contract("rotation"),
      by: "after the grace of a previous key a real replacement",
    },
    {
      name: "a refresh plans no retirement",
      change: without("diff", "driftOnly", 3),
      test: contract("rotation"),
      by: "a refresh of a resource with a key that revokeNow names",
    },
    {
      name: "a retirement in place replaces nothing",
      change: without("diff", "retirement"),
      test: contract("rotation"),
      by: "a retirement in place",
    },
  ]),
  ...inFile("provider/keys/revoke-key.ts", [
    {
      name: "a key of several replaced resources is revoked once",
      change: drop("revokeKey", "hasRevoked"),
      test: contract("rotation"),
      by: "a key that two replaced resources have",
    },
  ]),
  ...inFile("provider/plugin/resources.ts", [
    {
      name: "a plan that is carried out twice takes no key of its first run for an orphan",
      change: always("check", "usesPlan", "pid"),
      test: contract("orphans"),
      by: "a key of a run that carried out a plan stays live",
    },
  ]),
  ...inFile("provider/plugin/key-owners.ts", [
    {
      name: "a key that is handed over after an upgrade keeps its owner",
      change: without("inputs", "handovers"),
      test: contract("rotation"),
      by: "the deletion of a resource by a provider that the program does not use keeps the current key if",
    },
  ]),
  ...inFile("provider/plugin/owner.ts", [
    {
      name: "a copied stack owns no key before its first up",
      change: always("ownerOfKey", "ofProvider", "renamedFrom"),
      test: STORIES_OF_PLUGIN,
      by: "a copied stack that is destroyed",
    },
  ]),
  ...inFile("provider/plugin/functions.ts", [
    {
      name: "the error of a data source shows no secret",
      change: becomes("error", "invoke", "Error", "described"),
      test: contract("functions"),
      by: "a call of a data source fails without a secret",
    },
    {
      name: "only data sources can be invoked",
      change: always("isName", "hasOwn"),
      test: contract("functions"),
      by: "a call of a data source fails for a function",
    },
    {
      name: "only arguments can be passed to a data source of the plugin",
      change: drop("invoke", "checkNames"),
      test: contract("functions"),
      by: "a call of a data source fails for an argument",
    },
  ]),
  ...inFile("provider/functions/args.ts", [
    {
      name: "only arguments can be passed to a data source of the npm package",
      change: drop("checkCall", "checkNames"),
      test: unit("functions/functions"),
      by: "a call with",
    },
    {
      name: "what cancels a call is an AbortSignal",
      change: drop("checkCall", "fits", "FORMS"),
      test: unit("functions/functions"),
      by: "a call with",
    },
  ]),
  ...inFile("provider/keys/names.ts", [
    {
      name: "an orphan of a resource has its tag directly before the nonce",
      change: becomes("name.slice(0, -NONCE_LENGTH - 1).includes", "isNamedFor", "endsWith"),
      test: plugin("names"),
    },
    { name: "a name with two tags fits the service", change: always("autoName", "urnIn"), test: plugin("names") },
    {
      name: "an orphan of a resource has the tag of its URN",
      change: becomes('urn !== ""', "tagsOf", "==="),
      test: plugin("names"),
    },
  ]),
  ...inFile("provider/settings/import-keys.ts", [
    {
      name: "no message shows a key to import",
      change: drop("parseImportKeys", "values"),
      test: plugin("import-keys"),
    },
    {
      name: "a key to import is checked",
      change: without("parseImportKeys", "isKeyText"),
      test: plugin("import-keys"),
    },
  ]),
];

const stack = (name) => `test/unit/stack/${name}.test.ts`;
const FATE = "test/unit/keys/fate.test.ts";
const RENAMED = "test/unit/keys/renamed.test.ts";

const evidence = [
  ...inFile("provider/keys/fate.ts", [
    { name: "a key that the state has is kept", change: drop("fateOfUnknown", "held", "yes"), test: FATE },
    {
      name: "a key that a complete run had is never an orphan",
      change: drop("fateOfUnknown", "delivered", "yes"),
      test: FATE,
    },
    { name: "a used key is never an orphan", change: drop("fateOfUnknown", "never"), test: FATE },
    { name: "a lost request proves a key without a state", change: drop("fateOfUnknown", "lost request"), test: FATE },
    { name: "without a state, no unknown key is revoked", change: drop("fateOfUnknown", "unknown"), test: FATE },
    {
      name: "beside another history, no unknown key is revoked",
      change: drop("fateOfUnknown", "otherHistory"),
      test: FATE,
    },
    {
      name: "a key that nothing explains is reported",
      change: becomes("REVOKE", "fateOfUnknown", "isLeftBehind", "unexplained"),
      test: FATE,
    },
    {
      name: "a previous key waits for the delivery of its successor",
      change: becomes("REVOKE", "fateOfPrevious", "report", "not delivered"),
      test: FATE,
    },
    { name: "a previous key is kept in its grace", change: drop("fateOfPrevious", "now", "keep"), test: FATE },
    {
      name: "a previous key whose use is unknown is kept until maxOverlap",
      change: becomes("REVOKE", "fateOfPrevious", "report", "REVOKE"),
      test: FATE,
    },
    { name: "a previous key is kept for its quiet period", change: without("fateOfPrevious", "quiet", 2), test: FATE },
    {
      name: "a previous key in use is kept until maxOverlap",
      change: never("fateOfPrevious", "now", "end", 2),
      test: FATE,
    },
    {
      name: "a deletion in doubt asks for the state",
      change: becomes("REVOKE", "fateOf", "report", "consumers unknown"),
      test: FATE,
    },
    { name: "a deletion in doubt waits for consumers", change: always("fateOf", "length"), test: FATE },
    { name: "the sweep keeps what a state holds", change: drop("fateOfSwept", "facts", "held"), test: FATE },
    { name: "the sweep keeps credentials", change: drop("fateOfSwept", "isCredential"), test: FATE },
    { name: "the sweep keeps what another history may have", change: drop("fateOfSwept", "otherHistory"), test: FATE },
    { name: "the sweep needs the service's time", change: drop("fateOfSwept", "isTimeKnown"), test: FATE },
    { name: "the sweep keeps what is in use", change: drop("fateOfSwept", "inUse"), test: FATE },
    { name: "the sweep keeps what was used", change: drop("fateOfSwept", "includeUsed"), test: FATE },
    { name: "the sweep keeps what is newer than the state", change: drop("fateOfSwept", "afterState"), test: FATE },
    { name: "the sweep keeps what a run may still save", change: never("fateOfSwept", "isYoung"), test: FATE },
    {
      name: "a named key that may be a credential is not revoked",
      change: always("fateOf", "credentialOf"),
      test: FATE,
    },
  ]),
  ...inFile("provider/keys/fate.ts", [
    {
      name: "a key of a recorded run that may have been delivered stays live",
      change: without("fateOfUnknown", "no"),
      test: resources("ledger"),
      by: "an unknown key is only reported by a new ledger",
    },
  ]),
  ...inFile("provider/keys/unknown-keys.ts", [
    {
      name: "the clocks of machines may differ from the service's when a delivery is looked for",
      change: without("undeliveredIn", "MAX_SKEW_MS"),
      test: resources("ledger"),
      by: "an unknown key is only revoked if no run has succeeded",
    },
    {
      name: "a key that a list lacked is not taken for an orphan when it appears again",
      change: drop("undeliveredIn", "continue", "sweptAt"),
      test: resources("ledger"),
      by: "an unknown key stays live if a ledger has forgotten it",
    },
  ]),
  ...inFile("provider/resources/rotation/delete-rotating-key.ts", [
    {
      name: "a deletion names the retired keys of another stack",
      change: drop("leftBeside", "leaveToOthers"),
      test: resources("deletes"),
      by: "deleting a key C14: names all keys",
    },
    {
      name: "a retired key that was used stays live with revokeOnDelete: false",
      change: never("isNeeded", "revoke"),
      test: resources("rotation-requests"),
      by: "leaves a retired key live that was used",
    },
    {
      name: "a revoked key is not said to stay live",
      change: without("staysLive", "hasRevoked"),
      test: resources("rotation-requests"),
    },
    {
      name: "a key of another stack that a copied state names does not block its destroy",
      change: never("replacedKeyIn", "isOthers", "&&"),
      test: "test/unit/resources/rotation-requests.test.ts",
      by: "do not block the deletion of the copy",
    },
    {
      name: "a key that another resource left live is not revoked by the resource before it",
      change: without("ownKeys", "isLeft"),
      test: resources("rotation-requests"),
    },
  ]),
  ...inFile("provider/dynamic/owner.ts", [
    {
      name: "an owner without the record of a ledger asks the history",
      change: without("delete", "unknown", "record"),
      test: resources("ledger"),
      by: "an unknown key is revoked by an owner only if",
    },
  ]),
  ...inFile("provider/dynamic/ledger.ts", [
    {
      name: "an owner knows when the ledger has last judged all keys",
      change: without("delete", "sweptAt", 2),
      test: resources("ledger"),
      by: "an unknown key stays live if a ledger has forgotten it",
    },
    {
      name: "a ledger knows deliveries since the later of both clocks' times",
      change: becomes("context.now()", "unsweptAfter", "laterNow"),
      test: resources("ledger"),
      by: "an unknown key is only reported by a ledger of a machine whose clock is behind",
    },
    {
      name: "a new ledger knows no earlier deliveries",
      change: becomes("0", "unsweptAfter", "laterNow"),
      test: resources("ledger"),
      by: "an unknown key is only reported by a",
    },
    {
      name: "a key that the state had during a sweep is never taken for an orphan again",
      change: without("sweep", "kept"),
      test: resources("ledger"),
      by: "an unknown key stays live after its resource is deleted",
    },
  ]),
  ...inFile("provider/stack/history.ts", [
    {
      name: "the runs before those that were read may have delivered keys",
      change: always("until", "#end", "whole"),
      test: stack("history"),
      by: "tells nothing of the runs before those that were read",
    },
    {
      name: "a history that repeats itself is not read as a whole",
      change: becomes('"whole"', "#readNext", "unknown"),
      test: stack("history"),
      by: "is read no further",
    },
    {
      name: "a destroy may have deleted the ledger that knew of a delivery",
      change: without("readRun", "destroy"),
      test: "test/model/stories.test.ts",
      by: "a stack keeps all invariants in the story of a key of a failed run that is removed",
    },
  ]),
  ...inFile("provider/stack/stack-look.ts", [
    {
      name: "the CLI is asked in the folder of the engine",
      change: without("pulumi", "cwd"),
      test: stack("stack-look"),
      by: "the CLI is asked in the engine's folder",
    },
    {
      name: "a run that succeeded may have delivered a key that no ledger recorded",
      change: never("mayHaveDeliveredBetween", "mayHaveDelivered"),
      test: stack("stack-look"),
      by: "a run may have delivered a key in a period in which a run ended",
    },
  ]),
  ...inFile("provider/keys/unknown-keys.ts", [
    {
      name: "a run that succeeded left no key behind, whatever a restored state says",
      change: always("interruptedRequesters", "mayHaveSucceeded", "!", 2),
      test: resources("ledger"),
      by: "an unknown key is only reported if the run that made it",
    },
    {
      name: "a run without its start on record may have succeeded, too",
      change: becomes("Number.NaN", "interruptedRequesters", "parse", "ahead"),
      test: resources("ledger"),
      by: "an unknown key is only reported if a run succeeded that was under way",
    },
    {
      name: "a ledger knows the keys of the runs that ended with it",
      change: without("interruptedRequesters", "endedRuns", "runIn"),
      test: resources("ledger"),
      by: "an unknown key is revoked although the run that requested it succeeded",
    },
    {
      name: "a use after the list of the run counts",
      change: without("settleUnknown", "keyIn"),
      test: resources("ledger"),
      by: "an unknown key is only reported if it was used after the list",
    },
    {
      name: "the state is read only if a key is in doubt",
      change: drop("judgeUnknown", "values"),
      test: resources("ledger"),
      by: "the ledger costs one list",
    },
    {
      name: "a missing key of the state shows another history",
      change: becomes("[]", "lacksCurrentKey", "currentKeys"),
      test: resources("ledger"),
      by: "an unknown key is only reported if a key of the state is missing",
    },
    {
      name: "a key that this run has revoked is not missing",
      change: without("lacksCurrentKey", "hasRevoked"),
      test: resources("ledger"),
      by: "an unknown key is revoked although a key is missing",
    },
    {
      name: "an unknown key that stays live is reported",
      change: always("reportUnknown", "fate", "report"),
      test: resources("ledger"),
      by: "the ledger C14: reports a key",
    },
    {
      name: "only what is proven to be left behind is revoked",
      change: becomes('fate !== "keep"', "having", "fate", "==="),
      test: resources("ledger"),
      by: "the ledger C14: reports a key",
    },
    {
      name: "an orphan that cannot be revoked is tried again",
      change: becomes("{ left: [], reported, kept: [] }", "carryOut", "left", "reported", "kept"),
      test: resources("ledger"),
      by: "the ledger C7",
    },
  ]),
  ...inFile("provider/stack/stack-state.ts", [
    {
      name: "the key of a replaced resource may be missing",
      change: always("currentKeysIn", "replaced"),
      test: stack("witness"),
    },
    {
      name: "a key of an organization whose id is encrypted may be missing",
      change: without("isHere", "HIDDEN"),
      test: resources("organization-keys"),
      by: "the ledger and the owner of an organization report what a crash left",
    },
  ]),
  ...inFile("provider/stack/witness.ts", [
    {
      name: "a consumer whose hook may have failed waits",
      change: never("isUnseen", "goesOn"),
      test: stack("witness"),
      by: "that a consumer with a hook after its update waits",
    },
    {
      name: "a resource that an alias renamed is found under its saved URN",
      change: without("#savedAs", "same"),
      test: "test/unit/stack/witness.test.ts",
    },
    {
      name: "a resource that an alias gave another parent or type is found under its saved URN",
      change: unchained("kindIn", "at"),
      test: stack("witness"),
      by: "of a resource that is deleted, a state shows that a consumer waits under the URN in the state of",
    },
    {
      name: "a copied state does not show that its original no longer needs a key",
      change: without("knows", "asOwn", 1),
      test: resources("deletes"),
      by: "deleting a replaced key by a command that can leave a consumer with it fails if the state was copied",
    },
    {
      name: "a state knows only the owners in it",
      change: becomes("id !== undefined", "knows", "==="),
      test: stack("witness"),
    },
    {
      name: "an id in a list of another owner is another key",
      change: without("isIt", "ownerId"),
      test: stack("witness"),
      by: "an id in the ledger of another owner",
    },
    { name: "an id with another name is another key", change: always("isIt", "held", 3), test: stack("witness") },
    {
      name: "a state that hides ids holds perhaps every key",
      change: becomes('"no"', "holds", "unknown", 2),
      test: stack("witness"),
    },
    {
      name: "the current keys are those of the owner",
      change: always("currentKeys", "ownerId", "==="),
      test: stack("witness"),
    },
    {
      name: "a name of another owner is not this run's request",
      change: without("requestOf", "hasTagOf"),
      test: stack("witness"),
    },
    {
      name: "a name shows which run requested it",
      change: without("requestOf", "runIn"),
      test: stack("witness"),
    },
    {
      name: "a note of a creation is one of its owner and its resource",
      change: without("isNamedIn", "isNamedFor"),
      test: stack("witness"),
    },
    {
      name: "a note of a creation proves only its own requests",
      change: becomes("Boolean", "isNamedIn", "endsWith"),
      test: stack("witness"),
    },
    {
      name: "a consumer waits if it was not updated since",
      change: becomes("0", "waitingFor", "created"),
      test: stack("witness"),
    },
    {
      name: "a consumer waits if its update ended half-way",
      change: without("waitingFor", "hasFailed", 2),
      test: stack("witness"),
    },
    {
      name: "a consumer waits if a refresh may have changed it",
      change: without("waitingFor", "isUpdate", "modified"),
      test: stack("witness"),
    },
    {
      name: "a consumer waits for a change that reaches it through another resource",
      change: drop("waitingFor", "add"),
      test: stack("witness"),
    },
    {
      name: "every consumer waits for a successor that does not exist",
      change: becomes("0", "waitingFor", "POSITIVE_INFINITY"),
      test: stack("witness"),
    },
  ]),
  ...inFile("provider/stack/command-line.ts", [
    {
      name: "a target counts in a cluster of short options",
      change: becomes("/^[tx]$/.test", "engineCommand", "test"),
      test: stack("command-line"),
    },
    {
      name: "every option that leaves out consumers counts",
      change: without("LIMITS", "exclude"),
      test: stack("command-line"),
    },
    {
      name: "a command that cannot be read is in doubt",
      change: becomes("isLimited", "engineCommand", "words", "goesOn"),
      test: stack("command-line"),
    },
    { name: "options in the environment count", change: without("isSet", "isOn"), test: stack("command-line") },
    {
      name: "the value of an option is not the command",
      change: without("commandIn", "takesNext"),
      test: stack("command-line"),
    },
    {
      name: "a run with a plan records nothing in the inputs",
      change: without("engineCommand", "PLANS"),
      test: stack("command-line"),
    },
  ]),
  ...inFile("provider/stack/deployment.ts", [
    {
      name: "only a property dependency makes a consumer",
      change: never("readResource", "isObject", "propertyDependencies"),
      test: stack("witness"),
    },
  ]),
  ...inFile("provider/stack/history.ts", [
    { name: "a limited run delivers nothing", change: without("readRun", "isLimited"), test: stack("history") },
    { name: "a failed run delivers nothing", change: without("readRun", "succeeded", 1), test: stack("history") },
    { name: "a refresh delivers nothing", change: without("readRun", "update", 1), test: stack("history") },
    {
      name: "a run of unknown flags delivers nothing",
      change: without("readRun", "isKnown", 1),
      test: stack("history"),
    },
    {
      name: "a change is delivered at once only by its own run",
      change: always("deliveryOf", "began", "<="),
      test: stack("history"),
    },
    {
      name: "an earlier run delivers nothing",
      change: becomes("ended > 0", "deliveryOf", ">", "lastEnd"),
      test: stack("history"),
    },
    {
      name: "an earlier run of the same second delivers nothing",
      change: always("deliveryOf", "atLastEnd", "runsAtLastEnd"),
      test: stack("history"),
    },
    {
      name: "only the next number is that of a change's own run",
      change: becomes("version > newest.version", "deliveryOf", "-", "==="),
      test: stack("history"),
      by: "later if the next run is missing",
    },
    {
      name: "numbers count only in the history that gave them",
      change: without("deliveryOf", "began", "newest", 1),
      test: stack("history"),
      by: "later if another run has the number now",
    },
  ]),
  ...inFile("provider/keys/clock-skew.ts", [
    {
      name: "a delivery counts from the later clock",
      change: uncalled("laterNow", "serviceNow"),
      test: resources("ledger"),
      by: "the record of a previous key counts",
    },
    {
      name: "a clock of this machine alone makes no key due",
      change: always("notDueYet", "serviceNow", "at"),
      test: resources("rotation"),
      by: "T10",
    },
    {
      name: "the service's clock has to be inside the window, too",
      change: becomes("due(Number.NEGATIVE_INFINITY)", "notDueYet", "due", "serviceNow"),
      test: resources("rotation-window"),
      by: "T10",
    },
    {
      name: "a replacement by age asks for the service's time",
      change: always("mustBeDue", "reason", "undefined"),
      test: resources("readiness"),
      by: "a clock that is off by more than 5 minutes replaces no key",
    },
    {
      name: "a wrong clock is one warning",
      change: drop("reportSkew", "true"),
      test: resources("readiness"),
      by: "a clock that is off by more than 5 minutes by",
    },
  ]),
  ...inFile("provider/stack/witness.ts", [
    {
      name: "a key in the state shows that the owner had one",
      change: without("neverHadKey", "#held"),
      test: stack("witness"),
      by: "a state shows that its owner never had a key not if it has",
    },
    {
      name: "an interrupted creation can have made a key",
      change: without("neverHadKey", "deployment"),
      test: stack("witness"),
      by: "a state shows that its owner never had a key not if a creation",
    },
  ]),
  ...inFile("provider/stack/pulumi.ts", [
    {
      name: "no message shows what the CLI printed",
      change: becomes("error.message", "#run", "failureOf", "error"),
      test: stack("pulumi"),
    },
    { name: "a CLI that does not answer is killed", change: without("#run", "timeout"), test: stack("pulumi") },
  ]),
  ...inFile("provider/stack/stack-look.ts", [
    {
      name: "a delivery is looked up as far back as the change",
      change: becomes("Number.POSITIVE_INFINITY", "since", "Math", "startedAt"),
      test: stack("stack-look"),
      by: "a rotation is found however many runs",
    },
    {
      name: "a state that is not saved in the run is no witness",
      change: drop("#read", "skipsCheckpoints"),
      test: contract("orphans"),
      by: "a key that an interrupted run left behind is reported if PULUMI_SKIP_CHECKPOINTS",
    },
    {
      name: "a change in a run that refreshes proves no update",
      change: always("updatesSince", "every"),
      test: stack("stack-look"),
    },
    {
      name: "a change in the first second of a run proves no update",
      change: becomes("began <= changedAt", "isDuring", "began"),
      test: stack("stack-look"),
      by: "a change in the second in which a run began proves an update",
    },
    {
      name: "a change in the last second of a run proves no update",
      change: becomes("Number.POSITIVE_INFINITY", "isDuring", "ended"),
      test: stack("stack-look"),
      by: "a change in the second in which a run ended proves an update",
    },
    {
      name: "the clock of the history can be another one",
      change: without("isNear", "MAX_SKEW_MS", 1),
      test: stack("stack-look"),
      by: "a change in a run before one that refreshes, by another clock proves an update",
    },
    {
      name: "a run that ended in the second in which the ledger began may have ended before it",
      change: becomes("ended > to", "mayHaveDeliveredBetween", "secondOf", "to", "ended"),
      test: stack("stack-look"),
      by: "a run may have delivered a key in a period that ends in the second in which a run ended",
    },
    {
      name: "a change in this run proves no update if it refreshes",
      change: always("updatesSince", "refreshes", "||"),
      test: stack("stack-look"),
    },
    {
      name: "a change in the future proves no update",
      change: drop("updatesSince", "now"),
      test: stack("stack-look"),
      by: "a change in the future",
    },
    {
      name: "a run before those that were read can have ended at any time",
      change: without("mayHaveDeliveredBetween", "isFinite"),
      test: stack("stack-look"),
      by: "a run may have delivered a key in a period that ends before the runs that were read",
    },
    {
      name: "a run that failed delivers no key",
      change: without("mayHaveSucceeded", "mayHaveSucceeded", 2),
      test: stack("stack-look"),
      by: "a run that was started in a run that failed",
    },
    {
      name: "the history does not tell two runs in one second apart",
      change: becomes("at > ended", "mayHaveSucceeded", ">"),
      test: stack("stack-look"),
      by: "a run that was started after a run, by its exact time, in the same second",
    },
  ]),
  ...inFile("provider/keys/create-key.ts", [
    {
      name: "a key with an exact name is never revoked after a lost answer",
      change: before(
        "if (found !== undefined) await context.keys().revoke(found.id);",
        "createExact",
        "if",
        "MAX_NAMES",
      ),
      test: resources("exact-name"),
      by: "creating a key with an exact name C4: leaves a key live",
    },
    {
      name: "the name of a key that was revoked is requested again",
      change: becomes("[] as number[]", "createWhenFree", "keys", "FREE_PAUSES_MS"),
      test: resources("exact-name"),
      by: "C11: waits if",
    },
    {
      name: "the name of somebody else's key is requested once",
      change: always("createWhenFree", "hasRevokedName"),
      test: resources("exact-name"),
      by: "C11: does not wait",
    },
    {
      name: "no other request is sent if a key has the exact name",
      change: without("createExact", "undefined"),
      test: resources("exact-name"),
    },
    {
      name: "a new key that the service does not find yet stays on record",
      change: becomes("true", "revokeOrphan", "orphan", "revoked"),
      test: resources("lost-answers"),
      by: "records an orphan that the service does not find yet",
    },
    {
      name: "the key of a lost request is revoked",
      change: drop("revokeLost", "revokeOrphan"),
      test: resources("lost-answers"),
      by: "C4",
    },
    {
      name: "the name of an own key that the list does not show yet is kept",
      change: before("left.lostNames.pop();", "revokeLost", "throw", "lost"),
      test: resources("lost-answers"),
      by: "C11",
    },
    {
      name: "a complete refusal is final",
      change: instead("return;", "revokeLost", "throw", "lost"),
      test: resources("lost-answers"),
      by: "C11",
    },
    {
      name: "a creation under way is finished when the engine dies",
      change: uncalled("createKey", "creating"),
      test: contract("process"),
      by: "the plugin's process finishes a creation",
    },
    {
      name: "a key that the engine never got is revoked when it dies",
      change: drop("create", "noteCreated"),
      test: contract("process"),
      by: "the plugin's process revokes the key",
    },
  ]),
  ...inFile("provider/session/unready-resources.ts", [
    {
      name: "a repeated creation goes on with the key of the first one",
      change: becomes("replaces.length < 0", "createAgain", "==="),
      test: contract("error-hooks"),
      by: "with the plugin, a repeated creation of an ApiKey that is not ready yet",
    },
    {
      name: "a repeated creation revokes a key that is of no use",
      change: drop("createAgain", "identityIn"),
      test: contract("error-hooks"),
      by: "with the plugin, a repeated creation of an ApiKey",
    },
    {
      name: "a repeated creation that fails in another way records the first key",
      change: becomes("before !== undefined", "run", "==="),
      test: contract("error-hooks"),
      by: "with the plugin, a repeated creation that fails",
    },
  ]),
  ...inFile("provider/plugin/resources.ts", [
    {
      name: "the plugin remembers a creation that an error hook repeats",
      change: becomes("first", "create", "createAgain", "first"),
      test: contract("error-hooks"),
      by: "with the plugin, a repeated creation",
    },
    {
      name: "the plugin remembers an update that an error hook repeats",
      change: becomes("held", "update", "change", "outputs"),
      test: contract("error-hooks"),
      by: "with the plugin, a repeated update",
    },
    {
      name: "a resource of another provider may have adopted a key",
      change: drop("noteHoldersOf", "noteHeldBy"),
      test: contract("import"),
      by: "the import of an existing key as",
    },
  ]),
  ...inFile("provider/session/engine-link.ts", [
    {
      name: "an engine that ends its server does not wait for the plugin",
      change: drop("hold", "destroy"),
      test: unit("session/engine-link"),
      by: "an engine that closes",
    },
    {
      name: "an engine that closes a connection but accepts another is not gone",
      change: negated("close"),
      test: unit("session/engine-link"),
      by: "an engine that closes",
    },
  ]),
  ...inFile("provider/session/cancellation.ts", [
    {
      name: "no creation begins when the engine is gone",
      change: drop("endWithoutEngine", "accounts"),
      test: contract("process"),
      by: "the plugin's process ends with the engine, so that a request",
    },
    {
      name: "the process waits for creations when the engine is gone",
      change: drop("endWithoutEngine", "#creations"),
      test: contract("process"),
      by: "the plugin's process finishes a creation",
    },
    {
      name: "keys of verbs without an answer are revoked when the engine is gone",
      change: becomes("verbs.slice(0, 0)", "endWithoutEngine", "flatMap", "created"),
      test: contract("process"),
      by: "the plugin's process revokes the key",
    },
  ]),
  ...inFile("provider/keys/key-state.ts", [
    {
      name: "a run looks for the keys of lost requests",
      change: never("leftDue", "lostNames", ">"),
      test: resources("lost-answers"),
      by: "C5: makes the next run",
    },
  ]),
  ...inFile("provider/keys/unknown-keys.ts", [
    {
      name: "a late key that was used is not revoked",
      change: becomes('fate !== "keep"', "having", "fate", "==="),
      test: resources("lost-answers"),
      by: "C5: is reported",
    },
  ]),
  ...inFile("provider/keys/lost-request.ts", [
    {
      name: "a lost request is looked for as long as it can take effect",
      change: becomes("0", "settleLost", "LATEST_COMMIT_MS"),
      test: resources("lost-answers"),
      by: "C5: is looked for by every run",
    },
    {
      name: "a lost request is forgotten in the end",
      change: always("settleLost", "!", "isOver"),
      test: resources("lost-answers"),
      by: "C5: is looked for by every run",
    },
    {
      name: "an exact name of a former version is no lost request",
      change: becomes("textsOf(lostNames)", "lostIn", "mintedBy", "lostNames"),
      test: resources("exact-name"),
      by: "creating a key with an exact name C5: has a state of version 0.2",
    },
    {
      name: "a deletion tells of lost requests that may still take effect",
      change: becomes("names !== undefined", "settleLostForGood", "==="),
      test: resources("ledger"),
      by: "C5: is followed by the owner",
    },
  ]),
  ...inFile("provider/dynamic/ledger.ts", [
    {
      name: "a grace counts from the delivery",
      change: becomes("0", "retireAt", "parse", "deliveredAt"),
      test: resources("ledger"),
      by: "the record of a previous key makes the ledger due",
    },
    {
      name: "a delivery is recorded with the service's clock",
      change: drop("deliveryRecordOf", "knowsServiceClock"),
      test: resources("ledger"),
      by: "the record of a previous key is only made with the service's clock",
    },
    {
      name: "a retired key that two lists lack is not revoked",
      change: never("revokePrevious", "found", "undefined"),
      test: resources("lies"),
      by: "a list that lacks a live key does not prevent",
    },
    {
      name: "the grace starts again if the successor is gone",
      change: always("deliveryRecordOf", "isUsable"),
      test: resources("ledger"),
      by: "the record of a previous key starts anew",
    },
    {
      name: "a damaged delivery proves nothing",
      change: unchained("readState", "isReadable"),
      test: resources("ledger"),
      by: "the record of a previous key is not used",
    },
    {
      name: "the use of a retired key is looked up in the run that revokes it",
      change: always("revokePrevious", "lastUsedAt", "null"),
      test: resources("ledger"),
      by: "the record of a previous key remembers a use",
    },
    {
      name: "a revoked previous key is not looked for again",
      change: drop("retireAt", "isRevoked"),
      test: resources("ledger"),
      by: "the record of a previous key says that",
    },
  ]),
  ...inFile("provider/resources/rotation/retire-key.ts", [
    {
      name: "an unknown use keeps a retired key",
      change: never("judgePrevious", "record", "unknown", 1),
      test: resources("ledger"),
      by: "the record of a previous key does not let",
    },
    {
      name: "without a ledger, the history must show the delivery",
      change: always("withDelivery", "delivered", "typeof"),
      test: contract("rotation"),
      by: "after the grace of a previous key a key stays, and its grace",
    },
    {
      name: "a grace starts by the service's clock, too",
      change: drop("withDelivery", "knowsServiceClock"),
      test: contract("rotation"),
      by: "after the grace of a previous key a key stays, and its grace",
    },
    {
      name: "a later run, which can have another state, delivers nothing",
      change: becomes("delivered !== undefined", "withDelivery", "delivered", "number"),
      test: contract("rotation"),
      by: "after the grace of a previous key a key stays if only",
    },
    {
      name: "a grace that starts again and again causes a warning",
      change: never("withDelivery", "isAgain", "historyMark", 1),
      test: contract("rotation"),
      by: "after the grace of a previous key a key that stays again",
    },
  ]),
  ...inFile("provider/keys/revoke-key.ts", [
    {
      name: "a command that can leave out consumers asks for them",
      change: always("mustHaveReachedConsumers", "isInDoubt"),
      test: resources("deletes"),
      by: "deleting a replaced key by a command",
    },
    {
      name: "a deletion in doubt needs the state of its own stack",
      change: always("ask", "isDestroy", 1),
      test: resources("deletes"),
      by: "deleting a replaced key by a command",
    },
    {
      name: "a key stays live while its successor does not work",
      change: never("ask", "hasFailed"),
      test: resources("deletes"),
      by: "deleting a replaced key by a command",
    },
    {
      name: "a look from before the replacement proves nothing",
      change: without("ask", "fresh", 1),
      test: resources("deletes"),
      by: "fails if only the later look shows its successor",
    },
    {
      name: "after an error, a key that the program lacks is not revoked",
      change: without("mustHaveReachedConsumers", "isKnown", 3),
      test: resources("deletes"),
      by: "revokes one that the program lacks, in a command that ends",
    },
    {
      name: "after an error, a key that the program replaces is revoked",
      change: without("mustHaveReachedConsumers", "isDeclared"),
      test: resources("deletes"),
      by: "revokes one that the program replaces",
    },
    {
      name: "a hook of the successor may have failed in a command that goes on",
      change: never("ask", "hasAfterHook"),
      test: resources("deletes"),
      by: "keeps it if a hook may have failed",
    },
    {
      name: "a command that cannot be read may go on after an error of a hook",
      change: becomes("goesOn", "mustHaveReachedConsumers", "isKnown", 1),
      test: resources("deletes"),
      by: "keeps it if a hook may have failed",
    },
    {
      name: "a deletion in doubt looks at the state again",
      change: negated("mustHaveReachedConsumers", "true"),
      test: resources("deletes"),
      by: "deleting a replaced key by a command",
    },
  ]),
  ...inFile("provider/keys/names.ts", [
    {
      name: "a copied state's keys are not its own",
      change: never("isOthers", "isMadeByOneOf"),
      test: resources("deletes"),
      by: "C14",
    },
    {
      name: "who created the current key says nothing about a previous one",
      change: always("makerIn", "keyId"),
      test: keys("maker"),
    },
  ]),
  ...inFile("provider/keys/identity.ts", [
    {
      name: "a renamed stack is of the project that the setting names",
      change: without("isRenamedFrom", "project", "before"),
      test: RENAMED,
    },
    {
      name: "a renamed stack is of the organization that the setting names",
      change: without("isRenamedFrom", "isOrganization"),
      test: RENAMED,
    },
  ]),
  ...inFile("provider/dynamic/owner.ts", [
    { name: "a renamed stack keeps its owner", change: always("due", "!"), test: RENAMED },
    { name: "a run is on record before its keys", change: without("completed", "runRecord", 2), test: RENAMED },
  ]),
  ...inFile("provider/session/compare-resource.ts", [
    {
      name: "a renamed stack shows which keys it no longer revokes",
      change: always("reportRename", "isSameStack"),
      test: contract("orphans"),
      by: "a state of a stack that was renamed shows",
    },
    {
      name: "the owner in the state says under which name the stack was last deployed",
      change: drop("compareResource", "formerStack"),
      test: resources("diff"),
      by: "a key of a stack that was renamed is named",
    },
    {
      name: "a stack that settings say was renamed has no other owner",
      change: always("compareResource", "replaces", "stack"),
      test: resources("diff"),
      by: "a key of a stack that settings say was renamed is not named",
    },
  ]),
  ...inFile("provider/plugin/orphans.ts", [
    {
      name: "a key that the engine has shown is no orphan",
      change: without("#unknown", "has"),
      test: contract("orphans"),
      by: "a key that the engine has shown in a comparison",
    },
    {
      name: "an orphan of a former owner is found",
      change: drop("beforeCreate", "#settleFormer"),
      test: contract("orphans"),
      by: "a key that an interrupted run left behind is revoked although the stack was destroyed",
    },
    {
      name: "a former owner's key is only one that was requested",
      change: unchained("#settleFormer", "others"),
      test: contract("orphans"),
      by: "a key that an interrupted run left behind is left alone",
    },
    {
      name: "an orphan of a former owner in the state is told",
      change: without("#settleFormer", "owns"),
      test: STORIES_OF_PLUGIN,
      by: "a creation during which the plugin dies, and an upgrade",
    },
    {
      name: "a destroy looks for what former owners left behind",
      change: instead("return;", "#lookBack", "hasLookedBack", "="),
      test: STORIES_OF_PLUGIN,
      by: "a creation that dies with its engine, a destroy, and another program",
    },
    {
      name: "a destroy looks in each list for what former owners left behind",
      change: becomes("[...this.#notes.values()][0]", "#lookBack", "#of"),
      test: contract("orphans"),
      by: "is revoked by a destroy whose last key has the former owner",
    },
    {
      name: "a destroy looks for interrupted creations under the former name of a stack",
      change: without("isOurs", "requestOf"),
      test: STORIES_OF_PLUGIN,
      by: "a creation that dies in a stack that is renamed",
    },
    {
      name: "a destroy looks for all owners except the provider's, which the end looks for",
      change: becomes('name === ""', "#lookBack", "!", "hasTagOf"),
      test: contract("orphans"),
      by: "is revoked by a destroy whose last key has the former owner",
    },
  ]),
  ...inFile("provider/plugin/orphans.ts", [
    {
      name: "what this run has saved meanwhile counts",
      change: without("atEnd", "fresh"),
      test: contract("orphans"),
      by: "a key of a resource that is gone from the program is kept if another process",
    },
  ]),
  ...inFile("provider/plugin/resources.ts", [
    {
      name: "the plugin looks for orphans of resources that are gone",
      change: becomes("false", "end", "#hasChanged"),
      test: contract("orphans"),
      by: "a key of a resource that is gone from the program is revoked",
    },
    {
      name: "a refresh in an up has the orphans revoked that it finds",
      change: without("diff", "hasOrphans"),
      test: contract("orphans"),
      by: "a refresh in an up shows an update",
    },
    {
      name: "a former provider keeps the key of a successor",
      change: becomes("successor !== null", "noteSuccessor", "successor", "undefined"),
      test: contract("rotation"),
      by: "the deletion of a resource by a provider that the program does not use keeps the current key after",
    },
    {
      name: "a former provider needs the state to see a successor",
      change: drop("#noteOthers", "throw", "KP-REVOKE"),
      test: contract("rotation"),
      by: "the deletion of a resource by a provider that the program does not use is refused if the state",
    },
    {
      name: "a previous key after its grace is revoked in a handover",
      change: becomes('name === "create"', "#run", "false"),
      test: contract("rotation"),
      by: "a key that revokeNow names is revoked with the old resource, and",
    },
  ]),
  ...inFile("provider/plugin/handover.ts", [
    {
      name: "a handover names the keys of which the state does not show how they are revoked",
      change: drop("finish", "warn"),
      test: contract("rotation"),
      by: "a key that revokeNow names is named if only the state of another stack",
    },
    {
      name: "a current key is revoked in place only after its successor is saved",
      change: unchained("revokeCompromised", "!=="),
      test: contract("rotation"),
      by: "retirement in place of the current key",
    },
    {
      name: "a current key stays live for the run that deletes its resource first",
      change: becomes("undefined", "finish", "before", "keyId"),
      test: contract("rotation"),
      by: "a key that revokeNow names stays live for the run that deletes the old resource first",
    },
    {
      name: "a resource that is deleted before its successor keeps its keys",
      change: drop("plan", "noteHeldBy"),
      test: contract("rotation"),
      by: "a key that revokeNow names is revoked at once",
    },
    {
      name: "a compromised key is not forgotten if a killed run has deleted its resource first",
      change: never("wasDeleted", "replaced"),
      test: STORIES_OF_PLUGIN,
      by: "whose resource is deleted first by a run that is killed",
    },
    {
      name: "a compromised key is revoked at once after the deletion",
      change: never("finish", "isDeleted", "wasDeleted"),
      test: contract("rotation"),
      by: "a key that revokeNow names is revoked at once",
    },
    {
      name: "a successor leaves the compromised key to the old resource",
      change: uncalled("finish", "withCompromised"),
      test: contract("rotation"),
      by: "a key that revokeNow names is replaced",
    },
    {
      name: "the deletion of the old resource revokes the compromised key",
      change: becomes("void [id, run, holder]", "finish", "holders", "holder"),
      test: contract("rotation"),
      by: "a key that revokeNow names is replaced",
    },
  ]),
  ...inFile("provider/resources/rotation/delete-rotating-key.ts", [
    {
      name: "a destroy revokes what revokeNow names, whatever revokeOnDelete says",
      change: becomes("[]", "leftBeside", "named", "replacedKeyIn"),
      test: contract("rotation"),
      by: "a key that revokeNow names is revoked by the deletion of both",
    },
    {
      name: "revokeNow does not revoke a key that another resource has",
      change: always("replacedKeyIn", "other", "==="),
      test: resources("rotation-compromise"),
      by: "revokeNow of a resource that replaced none",
    },
    {
      name: "revokeNow revokes only a key that the resource before had",
      change: always("replacedKeyIn", "kept", "||"),
      test: resources("rotation-compromise"),
      by: "revokeNow of a resource that replaced none",
    },
    {
      name: "revokeNow revokes no key that the deletion of another resource left live",
      change: becomes("context.run.kept.has(revokeNow)", "replacedKeyIn", "kept", "==="),
      test: resources("rotation-compromise"),
      by: "revokeNow of a resource that replaced none",
    },
  ]),
];

const messages = [
  ...inFile("provider/nearest.ts", [
    {
      name: "a name that is nearly right is suggested, and no other",
      change: becomes("text.length", "didYouMean", "max", "floor"),
      test: unit("nearest"),
    },
    {
      name: "a long text is not compared, which would take long",
      change: instead("throw new Error();", "didYouMean", "return", "", 1),
      test: unit("nearest"),
    },
  ]),
  ...inFile("provider/dynamic/owner.ts", [
    {
      name: "an error of the settings names a key that the program declares",
      change: never("declaredAs", "string"),
      test: resources("check"),
      by: "C1: a failure of an owner names the key",
    },
    {
      name: "the state does not get the name of the first key, which changes when lines move",
      change: becomes("{ ...inputs, firstKey }", "completed", "inputs", "runs"),
      test: resources("check"),
      by: "C1: a failure of an owner names the key",
    },
  ]),
  ...inFile("sdk/nodejs/run/pulumi-internals.ts", [
    {
      name: "Pulumi shows the error of a data source without its stack and properties",
      change: drop("showOnlyMessage", "defineProperty"),
      test: unit("sdk/pulumi-internals"),
    },
    {
      name: "a program sees which of its resources failed",
      change: drop("observeRegistrations", "seen", "?."),
      test: unit("sdk/pulumi-internals"),
    },
  ]),
  ...inFile("provider/dynamic/pulumi-internals.ts", [
    {
      name: "the provider notices that a run is cancelled",
      change: drop("onCancel", "CANCEL"),
      test: unit("sdk/pulumi-internals"),
    },
  ]),
  ...inFile("sdk/nodejs/data-sources/data-source.ts", [
    {
      name: "the error of a data source shows its code, also without its stack",
      change: becomes("error.kind", "asReport", "code"),
      test: unit("sdk/data-source-errors"),
    },
  ]),
  ...inFile("sdk/nodejs/next-actions.ts", [
    {
      name: "a step of nextAction that is unknown is left out",
      change: becomes('[{ action: "rotate" }]', "readNextActions", "", 2),
      test: unit("sdk/next-actions"),
    },
  ]),
  ...inFile("provider/session/long-waits.ts", [
    {
      name: "resources that wait for the same share a line",
      change: always("add", "same", "MAX_LINES"),
      test: unit("session/long-waits"),
    },
    {
      name: "a wait that nobody has read about ends without a line",
      change: always("end", "#shown"),
      test: unit("session/long-waits"),
    },
    {
      name: "at most five waits are reported in a minute",
      change: becomes("bySubject.values()", "#report", "bySubject", "MAX_LINES"),
      test: unit("session/long-waits"),
    },
  ]),
  ...inFile("provider/session/verb.ts", [
    {
      name: "a short wait prints no line that stays",
      change: becomes("1_000", "LONG_MS"),
      test: unit("session/long-waits"),
    },
    {
      name: "a verb that ends before its wait is long leaves no timer",
      change: drop("endWait", "#waitTimer"),
      test: unit("session/long-waits"),
    },
  ]),
].map((mutant) => ({ part: "messages", ...mutant }));

const promises = [
  ...inFile("provider/resources/api-key.ts", [
    {
      name: "a key that revokeOnDelete leaves live stays in the state if its name cannot be free",
      change: without("deleteBeforeReplace", "isKept"),
      test: resources("exact-name"),
      by: "a key that",
    },
    {
      name: "a key of another stack stays in the state if its name cannot be free",
      change: without("deleteBeforeReplace", "isOthers"),
      test: resources("exact-name"),
      by: "a key of another stack",
    },
  ]),
  ...inFile("provider/resources/rotation/rotate-key.ts", [
    {
      name: "revokeNow of the previous key counts although the current one is gone",
      change: drop("makePrevious", "withoutPrevious"),
      test: resources("rotation-compromise"),
      by: "revokeNow of the previous key revokes it in the run that replaces",
    },
    {
      name: "an urgent rotation leaves another stack's previous key to it",
      change: always("makePrevious", "isOwn", "retired", "previous"),
      test: resources("rotation-requests"),
      by: "the keys of a state that was copied to another stack are left to the original",
    },
  ]),
  ...inFile("provider/resources/rotation/rotation-fields.ts", [
    {
      name: "a key that revokeNow names is known before its resource is compared",
      change: drop("rotationRules", "compromised"),
      test: resources("check"),
      by: "a key that revokeNow names",
    },
  ]),
  ...inFile("provider/resources/rotation/delete-rotating-key.ts", [
    {
      name: "a retired key whose successor was not delivered stays live",
      change: becomes('"2020-01-01T00:00:00Z"', "isNeeded", "deliveries", "deliveredAt", "state"),
      test: resources("rotation-requests"),
      by: "a rotating key leaves a retired key live whose successor",
    },
    {
      name: "a destroy asks for no key that the ledger has revoked",
      change: always("deleteRotatingKey", "deliveries", "isRevoked"),
      test: resources("ledger"),
      by: "tells a destroy which retired keys it has revoked",
    },
    {
      name: "a destroy asks for the keys that the ledger has not revoked",
      change: never("deleteRotatingKey", "deliveries", "isRevoked"),
      test: resources("ledger"),
      by: "tells a destroy which retired keys it has revoked",
    },
  ]),
  ...inFile("provider/keys/key-state.ts", [
    {
      name: "a preview that does not know the triggers shows a rotation",
      change: without("digestOfTriggers", "UNKNOWN"),
      test: resources("rotation"),
      by: "a rotation is what a preview shows",
    },
  ]),
  ...inFile("provider/resources/rotating-api-key.ts", [
    {
      name: "a retired key that revokeNow names is revoked",
      change: uncalled("update", "withNamed"),
      test: resources("rotation-compromise"),
      by: "revokeNow of a retired key",
    },
  ]),
  ...inFile("provider/resources/rotation/rotation-plan.ts", [
    {
      name: "a waiting rotation does not hide the deadline of the current key",
      change: becomes("old !== undefined", "rotationReason", "leasedFor", "old"),
      test: resources("leases"),
      by: "a rotation that waits",
    },
  ]),
  ...inFile("provider/keys/key-fields.ts", [
    {
      name: "a window leaves the grace before the deadline",
      change: becomes("born + longest", "nextDue", "grace", "longest"),
      test: resources("rotation-window"),
      by: "a key with maxAge does not wait for a window in which its default grace",
    },
  ]),
  ...inFile("provider/keys/readiness.ts", [
    {
      name: "a refusal of a key that was handed out does not replace it",
      change: becomes("VERIFY", "withFirstUse", "FIRST_USE"),
      test: resources("rotation-readiness"),
      by: "a key in use that is to stay live",
    },
  ]),
  ...inFile("provider/plugin/resources.ts", [
    {
      name: "a refresh does not count as the comparison with the successor",
      change: always("diff", "driftOnly", 3),
      test: "test/contract/plugin-rotation.test.ts",
      by: "if the former plugin has refreshed the old resource",
    },
    {
      name: "a later look at the state finds the successor",
      change: becomes("{ fresh: false }", "#noteOthers", "fresh"),
      test: "test/contract/plugin-rotation.test.ts",
      by: "if an early deletion has looked at the state",
    },
  ]),
  ...inFile("provider/dynamic/ledger.ts", [
    {
      name: "a run that goes on after errors in an unseen component revokes nothing",
      change: without("isUnseen", "unseen"),
      test: resources("ledger"),
      by: "continues after errors",
    },
  ]),
  ...inFile("provider/stack/command-line.ts", [
    {
      name: "pulumi do is a limited run",
      change: becomes("false", "engineCommand", "isDo"),
      test: unit("stack/command-line"),
    },
  ]),
  ...inFile("provider/stack/pulumi.ts", [
    {
      name: "the selected stack is asked only if the command names none",
      change: never("#ask", "named", "problem"),
      test: unit("stack/pulumi"),
    },
  ]),
  ...inFile("provider/api/operations/idle-wait.ts", [
    {
      name: "an operation from before the wait does not fail it",
      change: becomes("!this.#first", "#see", "created", "#first"),
      test: unit("api/idle"),
    },
  ]),
  ...inFile("cli/account.ts", [
    {
      name: "a command refuses another address than that of its account",
      change: drop("mustBeOneAddress", "throw"),
      test: unit("cli/sweep"),
      by: "sweep refuses another address",
    },
    {
      name: "a command sends the credentials of other accounts to no address that it is given",
      change: always("flagsFor", "account", "selected", "==="),
      test: [unit("cli/revoke"), unit("cli/report")],
    },
  ]),
  ...inFile("cli/identify/advice.ts", [
    {
      name: "the command that revokes a key names the account where it was found",
      change: becomes("holding.account", "revokeNow", "account", "??"),
      test: unit("cli/identify"),
      by: "names the account and the address",
    },
  ]),
];

const SEALED = resources("sealed");

const sealing = [
  ...inFile("provider/seal/recipients.ts", [
    {
      name: "a preview refuses a recipient to which nothing can be sealed",
      change: drop("isUsable", "agreeWith"),
      test: "test/unit/seal/recipients.test.ts",
      by: "is not made for a recipient whose secret everybody can compute",
    },
  ]),
  ...inFile("provider/seal/seal.ts", [
    {
      name: "the bytes of a secret are overwritten after it is sealed",
      change: drop("seal", "fill"),
      test: unit("seal/recipients"),
      by: "a sealed text leaves no bytes",
    },
  ]),
  ...inFile("provider/seal/recipients.ts", [
    {
      name: "a recipient of age has the length of its kind",
      change: always("ageKey", "length"),
      test: unit("seal/recipients"),
    },
    {
      name: "a recipient of age is of a kind that keyplane seals for",
      change: always("ageKey", "prefix"),
      test: unit("seal/recipients"),
    },
    {
      name: "the order of recipients needs no new key",
      change: unchained("canonical", "sort"),
      test: unit("seal/recipients"),
    },
    {
      name: "other recipients need a new key, and the preview says why",
      change: always("changeOfRecipients", "sameRecipients"),
      test: SEALED,
    },
  ]),
  ...inFile("provider/keys/sealing.ts", [
    {
      name: "nothing is sent if a package does not work",
      change: becomes("void tryOnce", "sealerFor", "await"),
      test: SEALED,
      by: "fails before the POST",
    },
  ]),
  ...inFile("provider/keys/create-key.ts", [
    {
      name: "a key that cannot be sealed is revoked",
      change: becomes("true", "sealOrRevoke", "revokeOrphan"),
      test: SEALED,
      by: "that cannot be sealed",
    },
    {
      name: "a key that could not be sealed is called revoked only if it is",
      change: always("sealOrRevoke", "isGone", 2),
      test: SEALED,
      by: "that cannot be sealed",
    },
  ]),
  ...inFile("provider/resources/rotating-api-key.ts", [
    {
      name: "a sealed previous key that is to stay live is named",
      change: becomes("[]", "update", "withFirstUse", "previous", "?"),
      test: SEALED,
      by: "a sealed RotatingApiKey that is to stay live",
    },
  ]),
  ...inFile("provider/resources/api-key.ts", [
    {
      name: "only the id of a key is named as one of another stack",
      change: becomes("[{ id, name }]", "delete", "keyId", "name", "?"),
      test: resources("deletes"),
      by: "C14: names each orphan once",
    },
    {
      name: "the triggers of a sealed key are digested with another secret than the key's",
      change: becomes("{ key, digestKey: newDigestKey() }", "create", "digestKey", "newDigestKey"),
      test: SEALED,
      by: "has its triggers digested",
    },
  ]),
  ...inFile("provider/resources/api-key-state.ts", [
    {
      name: "an output that a sealed key lacks is null",
      change: never("writeState", "sealedKey"),
      test: SEALED,
      by: "records what its recipients",
    },
  ]),
  ...inFile("provider/resources/rotation/rotate-key.ts", [
    {
      name: "a sealed current key's secret is not in the outputs",
      change: becomes("key", "makeReadyKey", "sealedKey", "undefined", "?"),
      test: SEALED,
      by: "keeps the previous sealed key",
    },
  ]),
  ...inFile("provider/resources/rotation/rotation-plan.ts", [
    {
      name: "other recipients rotate the key",
      change: drop("rotationReason", "change", "undefined"),
      test: SEALED,
      by: "rotates if its recipients change",
    },
  ]),
  ...inFile("provider/resources/rotation/rotation-fields.ts", [
    {
      name: "an adopted key is not sealed",
      change: becomes("void NO_ADOPTION", "rotationRules", "failures", "NO_ADOPTION"),
      test: SEALED,
      by: "does not adopt",
    },
  ]),
  ...inFile("provider/keys/readiness.ts", [
    {
      name: "a sealed key that could not be verified is replaced",
      change: never("finishPending", "sealedKey", "isTrial"),
      test: SEALED,
      by: "is verified by the run",
    },
    {
      name: "the secret of a sealed key is forgotten after its last use",
      change: drop("finishPending", "forget"),
      test: keys("forgotten-secret"),
    },
    {
      name: "a sealed key is not tried later",
      change: always("withFirstUse", "sealedKey"),
      test: SEALED,
      by: "that is to stay live",
    },
  ]),
  ...inFile("provider/keys/find-key.ts", [
    {
      name: "a sealed key is gone only if a second list agrees",
      change: without("findKey", "laterLook"),
      test: SEALED,
      by: "is gone only if two lists",
    },
  ]),
  ...inFile("provider/keys/find-key.ts", [
    {
      name: "a sealed key that is taken for gone is named",
      change: drop("mustNotWork", "warn"),
      test: SEALED,
      by: "a sealed RotatingApiKey warns",
    },
  ]),
  ...inFile("provider/settings/settings.ts", [
    {
      name: "keyplane's own sealed credential is recognized by its digest",
      change: never("isSame", "keyDigest"),
      test: SEALED,
      by: "is not revoked if keyplane",
    },
  ]),
  ...inFile("provider/keys/key-state.ts", [
    {
      name: "triggers beside a sealed key are digested with a secret",
      change: becomes("textOf(outputs.key)", "readKeyState", "key", "digestKey", "??", 1),
      test: SEALED,
      by: "has its triggers digested",
    },
  ]),
];

const LEASES = resources("leases");

const leases = [
  ...inFile("provider/keys/lease.ts", [
    {
      name: "only a whole name has a deadline",
      change: without("deadlineIn", "check", "checkOf"),
      test: keys("lease"),
    },
    {
      name: "a deadline is never later than the program says",
      change: becomes("new Date(expiresAt + 60_000)", "withDeadline", "Date", "expiresAt"),
      test: keys("lease"),
    },
    {
      name: "a key is out of use before its deadline",
      change: always("leaseRules", "reduce", "longest"),
      test: keys("lease"),
    },
    {
      name: "a key rotates before its deadline by default",
      change: without("rotationAge", "longest", "Math"),
      test: LEASES,
    },
  ]),
  ...inFile("provider/keys/create-key.ts", [
    { name: "a deadline is a time of the service", change: drop("createNamed", "skewMs"), test: LEASES },
  ]),
  ...inFile("provider/resources/rotation/rotation-outputs.ts", [
    {
      name: "the deadline of an ApiKey's key is known to the RotatingApiKey that continues it",
      change: never("readState", "maxAge"),
      test: resources("converted"),
      by: "the state of a resource of the other kind, which an alias or an edited state can pass of an ApiKey with maxAge",
    },
  ]),
  ...inFile("provider/resources/rotation/rotation-plan.ts", [
    {
      name: "another maxAge rotates, because the deadline is in the name",
      change: never("rotationReason", "sameAge"),
      test: LEASES,
    },
    {
      name: "a previous key in use does not hold up a rotation until the deadline",
      change: becomes("false", "rotationReason", "isOld", "deadlineIn"),
      test: LEASES,
      by: "a RotatingApiKey with maxAge rotates in time",
    },
  ]),
  ...inFile("provider/keys/fate.ts", [
    { name: "a leased key stays until its deadline", change: drop("fateOf", "deadline"), test: keys("fate") },
    {
      name: "no deadline passes while the service's time is unknown",
      change: becomes("REVOKE", "fateOf", "report", "time unknown"),
      test: keys("fate"),
    },
    {
      name: "a credential in use outlives its deadline",
      change: never("fateOf", "isCredential"),
      test: keys("fate"),
    },
  ]),
  ...inFile("cli/revoke/carry-out.ts", [
    {
      name: "reap revokes only with --yes",
      change: becomes("planned.length === 0", "carryOut", "yes", "length"),
      test: cli("reap"),
    },
    {
      name: "sweep asks about each key again before it revokes it",
      change: never("revokeKeys", "why", "undefined"),
      test: cli("sweep"),
    },
    {
      name: "sweep sends nothing more once it cannot plan again",
      change: drop("revokeKeys", "break"),
      test: cli("sweep"),
      by: "sweep revokes no other key once it cannot plan again",
    },
    {
      name: "a revocation is verified by what the service lists, not by what this process knows",
      change: becomes("keys.list()", "stillLive", "keys", "listWithout", "revoked"),
      test: cli("sweep"),
    },
  ]),
  ...inFile("cli/sweep/sweep-plan.ts", [
    {
      name: "a current key that is missing shows another history",
      change: never("fateOfKey", "missing", "ownerTag"),
      test: cli("sweep"),
      by: "sweep keeps all keys of an owner if a current key",
    },
    {
      name: "a clock that is behind makes no key older than the state",
      change: becomes("skewMs", "fateOfKey", "Math", "min", "skewMs"),
      test: cli("sweep"),
      by: "sweep keeps a key that was made after",
    },
  ]),
  ...inFile("cli/sweep/sweep-owners.ts", [
    {
      name: "a copied state is a state of the owner that it was copied from",
      change: without("sweptOwners", "foreign"),
      test: cli("sweep"),
    },
    {
      name: "a time to come does not say when a state was saved",
      change: becomes("!Number.isNaN(saved)", "readSavedAt", "saved", "now"),
      test: cli("sweep"),
    },
  ]),
  ...inFile("cli/state/states.ts", [
    {
      name: "an older state does not say who holds a key",
      change: uncalled("holdersIn", "latestOf"),
      test: cli("keys"),
    },
    {
      name: "a key with the id of another account's key is told by its name",
      change: becomes("true", "holdersIn", "==="),
      test: cli("keys"),
    },
  ]),
  ...inFile("provider/stack/stack-state.ts", [
    {
      name: "the key of a replaced resource is no current one",
      change: never("roleIn", "replaced", "role"),
      test: cli("keys"),
    },
    {
      name: "a list of ids does not hide the name of a key in a state",
      change: always("stackState", "named", "has"),
      test: cli("keys"),
    },
  ]),
  ...inFile("cli/report/make-report.ts", [
    {
      name: "report refuses what is no organization before any request",
      change: unchained("wantedLists", "readOrganization"),
      test: "test/unit/cli/usage.long.test.ts",
    },
  ]),
  ...inFile("cli/main.ts", [
    {
      name: "a reader that closes the pipe does not end a revocation half-way",
      change: before("process.exit(0);", "error", "lost", "code"),
      test: cli("lost-output"),
    },
    {
      name: "output that is lost at the end of a command makes it fail",
      change: without("", "error", "code"),
      test: cli("lost-output"),
    },
  ]),
  ...inFile("cli/callers.ts", [
    {
      name: "what the service tells of its caller is the id of a key only if that key has just been used",
      change: without("askCaller", "isUsed"),
      test: cli("revoke"),
      by: "revoke takes no id from GET /auth",
    },
    {
      name: "lists in which no key shows their use prove nothing",
      change: uncalled("mayUse", "someOf"),
      test: cli("revoke"),
      by: "revoke refuses if no key shows the use",
    },
    {
      name: "an account that could not be asked may use any key",
      change: becomes("false", "mayUse", "true", "??", "isIt"),
      test: cli("revoke"),
      by: "revoke and reap say why an account cannot be asked",
    },
  ]),
  ...inFile("cli/keys/keys.ts", [
    {
      name: "an account whose key is not known hides no key from a check",
      change: always("keys", "accountOf", "suspects"),
      test: cli("keys"),
      by: "--fail-on unmanaged spares",
    },
  ]),
  ...inFile("cli/reap/reap.ts", [
    {
      name: "reap goes by the service's clock",
      change: becomes("account.now()", "planReap", "skewMs", "serviceNow"),
      test: cli("reap"),
    },
  ]),
];

export const mutants = [
  ...retry.map((mutant) => ({ part: "retry", ...mutant })),
  ...limits.map((mutant) => ({ part: "limits", ...mutant })),
  ...settle.map((mutant) => ({ part: "settle", ...mutant })),
  ...ledger.map((mutant) => ({ part: "ledger", ...mutant })),
  ...evidence.map((mutant) => ({ part: "evidence", ...mutant })),
  ...deletes.map((mutant) => ({ part: "delete, read", ...mutant })),
  ...digests.map((mutant) => ({ part: "digests, periods, copies", ...mutant })),
  ...account.map((mutant) => ({ part: "account", ...mutant })),
  ...waits.map((mutant) => ({ part: "wait", ...mutant })),
  ...rotation.map((mutant) => ({ part: "rotation", ...mutant })),
  ...sealing.map((mutant) => ({ part: "sealed keys", ...mutant })),
  ...leases.map((mutant) => ({ part: "leases", ...mutant })),
  ...adoption.map((mutant) => ({ part: "adoption", ...mutant })),
  ...values.map((mutant) => ({ part: "values", ...mutant })),
  ...outside.map((mutant) => ({ part: "outside", ...mutant })),
  ...serving.map((mutant) => ({ part: "serve", ...mutant })),
  ...plugins.map((mutant) => ({ part: "plugin", ...mutant })),
  ...promises.map((mutant) => ({ part: "promises", ...mutant })),
  ...messages,
];
