// The protections. Each mutant removes one with a small `change` of one source file, at a named place (operators.mjs). A
// test in the given files whose name starts with `by` must then fail, or any of their tests if `by` is not set.
import { always, becomes, drop, instead, negated, never, uncalled, unchained, without } from "./operators.mjs";

const inFile = (file, mutants) => mutants.map((mutant) => ({ file, ...mutant }));
const http = (name) => `test/unit/http/${name}.test.ts`;
const api = (name) => `test/unit/api/${name}.test.ts`;
const plane = (name) => `testing/control-plane/test/${name}.test.ts`;
const unit = (name) => `test/unit/${name}.test.ts`;

const retry = [
  ...inFile("provider/http/retry/backoff.ts", [
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
  ]),
  ...inFile("provider/http/exchange.ts", [
    {
      name: "an abort does not cut a change that was sent",
      change: always("exchange", "GET", "||"),
      test: http("client"),
    },
    {
      name: "a change that was sent has the request timeout left after an abort",
      change: drop("exchange", "push"),
      test: http("client"),
    },
    {
      name: "an aborted request is refused when its turn comes",
      change: drop("onRequestStart", "!=="),
      test: http("sent"),
    },
  ]),
  ...inFile("provider/http/retry/retry-budget.ts", [
    { name: "all calls share one budget of repeats", change: never("take", "#tokens"), test: http("decisions") },
  ]),
  ...inFile("provider/http/client.ts", [
    {
      name: "a date to retry after is measured on the service's clock",
      change: becomes("clock.now()", "#attempt", "date"),
      test: http("client"),
    },
    {
      name: "a refusal is told, although the run was aborted meanwhile",
      change: without("#requestWithRetries", "refused"),
      test: http("client"),
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
      change: becomes("now", "next", "#cutAt", "REST_MS"),
      test: http("limits"),
    },
    {
      name: "the bucket of the service is never overdrawn",
      change: without("constructor", "SLACK"),
      test: http("limits"),
    },
    { name: "a volley of refusals counts once", change: drop("tooMany", "startedAt"), test: http("limits") },
  ]),
];

const settle = [
  ...inFile("provider/secrets.ts", [
    {
      name: "a credential is found in any case",
      change: unchained("redact", "toLowerCase"),
      test: "test/unit/secrets.test.ts",
    },
    {
      name: "a credential is found in base64 behind other text",
      change: becomes("[0]", "formsOf", "0", "1"),
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
      change: becomes("redact(cleanText(words))", "serviceWords", "cleanText", "redact"),
      test: http("client"),
      by: "show no part of a secret",
    },
    {
      name: "secrets are taken out of the service's words",
      change: uncalled("serviceWords", "redact"),
      test: http("client"),
      by: "show no part of a secret",
    },
    {
      name: "a request id of the service is no secret",
      change: without("requestIdOf", "holdsSecret"),
      test: http("client"),
      by: "show no part of a secret",
    },
  ]),
  ...inFile("provider/api/keys/read-created-key.ts", [
    {
      name: "the answer to another request makes no key",
      change: never("readCreatedKey", "!==", "toLowerCase"),
      test: api("keys-create"),
      by: "creating a key treats the answer to another request",
    },
  ]),
  ...inFile("provider/api/keys/api-keys.ts", [
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
  ...inFile("provider/ids.ts", [
    {
      name: "an id is exact or none",
      change: without("keyIdOf", "Number"),
      test: "test/unit/fuzz/inputs.test.ts",
      by: "of a key in an answer",
    },
  ]),
];

const sdk = [
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
];

const deletes = [
  ...inFile("provider/api/keys/api-keys.ts", [
    {
      name: "a refused list does not answer for later runs",
      change: without("#read", "REFUSED_MS"),
      test: api("keys-list"),
      by: "listing keys sends one list with a credential",
    },
  ]),
  ...inFile("provider/api/keys/api-keys.ts", [
    {
      name: "a revocation that failed is requested again",
      change: never("revoke", "#revoked", "has"),
      test: api("keys-revoke"),
    },
    {
      name: "a key that was not found is not taken for revoked",
      change: never("revoke", "absent"),
      test: api("keys-revoke"),
      by: "asks again",
    },
    {
      name: "a credential that was refused from the start sends one list",
      change: never("#read", "#refusal", "REFUSED_MS"),
      test: api("keys-list"),
    },
    {
      name: "a credential that was accepted once is not refused for good",
      change: without("#read", "#isAccepted"),
      test: api("keys-list"),
    },
    {
      name: "a list that lags behind a revocation is read again",
      change: becomes("[]", "listWithout", "SETTLE_PAUSES_MS"),
      test: api("keys-revoke"),
    },
    {
      name: "a list that lacks a key again does not settle its revocation",
      change: drop("#settleRevoke", "open", "unlisted"),
      test: api("keys-revoke"),
      by: "revoking a key fails if every answer is lost and no list",
    },
  ]),
];

const waits = [
  ...inFile("provider/api/operations/wait.ts", [
    {
      name: "an operation may be unknown at first",
      change: always("#countMisses", "MAX_MISSES"),
      test: api("waits"),
    },
    { name: "a wait ends with its signal", change: without("waitFor", "signals"), test: api("waits") },
  ]),
  ...inFile("provider/api/operations/project-poller.ts", [
    {
      name: "a wait ends if its request cannot be sent because of an input",
      change: without("isFinalFailure", "input"),
      test: api("waits"),
    },
    {
      name: "a project that is known again gets all its polls",
      change: becomes("this.#failures + 1", "#look", "0", "1"),
      test: api("idle"),
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
  ...inFile("provider/dynamic/adapter.ts", [
    {
      name: "a failed check names no property, whose value would be printed",
      change: becomes("(reason, at) => ({ property: failures[at].property, reason })", "check", "=>"),
      test: "test/unit/errors/error-pages.test.ts",
    },
  ]),
];

const outside = [
  ...inFile("provider/api/operations/wait.ts", [
    { name: "a wait says why it got no answer", change: drop("outcome", "#trouble"), test: api("waits") },
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
      change: uncalled("shownName", "redact"),
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
];

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
  ...inFile("provider/functions/args.ts", [
    {
      name: "a function waits no longer than a timer can",
      change: without("checkTimer", "MAX_TIMER_MS"),
      test: "test/unit/functions/functions.test.ts",
      by: "arguments with a time that no timer can wait",
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
  ...inFile("sdk/nodejs/run/pulumi-internals.ts", [
    {
      name: "Pulumi shows the error of a data source without its stack and properties",
      change: drop("showOnlyMessage", "defineProperty"),
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
].map((mutant) => ({ part: "messages", ...mutant }));

const promises = [
  ...inFile("provider/api/operations/idle-project.ts", [
    {
      name: "an operation from before the wait does not fail it",
      change: without("#isLater", "#newest", "createdAt"),
      test: unit("api/idle"),
    },
  ]),
];

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
  ]),
];

export const mutants = [
  ...retry.map((mutant) => ({ part: "retry", ...mutant })),
  ...limits.map((mutant) => ({ part: "limits", ...mutant })),
  ...settle.map((mutant) => ({ part: "settle", ...mutant })),
  ...sdk.map((mutant) => ({ part: "sdk", ...mutant })),
  ...deletes.map((mutant) => ({ part: "delete, read", ...mutant })),
  ...waits.map((mutant) => ({ part: "wait", ...mutant })),
  ...sealing.map((mutant) => ({ part: "sealed keys", ...mutant })),
  ...values.map((mutant) => ({ part: "values", ...mutant })),
  ...outside.map((mutant) => ({ part: "outside", ...mutant })),
  ...serving.map((mutant) => ({ part: "serve", ...mutant })),
  ...plugins.map((mutant) => ({ part: "plugin", ...mutant })),
  ...promises.map((mutant) => ({ part: "promises", ...mutant })),
  ...messages,
];
