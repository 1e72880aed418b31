// The protections. Each mutant removes one with a small change of one source file. A test in the given files whose name
// starts with `by` must then fail, or any of their tests if `by` is not set.

const inFile = (file, mutants) => mutants.map((mutant) => ({ file, ...mutant }));
const http = (name) => `test/unit/http/${name}.test.ts`;
const api = (name) => `test/unit/api/${name}.test.ts`;
const cli = (name) => `test/unit/cli/${name}.test.ts`;
const plane = (name) => `test/unit/control-plane/${name}.test.ts`;
const resources = (name) => `test/unit/resources/${name}.test.ts`;
const keys = (name) => `test/unit/keys/${name}.test.ts`;
const plugin = (name) => `test/unit/plugin/${name}.test.ts`;
const unit = (name) => `test/unit/${name}.test.ts`;
const STORIES_OF_PLUGIN = "test/model/plugin-stories.test.ts";
const KNOWN_ADDRESS = "test/unit/session/known-address.test.ts";
const PROGRAM_END = "test/unit/sdk/program-end.test.ts";
const contract = (name) => `test/contract/plugin${name && `-${name}`}.test.ts`;

const retry = [
  ...inFile("provider/http/retry/backoff.ts", [
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
  ...inFile("provider/http/retry/classify.ts", [
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
  ...inFile("provider/http/sent-tracker.ts", [
    {
      name: "it is noted that a request was sent",
      find: "    this.#isWritten = true;\n",
      replace: "",
      test: resources("lost-answers"),
      by: "C4",
    },
    {
      name: "silence of connections that never announced a request does not prove that none was sent",
      find: " || !announcing.has(this.connections)",
      replace: "",
      test: http("sent"),
    },
    {
      name: "some codes prove that nothing was sent",
      find: " && !NEVER_SENT.test(code)",
      replace: "",
      test: http("sent"),
    },
    {
      name: "a request that was announced counts as sent, whatever its code",
      find: "this.#isWritten || (this.maybeSent && !NEVER_SENT.test(code))",
      replace: "this.maybeSent && !NEVER_SENT.test(code)",
      test: http("sent"),
    },
  ]),
  ...inFile("provider/http/exchange.ts", [
    {
      name: "an abort does not cut a change that was sent",
      find: 'if (method === "GET" || !mark.maybeSent) ',
      replace: "",
      test: http("client"),
      by: "W6",
    },
    {
      name: "a change that was sent has the request timeout left after an abort",
      find: "else timers.push(endAfter(attempt.timeoutAfterAbortMs));",
      replace: "",
      test: http("client"),
      by: "W6",
    },
    {
      name: "an aborted request is refused when its turn comes",
      find: "if (this.#refused !== undefined) controller.abort(this.#refused);",
      replace: "",
      test: http("sent"),
    },
  ]),
  ...inFile("provider/session/engine-link.ts", [
    {
      name: "a message without an engine fails nothing",
      find: 'if (this.address === "") return;',
      replace: "",
      test: "test/unit/session/engine-link.test.ts",
    },
  ]),
  ...inFile("provider/http/retry/retry-budget.ts", [
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
      name: "a date to retry after is measured on the service's clock",
      find: "parseRetryAfterMs(retryAfter, date)",
      replace: "parseRetryAfterMs(retryAfter, clock.now())",
      test: http("client"),
      by: "C12",
    },
    {
      name: "a refusal is told, although the run was aborted meanwhile",
      find: 'verdict !== "refused" && ',
      replace: "",
      test: http("client"),
      by: "W6",
    },
  ]),
];

const limits = [
  ...inFile("provider/http/limits/limiter.ts", [
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
  ...inFile("provider/http/limits/pace.ts", [
    {
      name: "requests do not start all at once",
      find: "Math.max(1, perSecond * AT_ONCE)",
      replace: "perSecond",
      test: http("limits"),
    },
    {
      name: "nothing starts for a moment after a refusal",
      find: "loweredAt + REST_MS",
      replace: "now",
      test: http("limits"),
    },
    {
      name: "the bucket of the service is never overdrawn",
      find: ", this.#service.next(now));",
      replace: ");",
      test: http("limits"),
    },
  ]),
  ...inFile("provider/http/limits/adaptive-limit.ts", [
    {
      name: "a volley of refusals counts once",
      find: "if (startedAt < this.#loweredAt) return;",
      replace: "",
      test: http("limits"),
    },
  ]),
];

const settle = [
  ...inFile("provider/keys/create-key.ts", [
    {
      name: "an orphan that cannot be revoked is recorded",
      find: "if (name === undefined) return error;",
      replace: "return error;",
      test: resources("lost-answers"),
      by: "C7",
    },
    {
      name: "orphans of earlier attempts are kept beside the key",
      find: "left.orphans.map(({ id }) => id) };",
      replace: "[] };",
      test: resources("lost-answers"),
      by: "C7",
    },
    {
      name: "a name that did not show up is kept",
      find: "if (found === undefined && isAnswerLost(lost)) return;\n  left.lostNames.pop();",
      replace: "left.lostNames.pop();\n  if (found === undefined && isAnswerLost(lost)) return;",
      test: resources("lost-answers"),
      by: "C5",
    },
    {
      name: "no more than three names are tried",
      find: "if (attempt < MAX_NAMES) continue;",
      replace: "if (attempt < 5) continue;",
      test: resources("lost-answers"),
      by: "C4",
    },
    {
      name: "every request has a name of its own",
      find: "for (let attempt = 1; ; attempt++) {\n    const name = autoName(prefix, identity, context.nonce());",
      replace: "const name = autoName(prefix, identity, context.nonce());\n  for (let attempt = 1; ; attempt++) {",
      test: resources("lost-answers"),
      by: "C4",
    },
    {
      name: "a taken exact name is a stranger's, unless a lost request explains it",
      find: "!(attempt > 1 && isTaken(error))",
      replace: "!isTaken(error)",
      test: resources("exact-name"),
      by: "C11",
    },
    {
      name: "a taken auto-name is settled",
      find: "if (!isAnswerLost(error) && !isTaken(error)) throw error;",
      replace: "if (!isAnswerLost(error)) throw error;",
      test: resources("lost-answers"),
      by: "C11",
    },
  ]),
  ...inFile("provider/keys/lost-key.ts", [
    {
      name: "a lost key is looked for",
      find: "const found = keys.find((key) => key.name === name && !isOthers(key));",
      replace: 'const found = keys.find((key) => key.name === "" && !isOthers(key));',
      test: resources("lost-answers"),
      by: "C4",
    },
    {
      name: "a lost key is looked for until the request is surely over",
      find: " || waited >= context.settings().requestTimeoutMs",
      replace: " || waited >= 0",
      test: resources("lost-answers"),
      by: "C5",
    },
    {
      name: "a used key is never taken for an orphan",
      find: 'const use = lastUsedAt === null ? "never" : "used";',
      replace: 'const use = lastUsedAt === null ? "never" : "never";',
      test: resources("lost-answers"),
      by: "C5: is reported",
    },
    {
      name: "without the list nothing more is sent",
      find: "    throw new KeyplaneError(\n",
      replace: "    return undefined;\n    throw new KeyplaneError(\n",
      test: resources("lost-answers"),
      by: "C13",
    },
  ]),
  ...inFile("provider/keys/clear-name.ts", [
    {
      name: "an exact name that is taken stops the creation",
      find: "if (taken === undefined) return;",
      replace: "if (taken !== 7) return;",
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
  ...inFile("provider/secrets.ts", [
    {
      name: "a secret is found in any case",
      find: "code | (code >= 0x41 ? 0x20 : 0)",
      replace: "code",
      test: "test/unit/secrets.test.ts",
    },
    {
      name: "a secret is found in base64 behind other text",
      find: "for (const before of [0, 1, 2])",
      replace: "for (const before of [0])",
      test: "test/unit/secrets.test.ts",
    },
    {
      name: "a secret is found between invisible characters and escapes",
      find: "if (beginsEscape(code)) return true;",
      replace: "",
      test: "test/unit/secrets.test.ts",
    },
  ]),
  ...inFile("provider/http/exact-json.ts", [
    {
      name: "each digit of an answer is read once",
      find: "      at = end - 1;\n",
      replace: "",
      test: "test/unit/fuzz/cpu.test.ts",
      by: "a hostile text takes time in proportion to its length as an answer",
    },
    {
      name: "an answer with too many values is refused",
      find: "if (++values > MAX_VALUES)",
      replace: "if (++values < 0)",
      test: "test/unit/http/exact-json.test.ts",
    },
    {
      name: "an id keeps its digits",
      find: "!Number.isSafeInteger(Number(token))",
      replace: "false",
      test: "test/unit/http/exact-json.test.ts",
    },
  ]),
  ...inFile("provider/http/retry/retry-after.ts", [
    {
      name: "no date beyond the year 9999 keeps a key from being recorded",
      find: "at <= LATEST_MS ? at : undefined",
      replace: "Number.isNaN(at) ? undefined : at",
      test: http("decisions"),
    },
  ]),
  ...inFile("provider/http/failure.ts", [
    {
      name: "secrets are taken out of the service's words before they are cut",
      find: "cleanText(maskKeyLike(redactShort(words)))",
      replace: "redact(maskKeyLike(cleanText(words)))",
      test: http("client"),
      by: "show no part of a secret",
    },
    {
      name: "secrets are taken out of the service's words",
      find: "maskKeyLike(redactShort(words))",
      replace: "maskKeyLike(words)",
      test: http("client"),
      by: "show no part of a secret",
    },
    {
      name: "a request id of the service is no secret",
      find: "maskKeyLike(redact(id)) === id",
      replace: "true",
      test: http("client"),
      by: "show no part of a secret",
    },
  ]),
  ...inFile("provider/api/reader.ts", [
    {
      name: "secrets are taken out of every text of an answer",
      find: 'return redactShort(PLAIN.test(text) ? text : text.replace(UNSTORABLE, " "));',
      replace: "return text;",
      test: resources("lies"),
      by: "a secret that the service repeats",
    },
    {
      name: "what holds a secret is no id of a project",
      find: "redact(value) !== value",
      replace: "false",
      test: resources("lies"),
      by: "with the new secret in an operation",
    },
  ]),
  ...inFile("provider/api/keys/read-created-key.ts", [
    {
      name: "the new secret is concealed before anything else of the answer is read",
      find: 'if (typeof key === "string") conceal(key);',
      replace: "",
      test: resources("lies"),
      by: "a creation that is answered with the new secret",
    },
    {
      name: "what holds the new secret is no id of a key",
      find: "id !== undefined && redact(id) === id",
      replace: "id !== undefined",
      test: resources("lies"),
      by: "a creation that is answered with the new secret",
    },
    {
      name: "a key that no header can carry is not delivered",
      find: " || !isKeyText(key)",
      replace: "",
      test: resources("lost-answers"),
      by: "C6",
    },
  ]),
  ...inFile("provider/ids.ts", [
    {
      name: "an id is exact or none",
      find: "Number.isSafeInteger(value)",
      replace: "true",
      test: "test/unit/fuzz/inputs.test.ts",
      by: "of a key in an answer",
    },
  ]),
];

const ledger = [
  ...inFile("provider/dynamic/owner.ts", [
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
  ]),
  ...inFile("provider/dynamic/ledger.ts", [
    {
      name: "what was ever delivered is remembered",
      find: "[...new Set([...delivered, ...owned])]",
      replace: "[...new Set([...owned])]",
      test: resources("ledger"),
      by: "leaves keys that were in the stack",
    },
    {
      name: "a sweep that could not look is due again",
      find: "{ delivered: everHeld(before), isUnswept: true, knows",
      replace: "{ delivered: everHeld(before), isUnswept: false, knows",
      test: resources("ledger"),
      by: "C13",
    },
    {
      name: "a sweep that could not look forgets nothing",
      find: "{ delivered: everHeld(before), isUnswept: true, knows",
      replace: "{ delivered: [], isUnswept: true, knows",
      test: resources("ledger"),
      by: "C13",
    },
    {
      name: "a refresh flags what is left behind",
      find: "state : { ...state, isUnswept: true }",
      replace: "state : state",
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
      find: "if (state.unrevoked.length > 0) due.push",
      replace: "if (false) due.push",
      test: resources("ledger"),
      by: "C10",
    },
    {
      name: "what the last run could not revoke is not forgotten",
      find: "return { left: before.unrevoked, added };",
      replace: "return { left: [], added };",
      test: resources("ledger"),
      by: "revokes nothing in an incomplete run",
    },
    {
      name: "a run that only revokes does not sweep",
      find: "needsSweep(before, inputs)\n    ?",
      replace: "true ?",
      test: resources("ledger"),
      by: "revokes retired keys",
    },
    {
      name: "an incomplete run revokes nothing",
      find: "if (inputs.incomplete === true || leavesOut(inputs, context)) {",
      replace: "if (leavesOut(inputs, context)) {",
      test: resources("ledger"),
      by: "revokes nothing in an incomplete run",
    },
    {
      name: "an incomplete run notes what it did not revoke",
      find: "const unrevoked = [...left, ...added];",
      replace: "const unrevoked = left;",
      test: resources("ledger"),
      by: "revokes nothing in an incomplete run",
    },
    {
      name: "an incomplete run notes that it did not sweep",
      find: "...unsweptAfter(before, inputs, context), unrevoked, deliveries: before",
      replace: "delivered: everHeld(before), isUnswept: false, knowsSince: 0, unrevoked, deliveries: before",
      test: resources("ledger"),
      by: "revokes nothing in an incomplete run",
    },
    {
      name: "a compromised key that is still live fails the run",
      find: "if (failed.length === 0) return;",
      replace: "return;",
      test: resources("ledger"),
      by: "fails the run if it cannot revoke a compromised key",
    },
    {
      name: "a run that revokes sweeps, too, where a key was made",
      find: "needsSweep(before, inputs)\n    ?",
      replace: "false ?",
      test: resources("ledger"),
    },
  ]),
  ...inFile("provider/keys/revoke-key.ts", [
    {
      name: "keys are revoked side by side",
      find: "const left = await Promise.all(\n    toRevoke.map(async ({ id, name }) => {",
      replace:
        "let before: Promise<unknown> = Promise.resolve();\n  const left = await Promise.all(\n    toRevoke.map(async ({ id, name }) => {\n      " +
        "const turn = before;\n      before = turn.then(() => new Promise((done) => setTimeout(done, 100)));\n      await turn;",
      test: resources("ledger"),
      by: "revokes many keys at the same time",
    },
  ]),
  ...inFile("provider/resources/rotating-api-key.ts", [
    {
      name: "a mistyped key is not taken for revoked",
      find: "    refuseUnknownKey(outputs, inputs);\n",
      replace: "",
      test: resources("rotation-compromise"),
      by: "revokeNow of a key that is not the resource's own",
    },
  ]),
  ...inFile("provider/resources/rotation/rotate-key.ts", [
    {
      name: "a compromised key is left to the ledger",
      find: ": { ...state, compromised: [...compromised, old.keyId] };",
      replace: ": { ...state, pendingRevocations: [...state.pendingRevocations, old.keyId] };",
      test: resources("rotation-compromise"),
      by: "revokeNow of the current key does not revoke it before a run",
    },
  ]),
  ...inFile("sdk/nodejs/run/program-end.ts", [
    {
      name: "the ledger waits for the program's function",
      find: "await outputs;",
      replace: "",
      test: "test/unit/sdk/program-run.test.ts",
      by: "the ledger of an inline program waits for a program",
    },
    {
      name: "the ledger waits for all calls of the program",
      find: "if (settings.rpcDone === ended) finish();",
      replace: "if (ended !== undefined) finish();",
      test: "test/unit/sdk/program-run.test.ts",
      by: "the ledger of an inline program is its last resource",
    },
    {
      name: "a program that waits forever is not complete",
      find: 'if (end === "stuck" && !pulumi.runtime.isDryRun()) {',
      replace: "if (false) {",
      test: PROGRAM_END,
      by: "a program with its own process fails and has no ledger if its last await",
    },
    {
      name: "a run with a call that never ends is not complete",
      find: "Promise.all([outputs, rpcDone])",
      replace: "Promise.all([outputs])",
      test: PROGRAM_END,
      by: "a program with its own process fails and has no ledger if its last call",
    },
    {
      name: "a program that waits forever fails before Pulumi ends its run",
      find: "program.exitCode = REPORTED;",
      replace: "",
      test: PROGRAM_END,
      by: "a program with its own process fails before Pulumi",
    },
    {
      name: "a resource that another listener registers is not taken for one that waits forever",
      find: 'program.prependOnceListener("beforeExit"',
      replace: 'program.once("beforeExit"',
      test: PROGRAM_END,
      by: "a program with its own process is complete once",
    },
    {
      name: "the ledger waits for resources that another listener registers",
      find: 'if (end === "done") whenCallsHaveEnded(settings, declareLast);',
      replace: "if (end === undefined) return;",
      test: PROGRAM_END,
      by: "a program with its own process is complete once",
    },
    {
      name: "a failed program gets no second message when it waits forever",
      find: "if (!hasRunFailed()) void",
      replace: "void",
      test: PROGRAM_END,
      by: "a program with its own process fails without a second message",
    },
    {
      name: "a preview may wait for an unknown value",
      find: " && !pulumi.runtime.isDryRun()",
      replace: "",
      test: PROGRAM_END,
      by: "a program with its own process may wait",
    },
    {
      name: "a preview that waits for an unknown value did not exit",
      find: 'isOver = end === "stuck";',
      replace: "",
      test: PROGRAM_END,
      by: "a program with its own process may wait",
    },
    {
      name: "the run of a program that failed is not complete",
      find: '() => "unproven" as const',
      replace: '() => "done" as const',
      test: PROGRAM_END,
      by: "a program with its own process is never complete if it failed",
    },
    {
      name: "a program with an exit code has no ledger",
      find: "if (code !== 0) return;",
      replace: "",
      test: PROGRAM_END,
      by: "a program with its own process has no ledger if it set",
    },
    {
      name: "a run is not complete without a proof",
      find: 'finish(end === "done")',
      replace: "finish(true)",
      test: PROGRAM_END,
      by: "a program with its own process is never complete",
    },
    {
      name: "calls that Pulumi does not show prove nothing",
      find: " || rpcDone === undefined) return",
      replace: ") return",
      test: PROGRAM_END,
      by: "a program with its own process is never complete if Pulumi's SDK does not show",
    },
    {
      name: "process.exit with code 0 before the ledger fails the run",
      find: "program.exitCode = 1;",
      replace: "",
      test: PROGRAM_END,
      by: "a program that calls process.exit with code 0",
    },
    {
      name: "process.exit while the ledger runs fails the run",
      find: "await finish(",
      replace: "void finish(",
      test: PROGRAM_END,
      by: "a program that calls process.exit while the ledger runs",
    },
    {
      name: "process.exit after the ledger is fine",
      find: "code !== 0 || isOver ||",
      replace: "code !== 0 ||",
      test: PROGRAM_END,
      by: "a program that calls process.exit after the ledger",
    },
    {
      name: "process.exit with another code keeps it",
      find: "code !== 0 || isOver ||",
      replace: "isOver ||",
      test: PROGRAM_END,
      by: "a program that calls process.exit with code",
    },
    {
      name: "process.exit after an error gets no second message",
      find: " || hasRunFailed()",
      replace: "",
      test: PROGRAM_END,
      by: "a program that calls process.exit after an error",
    },
    {
      name: "process.exit gets one message only",
      find: 'program.prependListener("exit"',
      replace: 'program.once("exit"',
      test: PROGRAM_END,
      by: "a program that calls process.exit before its end",
    },
  ]),
  ...inFile("sdk/nodejs/run/program-run.ts", [
    {
      name: "no inline run is complete without a proof",
      find: "isProven && ",
      replace: "",
      test: "test/unit/sdk/program-run.test.ts",
      by: "the ledger of an inline program is told that the run is incomplete if Pulumi's SDK",
    },
    {
      name: "a unit test with mocks has no ledger",
      find: " && !isMocked()",
      replace: "",
      test: "test/unit/sdk/program-run.test.ts",
      by: "a unit test with mocks that runs a whole program",
    },
  ]),
  ...inFile("sdk/nodejs/run/traces.ts", [
    {
      name: "the state repeats no frame of Pulumi or Node",
      find: "at <= own || isProgram(fileOf(frame))",
      replace: "at >= 0 || isProgram(fileOf(frame))",
      test: "test/unit/sdk/traces.test.ts",
    },
    {
      name: "the class of a resource stays in its trace, because Pulumi skips it",
      find: "at <= own ||",
      replace: "at < own ||",
      test: "test/unit/sdk/traces.test.ts",
    },
  ]),
  ...inFile("sdk/nodejs/run/watch-registrations.ts", [
    {
      name: "a run of which nothing was seen is not complete",
      find: "seen?.any === true && !seen.anyFailed",
      replace: "!seen?.anyFailed",
      test: "test/unit/sdk/program-run.test.ts",
      by: "the ledger of an inline program is told that the run is incomplete if no answer",
    },
    {
      name: "a run fails if the engine refuses a resource",
      find: "if (error) seen.anyRefused = true;",
      replace: "",
      test: "test/unit/sdk/program-run.test.ts",
      by: "a run has failed if the engine refuses",
    },
    {
      name: "a run whose program failed is not complete",
      find: " && !pulumi.log.hasErrors()",
      replace: "",
      test: "test/unit/sdk/program-run.test.ts",
      by: "the ledger of an inline program is told that the run is incomplete if the program",
    },
  ]),
];

const deletes = [
  ...inFile("provider/keys/revoke-key.ts", [
    {
      name: "an abort does not lose a key that is still to be revoked",
      find: "if (!isAborted(error)) {",
      replace: "if (isAborted(error)) throw error;\n        {",
      test: resources("readiness"),
      by: "W6",
    },
    {
      name: "no key that stays live is forgotten in another account",
      find: "if (sameOwner(ownerNow(outputs, context), outputs.owner)) await mustBeSameAccount(identityIn(outputs), context);",
      replace: "",
      test: "test/model/stories.test.ts",
      by: "a destroy in another account of a key that should outlive its resource",
    },
    {
      name: "keyplane's own credential is not revoked",
      find: "  refuseOwnCredential(held, context);\n",
      replace: "",
      test: resources("deletes"),
      by: "D7",
    },
    {
      name: "the id of keyplane's own credential is not revoked under another secret",
      find: " ?? ownKeys.get(id)",
      replace: "",
      test: resources("lies"),
      by: "the id of keyplane's own credential",
    },
    {
      name: "an id alone proves nothing",
      find: "return found.name === name;",
      replace: "return true;",
      test: resources("deletes"),
      by: "touches nothing if",
    },
    {
      name: "a young key is looked for twice",
      find: "if (keyIn(keys, held.id) === undefined && isYoung(held, context)) ",
      replace: "if (false) ",
      test: resources("reads"),
      by: "R4",
    },
    {
      name: "a key that works is not gone, whatever a list lacks",
      find: "  else await mustNotWork(held, context);\n",
      replace: "",
      test: resources("lies"),
      by: "a list that lacks a live key",
    },
    {
      name: "a second list can veto the revocation of a wrong id",
      find: " ?? (await secondLook(held.id, context))",
      replace: "",
      test: resources("lies"),
      by: "a list that lacks a live key",
    },
    {
      name: "a list that lacks a key does not keep it from being revoked",
      find: "else if (isElsewhere(held.identity, context) || keyIdOf(held.id) === undefined) return;",
      replace: "else return;",
      test: resources("lies"),
      by: "a list that lacks a live key",
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
  ...inFile("provider/api/keys/check-revoked.ts", [
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
  ...inFile("provider/api/keys/api-keys.ts", [
    {
      name: "a key that is still listed is not revoked",
      find: "if (keyIn(keys, id) !== undefined) throw trouble;",
      replace: "",
      test: resources("deletes"),
      by: "D3",
    },
    {
      name: "a revocation is shared by all callers",
      find: "getOrCreate(this.#revocations, id, async",
      replace: "getOrCreate(new Map(), id, async",
      test: resources("deletes"),
      by: "D5",
    },
    {
      name: "a revocation that failed is requested again",
      find: "this.#revocations.delete(id);",
      replace: "",
      test: api("keys-revoke"),
    },
    {
      name: "a credential that was refused from the start sends one list",
      find: "if (this.#refusal !== undefined) throw this.#refusal;",
      replace: "",
      test: api("keys-list"),
      by: "R1",
    },
    {
      name: "a credential that was accepted once is not refused for good",
      find: "if (!this.#isAccepted && isApiError(error)",
      replace: "if (isApiError(error)",
      test: api("keys-list"),
      by: "R1",
    },
    {
      name: "a list that lags behind a revocation is read again",
      find: 'kind === "not_found" ? SETTLE_PAUSES_MS : []',
      replace: "[]",
      test: api("keys-revoke"),
      by: "D3",
    },
    {
      name: "an organization's empty list settles no revocation",
      find: "if (open && keys.length === 0) throw trouble;",
      replace: "",
      test: resources("lies"),
      by: "an organization's empty list",
    },
    {
      name: "a list is not shared across this process's own changes",
      find: "      link.dispose();\n      this.#list.created();",
      replace: "      link.dispose();",
      test: resources("reads"),
      by: "R6",
    },
  ]),
  ...inFile("provider/api/keys/shared-list.ts", [
    {
      name: "a list under way is shared only by those who came before it",
      find: "if (!fresh && running.sentAt > this.#lastCreation) return running;",
      replace: "return running;",
      test: resources("reads"),
      by: "R6",
    },
    {
      name: "a finished list is shared only until the next change",
      find: "finished !== undefined && finished.sentAt > this.#lastCreation",
      replace: "finished !== undefined",
      test: resources("reads"),
      by: "R",
    },
  ]),
  ...inFile("provider/api/keys/read-keys.ts", [
    {
      name: "an empty list is a contradiction",
      find: "if (items.length === 0) {\n    reader.fail",
      replace: "if (items.length === 0) return;\n  if (false) {\n    reader.fail",
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
  ...inFile("provider/keys/readiness.ts", [
    {
      name: "what was handed to nobody is not kept",
      find: "every(({ action, status }) => action === VERIFY.action && status === undefined)",
      replace: "every(({ action, status }) => action !== status)",
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
  ...inFile("provider/api/operations/statuses.ts", [
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
  ...inFile("provider/api/operations/operations-wait.ts", [
    {
      name: "an operation may be unknown at first",
      find: "if (misses < MAX_MISSES) return;",
      replace: "",
      test: api("waits"),
      by: "W1",
    },
  ]),
  ...inFile("provider/api/operations/wait.ts", [
    {
      name: "an unknown status is warned of once",
      find: "this.#unknown.add(status);",
      replace: "",
      test: resources("readiness"),
      by: "W3",
    },
    {
      name: "a wait ends with its signal",
      find: "for (const signal of signals) this.#cleanup.push(onAbort(signal, () => this.#abort(signal)));",
      replace: "",
      test: api("waits"),
      by: "W6",
    },
  ]),
  ...inFile("provider/api/operations/operations.ts", [
    {
      name: "a project that is known again gets all its polls",
      find: "this.#unknown.delete(projectId);",
      replace: "",
      test: api("idle"),
      by: "W1",
    },
  ]),
  ...inFile("provider/api/operations/project-poller.ts", [
    {
      name: "a wait ends if its request cannot be sent because of an input",
      find: 'error.kind === "input" ||',
      replace: "",
      test: api("waits"),
    },
    {
      name: "a project that stayed unknown gets one poll",
      find: "if (context.wasUnknown) this.#failures = MAX_UNKNOWN_POLLS - 1;",
      replace: "",
      test: api("idle"),
      by: "W1",
    },
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
      name: "keyplane's own credential is not retired",
      find: "  if (ownSetting !== undefined) {",
      replace: "if (false) {",
    },
    {
      name: "a copied state does not retire the original's key",
      find: "if (isOthers(madeBy(state, previous), inputs.owner)) {",
      replace: "if (false) {",
    },
    {
      name: "a list that fails does not fail the run",
      find: "if (isAborted(error)) throw error;",
      replace: "throw error;",
    },
    {
      name: "the service's clock has to agree that the grace is over",
      find: "now: Math.min(context.now(), context.account().serviceNow()),",
      replace: "now: context.now(),",
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
      name: "a key that never became ready goes before the next is made",
      find: "await withoutBroken(request.state, inputs, context)",
      replace: "request.state",
    },
    {
      name: "what a new key's making has left behind is recorded",
      find: "[...state.pendingRevocations, ...made.pendingRevocations]",
      replace: "state.pendingRevocations",
    },
    {
      name: "a rotation that made nothing changes nothing",
      find: "if (sameKeys(failed, saved) && !(made.failure instanceof NotReady)) throw made.failure;",
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
  ...inFile("provider/keys/prove-key.ts", [
    {
      name: "keyplane's own credential is not adopted",
      find: "if (ownSetting !== undefined) throw ownCredential(claim, ownSetting);",
      replace: "",
    },
    {
      name: "a secret that is not accepted is not adopted",
      find: "if (seen === undefined) throw notAccepted(claim);",
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
  ]),
  ...inFile("provider/resources/rotation/adopt-key.ts", [
    {
      name: "a key that another resource holds is not adopted",
      find: "if (context.run.holders.has(adopt.id)) {",
      replace: "if (false) {",
    },
    {
      name: "a key of the stack's own making is not adopted",
      find: "if (hasTagOf(name, owner)) {",
      replace: "if (false) {",
    },
    {
      name: "an adopted key is known as the adopting stack's",
      find: "const adopted = { id, name, by: ownerTag(ownerId) };",
      replace: "const adopted = undefined;",
    },
  ]),
  ...inFile("provider/resources/rotation/adoption.ts", [
    { name: "two resources do not adopt one key", find: "if (other === urn) {", replace: "if (true) {" },
    {
      name: "a preview says that a new resource adopts a key, and only then",
      find: "const isNew = Object.keys(before).length === 0 && !run.holders.has(adopt.id);",
      replace: "const isNew = false;",
    },
    {
      name: "a resource that exists adopts no other key",
      find: "if (adopt.id !== state.adopted?.id && !heldBy(state).some(({ id }) => id === adopt.id)) {",
      replace: "if (false) {",
    },
    {
      name: "a resource that moves does not adopt its key again",
      find: "if (!sameScope(outputs, inputs) || outputs.projectId !== inputs.projectId) {",
      replace: "if (false) {",
    },
  ]),
  ...inFile("provider/keys/holders.ts", [
    {
      name: "a key that a successor holds is not revoked with the old resource",
      find: "if (ids.length + urns.length === 0) return false;",
      replace: "return false;",
    },
    {
      name: "the deletion of a key that was imported twice does not revoke it",
      find: "ids.length + urns.length === 0",
      replace: "ids.length === 0",
      test: "test/contract/plugin-import.test.ts",
      by: "a key that two resources import",
    },
  ]),
  ...inFile("provider/resources/rotation/rotation-outputs.ts", [
    { name: "an adopted secret is in the state once", find: "adopt: undefined,", replace: "" },
  ]),
].map((mutant) => ({ test: resources("adopt"), ...mutant }));

const account = [
  ...inFile("provider/keys/account-guard.ts", [
    {
      name: "an account that holds no key of the owner is refused",
      find: "throw wrongAccount(context);",
      replace: "return;",
    },
    { name: "a witness is a key of the same stack", find: "hasTagOf(name, owner)", replace: "true" },
    {
      name: "an account that is confirmed is taken",
      find: " || isAccountConfirmed(context.accountMark(), context.settings())",
      replace: "",
    },
    {
      name: "the owner of the program's keys proves the account of a key that left it",
      find: "  noteProof(ownerOfRun, context);\n",
      replace: "",
    },
    {
      name: "what is recorded under this credential proves the account of its owner",
      find: "  noteProof(identity, context);\n",
      replace: "",
    },
  ]),
  ...inFile("provider/keys/known-origins.ts", [
    {
      name: "a confirmation is for one account",
      find: "confirmedAccounts.includes(String(accountIn(mark)))",
      replace: "confirmedAccounts.length > 0",
    },
    {
      name: "the credential goes to no address that the state does not record",
      find: "owners.every((origins) => origins.has(here)) ||",
      replace: "owners.length >= 0 ||",
      test: KNOWN_ADDRESS,
    },
    {
      name: "a new owner does not vouch for an address that another one has not recorded",
      find: "owners.every((origins) => origins.has(here))",
      replace: "owners.some((origins) => origins.has(here))",
      test: KNOWN_ADDRESS,
    },
    {
      name: "a confirmation is for one address",
      find: "each !== undefined && confirmedAccounts.includes(each)",
      replace: "each !== undefined && confirmedAccounts.length > 0",
      test: KNOWN_ADDRESS,
    },
  ]),
  ...inFile("provider/session/session.ts", [
    {
      name: "every request goes only to an address that the state records",
      find: "if (refusal !== undefined) throw refusal;",
      replace: "",
      test: KNOWN_ADDRESS,
    },
  ]),
  ...inFile("provider/session/verb.ts", [
    {
      name: "each verb notes the address in the state",
      find: 'if (name !== "check" && name !== "create") session.noteRecorded(held);',
      replace: "",
      test: KNOWN_ADDRESS,
    },
  ]),
  ...inFile("provider/session/difference.ts", [
    {
      name: "a preview says that the address is new",
      find: "    reportOrigin(session, resource, context);\n",
      replace: "",
      test: KNOWN_ADDRESS,
    },
    {
      name: "a preview says once that the address is new",
      find: "  if (run.isOriginReported) return;\n",
      replace: "",
      test: KNOWN_ADDRESS,
    },
  ]),
  ...inFile("provider/dynamic/adapter.ts", [
    {
      name: "a key that is created without its owner knows the owner's address",
      find: "  session.noteRecorded(values);\n",
      replace: "",
      test: KNOWN_ADDRESS,
    },
  ]),
  ...inFile("provider/plugin/server.ts", [
    {
      name: "data sources and gates know the address of the provider",
      find: "      session.noteRecorded({ owner: config.owner });\n",
      replace: "",
      test: contract("account"),
      by: "no data source, gate, list or import",
    },
  ]),
  ...inFile("provider/keys/revoke-key.ts", [
    {
      name: "no key is revoked, and none taken for gone, in an account that is not proven",
      find: "refuseOwnCredential(held, context);\n  await mustBeSameAccount(held.identity, context);\n",
      replace: "refuseOwnCredential(held, context);\n",
    },
    {
      name: "no key is read in an account that is not proven",
      find: "  await mustBeSameAccount(held.identity, context);\n  const all = context.keys();\n  let",
      replace: "  const all = context.keys();\n  let",
    },
    {
      name: "an id without a name is revoked only under the owner's tag",
      find: "identity !== undefined && hasTagOf(found.name, ownerIdIn(identity))",
      replace: "true",
    },
  ]),
  ...inFile("provider/resources/api-key.ts", [
    {
      name: "an ApiKey is made in a proven account",
      find: "    await mustBeSameAccount(identityIn(inputs), context);\n    await mustBeDue",
      replace: "    await mustBeDue",
    },
    {
      name: "an ApiKey is updated in a proven account",
      find: "    await mustBeSameAccount(identityIn(inputs), context);\n    // A new owner",
      replace: "    // A new owner",
    },
    {
      name: "an ApiKey that stays live is not forgotten in another account",
      find: "      await mustNotForget(outputs, context);\n",
      replace: "",
    },
  ]),
  ...inFile("provider/resources/rotating-api-key.ts", [
    {
      name: "a RotatingApiKey is made in a proven account",
      find: "    await mustBeSameAccount(identityIn(inputs), context);\n    const id",
      replace: "    const id",
    },
    {
      name: "a RotatingApiKey is updated in a proven account",
      find: "    await mustBeSameAccount(identityIn(inputs), context);\n    // A new owner",
      replace: "    // A new owner",
    },
    {
      name: "a RotatingApiKey that stays live is not forgotten in another account",
      find: "if (kept.length > 0) await",
      replace: "if (false) await",
    },
  ]),
  ...inFile("provider/dynamic/owner.ts", [
    {
      name: "a new owner is recorded only with a credential that works",
      find: "    await context.keys().list({ fresh: true });\n",
      replace: "",
    },
    {
      name: "another credential is shown as a change of the owner",
      find: "if (recorded !== here) {",
      replace: "if (false) {",
    },
    {
      name: "an owner is refreshed in a proven account",
      find: "    await mustBeSameAccount(recordedIdentity(id, state), context);\n    return { ...state,",
      replace: "    return { ...state,",
    },
    {
      name: "an owner is updated in a proven account",
      find: "    await mustBeSameAccount(recordedIdentity(id, state), context);\n    return { ...inputs,",
      replace: "    return { ...inputs,",
    },
    {
      name: "an owner of version 0.1, which recorded no account, is proven, too",
      find: 'identity ?? identityOf(id, "")',
      replace: "identity",
    },
    {
      name: "an owner is deleted in a proven account",
      find: "    await mustBeSameAccount(state.identity, context);\n",
      replace: "",
    },
  ]),
  ...inFile("provider/dynamic/ledger.ts", [
    {
      name: "a ledger sweeps and revokes in a proven account",
      find: "  await mustBeSameAccount(inputs.owner, context);\n",
      replace: "",
    },
    {
      name: "a ledger is read in a proven account",
      find: "    await mustBeSameAccount(state.owner, context);\n    const fates",
      replace: "    const fates",
    },
    {
      name: "a ledger is not forgotten in another account",
      find: "    await mustBeSameAccount(state.owner, context);\n    for",
      replace: "    for",
    },
  ]),
].map((mutant) => ({ test: resources("wrong-account"), ...mutant }));

const digests = [
  ...inFile("cli/identify/key-search.ts", [
    {
      name: "a part of a key at the end of a window is not a key",
      find: " || (openEnd && to === bytes.length)",
      replace: "",
      test: cli("identify-search"),
    },
    {
      name: "a part of a key at the start of a window is not a key",
      find: "(openStart && from < MARGIN) || ",
      replace: "",
      test: cli("identify-search"),
    },
    {
      name: "the end of a window is searched again with the next one",
      find: "bytes.subarray(-OVERLAP)",
      replace: "Buffer.alloc(OVERLAP)",
      test: cli("identify-search"),
    },
    {
      name: "a hash in hex is no unknown key",
      find: "(?![0-9a-f]{64}$)",
      replace: "",
      test: cli("identify-search"),
    },
  ]),
  ...inFile("cli/identify/holdings.ts", [
    {
      name: "a key that another stack created is shown as that of a copy",
      find: "return !makers.some((tag) => tags.includes(tag));",
      replace: "return false;",
      test: cli("identify"),
      by: "the answers for a corpus",
    },
    {
      name: "a stack of the same name with another owner is no newer state",
      find: "other.tags.some((tag) => summary.tags.includes(tag))",
      replace: "true",
      test: cli("identify"),
      by: "the answers for a corpus",
    },
    {
      name: "an older state does not say that a key is in use",
      find: "time(each) > time(newest) ? each : newest",
      replace: "newest",
      test: cli("identify"),
      by: "the answers for a corpus",
    },
  ]),
  ...inFile("cli/identify/service.ts", [
    {
      name: "a key that was found is sent to no service but its own",
      find: "const name = account ?? selected;",
      replace: "const name = selected;",
      test: cli("identify"),
      by: "a key is checked only at the address",
    },
  ]),
  ...inFile("cli/identify/state-sources.ts", [
    {
      name: "a wrong path that can be a misplaced key is not repeated",
      find: "/\\.json(\\.gz)?$/.test(path) ?",
      replace: "path !== undefined ?",
      test: cli("identify"),
      by: "what is not a state",
    },
  ]),
  ...inFile("provider/key-digest.ts", [
    {
      name: "a secret that could be guessed has no digest",
      find: "key === undefined || !isRandomKey(key)",
      replace: "key === undefined",
      test: keys("key-digest"),
      by: "a digest that could be guessed",
    },
    {
      name: "a secret of repeated parts or rows is not random",
      find: "pairs >= (random.length * 2) / 3 && ",
      replace: "",
      test: keys("key-digest"),
    },
    {
      name: "a passphrase is not random",
      find: " && changes >= random.length / CHANGE",
      replace: "",
      test: keys("key-digest"),
    },
    {
      name: "the digest of a key is not the plain hash of its secret",
      find: ".update(KEY_DOMAIN + key)",
      replace: ".update(key)",
      test: keys("key-digest"),
    },
  ]),
  ...inFile("provider/resources/rotation/rotation-outputs.ts", [
    {
      name: "a RotatingApiKey remembers no triggers in clear",
      find: "    rotationTriggers: undefined,\n",
      replace: "",
      test: resources("rotation"),
      by: "T4",
    },
    {
      name: "triggers that version 0.1 queued in clear are cleaned",
      find: "queuedTriggers: undefined, ",
      replace: "queuedTriggers: inputs.rotationTriggers, ",
      test: resources("rotation"),
      by: "T4",
    },
  ]),
  ...inFile("provider/keys/rotation-window.ts", [
    {
      name: "a window over midnight belongs to the day on which it opens",
      find: "let day = today - 1;",
      replace: "let day = today;",
      test: unit("keys/rotation-window"),
    },
    {
      name: "a window is judged by the clocks that its time has, not by those of now",
      find: "if (offset(open) === current) return open;",
      replace: "return open;",
      test: unit("keys/rotation-window"),
    },
    {
      name: "a window that opens as soon as the clocks have changed is not passed over",
      find: "at = changeOf(offset, at, open);",
      replace: "at = open;",
      test: unit("keys/rotation-window"),
    },
  ]),
  ...inFile("provider/keys/key-fields.ts", [
    {
      name: "a key whose window has closed waits for the next one",
      find: "if (due === undefined || due(now) > now) return undefined;",
      replace: "if (due === undefined || due(Number.NEGATIVE_INFINITY) > now) return undefined;",
      test: resources("diff"),
      by: "the diff of an ApiKey with a rotationWindow",
    },
    {
      name: "a window without an age is refused",
      find: "if (inputs.rotationWindow !== undefined && inputs.rotateAfter === undefined) {",
      replace: "if (false) {",
      test: resources("check"),
    },
    {
      name: "an ApiKey remembers no triggers in clear",
      find: "return { ...others, triggersDigest",
      replace: "return { ...inputs, triggersDigest",
      test: resources("wrong-account"),
      by: "an ApiKey stores",
    },
    {
      name: "a state that holds triggers in clear is due",
      find: "return isClear || isWeak ?",
      replace: "return isWeak ?",
      test: resources("diff"),
    },
    {
      name: "a digest of triggers that anybody can make is due",
      find: "return isClear || isWeak ?",
      replace: "return isClear ?",
      test: resources("secret-triggers"),
    },
  ]),
  ...inFile("provider/schema/digest.ts", [
    {
      name: "a digest of triggers cannot be made without the secret of the key",
      find: 'createHmac("sha256", key)',
      replace: 'createHmac("sha256", "")',
      test: resources("secret-triggers"),
    },
    {
      name: "a digest of a former version is one of the same triggers",
      find: "  if (isKeyed(text)) return { text, key };\n",
      replace: "  if (isKeyed(text) || text.length === 24) return { text, key };\n",
      test: resources("secret-triggers"),
    },
  ]),
  ...inFile("provider/resources/rotation/rotation-state.ts", [
    {
      name: "a shortened maxOverlap counts at once",
      find: "Math.min(Math.max(since + grace, quietFrom), since + maxOverlap)",
      replace: "Math.max(since + grace, quietFrom)",
      test: resources("rotation"),
      by: "T7",
    },
    {
      name: "a shortened quietPeriod counts at once",
      find: "Number.isNaN(used) ? 0 : used + quiet",
      replace: "Number.isNaN(used) ? 0 : used + 3 * 24 * 3_600_000",
      test: resources("rotation"),
      by: "T7",
    },
  ]),
  ...inFile("provider/resources/rotating-api-key.ts", [
    {
      name: "a copied state leaves what a RotatingApiKey has to revoke to the original",
      find: "isCopy ? { compromised: [], retired: [], pendingRevocations: [], lost: {} } : {}",
      replace: "{}",
      test: resources("rotation-requests"),
      by: "are not revoked if the copied state",
    },
    {
      name: "a copied state leaves what a deleted RotatingApiKey has to revoke to the original",
      find: "const left = sameOwner(owner, outputs.owner)",
      replace: "const left = true",
      test: resources("deletes"),
      by: "C14",
    },
  ]),
  ...inFile("provider/dynamic/ledger.ts", [
    {
      name: "a copied state leaves what its ledger has to revoke to the original",
      find: "if (before.owner !== undefined && !sameOwner(before.owner, inputs.owner)) return { left: [], added: [] };",
      replace: "",
      test: resources("wrong-account"),
      by: "leaves the ids",
    },
  ]),
  ...inFile("provider/dynamic/owner.ts", [
    {
      name: "a stack of another organization gets an owner of its own",
      find: '["project", "stack", "organization"]',
      replace: '["project", "stack"]',
      test: resources("wrong-account"),
      by: "gets an owner",
    },
  ]),
];

const values = [
  ...inFile("sdk/nodejs/run/hide-debug-values.ts", [
    {
      name: "values are cut off debug messages",
      find: "if (values === null || (call === null && values.index > 0)) return message;",
      replace: "if (values !== null) return message;",
      test: "test/unit/sdk/hide-debug-values.test.ts",
    },
  ]),
  ...inFile("sdk/plugin/runtime.ts", [
    {
      name: "secret inputs of the plugin's resources are secret, also as plain text",
      find: "pulumi.secret(value)",
      replace: "pulumi.output(value)",
      test: "test/unit/sdk/plugin-sdk.test.ts",
    },
    {
      name: "secret outputs of the plugin's resources are secret",
      find: "additionalSecretOutputs: [...secrets]",
      replace: "additionalSecretOutputs: []",
      test: "test/unit/sdk/plugin-sdk.test.ts",
    },
    {
      name: "a program with the plugin shows no values in debug messages",
      find: 'import "../nodejs/run/hide-debug-values";',
      replace: "",
      test: "test/unit/sdk/plugin-sdk.test.ts",
    },
    {
      name: "the program's version of the plugin runs",
      find: "pulumi.mergeOptions({ ...plugin, ",
      replace: "pulumi.mergeOptions({ ",
      test: "test/unit/sdk/plugin-sdk.test.ts",
    },
  ]),
  ...inFile("provider/dynamic/adapter.ts", [
    {
      name: "a failed check names no property, whose value would be printed",
      find: '.map((reason) => ({ property: "", reason }))',
      replace: ".map((reason, at) => ({ property: failures[at].property, reason }))",
      test: "test/unit/errors/catalogue.test.ts",
    },
  ]),
  ...inFile("provider/session/values.ts", [
    {
      name: "an output that does not exist is null in the state",
      find: "outputs[name] === undefined)",
      replace: "outputs[name] === null)",
      test: "test/unit/session/values.test.ts",
    },
    {
      name: "an output that is null in the state does not exist",
      find: "if (!Object.values(rest).includes(null)) return rest;",
      replace: "return rest;",
      test: "test/unit/session/values.test.ts",
    },
  ]),
];

const outside = [
  ...inFile("provider/api/operations/wait.ts", [
    {
      name: "a wait says why it got no answer",
      find: "this.#trouble = troubleText(reason);",
      replace: "",
      test: api("waits"),
      by: "W2",
    },
  ]),
  ...inFile("provider/text.ts", [
    {
      name: "escape sequences are taken out of text from outside",
      find: 'text.replace(SEQUENCES, "")',
      replace: "text",
      test: "test/unit/text.test.ts",
    },
    {
      name: "control and direction characters are taken out of text from outside",
      find: '.replace(SEQUENCES, "").replace(UNPRINTABLE, " ")',
      replace: '.replace(SEQUENCES, "")',
      test: "test/unit/text.test.ts",
    },
    {
      name: "a name in a message has a limited length",
      find: "cleanText(redactShort(name), MAX_NAME)",
      replace: "redactShort(name)",
      test: "test/unit/text.test.ts",
    },
    {
      name: "secrets in a name are replaced before it is cut",
      find: "cleanText(redactShort(name), MAX_NAME)",
      replace: "cleanText(name, MAX_NAME)",
      test: "test/unit/text.test.ts",
    },
    {
      name: "a message leaves without secrets, printable and of limited length",
      find: "shortened(printable(redact(text)), MAX_MESSAGE)",
      replace: "redact(text)",
      test: "test/unit/text.test.ts",
    },
    {
      name: "JSON escapes unprintable characters",
      find: "/[^\\n]/g",
      replace: "/[^\\s\\S]/g",
      test: "test/unit/text.test.ts",
    },
  ]),
  ...inFile("provider/http/client.ts", [
    {
      name: "a request with a secret outside its header is not sent",
      find: "if (holdsSecret(JSON.stringify([this.#pathOf(request), request.body])))",
      replace: "if (false as boolean)",
      test: http("misplaced-secrets"),
    },
  ]),
  ...inFile("provider/http/connections.ts", [
    {
      name: "a proxy that closes a connection without an answer is not asked without end",
      find: '"UND_ERR_SOCKET" ? new ProxyClosed() : error',
      replace: '"UND_ERR_SOCKET" ? error : error',
      test: http("connections"),
    },
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
  ...inFile("provider/api/keys/read-keys.ts", [
    {
      name: "a creator's name is cleaned",
      find: "text === undefined ? undefined : reader.clean(text)",
      replace: "text",
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
  ...inFile("provider/api/projects/projects.ts", [
    {
      name: "a page of any length is added",
      find: "for (const each of collected.take(page.items)) projects.push(each);",
      replace: "projects.push(...collected.take(page.items));",
      test: api("collected"),
    },
  ]),
  ...inFile("provider/resource-types.ts", [
    {
      name: "policies know the keys of the plugin",
      find: "[DYNAMIC, PLUGIN].flatMap",
      replace: "[DYNAMIC].flatMap",
      test: "test/unit/resource-types.test.ts",
    },
  ]),
  ...inFile("provider/settings/accounts.ts", [
    {
      name: "no message repeats the name of an account that can be a secret",
      find: "looksSecret(name) ?",
      replace: "!name ?",
      test: "test/unit/accounts.test.ts",
    },
    {
      name: "no message repeats a member of an account that can be a secret",
      find: "MISSPELLED.test(unknown)",
      replace: "true",
      test: "test/unit/accounts.test.ts",
    },
  ]),
  ...inFile("provider/plugin/functions.ts", [
    {
      name: "the plugin repeats no id that a data source was given",
      find: "hideArguments(described(session, name, error), Object.fromEntries(ids))",
      replace: "described(session, name, error) + ids.slice(99)",
      test: contract("functions"),
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
    { name: "a wrong word is not repeated", find: "problems[code] ?? text", replace: "text", test: cli("usage.long") },
    {
      name: "only what looks like an option is repeated",
      find: "[a-z][a-z-]{0,23}",
      replace: "[a-z][\\w-]*",
      test: cli("usage.long"),
    },
    {
      name: "an argument that imitates the parser's words is not repeated",
      find: "text.lastIndexOf(\"' is invalid",
      replace: "text.indexOf(\"' is invalid",
      test: cli("usage.long"),
    },
  ]),
  ...inFile("cli/state/pulumi-stack.ts", [
    {
      name: "a stack's name cannot be an option of the Pulumi CLI",
      find: 'text.startsWith("-") || ',
      replace: "",
      test: cli("stack-access"),
    },
    {
      name: "the Pulumi CLI gets no credential of keyplane",
      find: "filter(([name]) => !/^KEYPLANE_/i.test(name))",
      replace: "filter(() => true)",
      test: cli("stack-access"),
    },
    {
      name: "a stack's name that can be a secret is not repeated",
      find: 'full.split("/").some(looksSecret) ?',
      replace: "looksSecret(full) && position < 0 ?",
      test: cli("stack-access"),
    },
  ]),
  ...inFile("cli/doctor/stack.ts", [
    {
      name: "a decrypted credential is in no output",
      find: "values()) conceal(credential);",
      replace: "values()) conceal(credential.slice(999));",
      test: cli("stack-access"),
    },
    {
      name: "the doctor decrypts nothing that the user has not asked for",
      find: "needed.length === 0 || !(isNamed || hasPassphrase)",
      replace: "needed.length === 0",
      test: cli("stack-access"),
    },
    {
      name: "the doctor decrypts only what it needs",
      find: "NEEDED.filter((name) => config.secrets.has(name))",
      replace: "[...config.secrets]",
      test: cli("stack-access"),
    },
  ]),
  ...inFile("cli/report/page.ts", [
    {
      name: "no text can end the script element with the data of the page",
      find: "printableJson(JSON.stringify(report)).replace(/[<>&]/g",
      replace: "printableJson(JSON.stringify(report)).replace(/[>&]/g",
    },
    {
      name: "text in the elements of the page is escaped",
      find: 'return text.replace(/[<>&"\']/g, (found) => escapes[found] ?? "");',
      replace: 'return text.replace(/["\']/g, (found) => escapes[found] ?? "");',
    },
    {
      name: "the policy names the script by its hash",
      find: "script-src $" + "{hash(script)}",
      replace: "script-src 'unsafe-inline'",
    },
    { name: "the policy allows nothing else", find: "default-src 'none'", replace: "default-src *" },
    {
      name: "no text of the page is invisible, changes its direction or is too long",
      find: "cleanText(redact(value), MAX_TEXT)",
      replace: "redact(value)",
    },
    {
      name: "no text of the page contains a known secret",
      find: "cleanText(redact(value), MAX_TEXT)",
      replace: "cleanText(value, MAX_TEXT)",
    },
  ]).map((mutant) => ({ test: cli("report-page"), ...mutant })),
  ...inFile("cli/report/conceal-secrets.ts", [
    {
      name: "the report conceals the secrets of a state in plain text",
      find: "concealIn(values[name]);",
      replace: "",
      test: cli("report-secrets"),
    },
  ]),
  ...inFile("cli/report/state-keys.ts", [
    {
      name: "the report copies no name that a state marks as a secret",
      find: " && !secrets.has(property)",
      replace: "",
      test: cli("report-join"),
    },
  ]),
  ...inFile("cli/report/listed.ts", [
    {
      name: "the report shows no name of an account that can be a secret",
      find: "account !== undefined && looksSecret(account)",
      replace: "account === null",
      test: cli("report-join"),
    },
  ]),
  ...inFile("cli/report/place-keys.ts", [
    {
      name: "a key is reported as gone only with a proof that the list had it",
      find: "this.#recorded(key) ?? this.#proven",
      replace: "this.lists[0] ?? this.#proven",
      test: cli("report-join"),
    },
    {
      name: "the same id in another account is another key",
      find: "key.name === undefined && lists.some",
      replace: "lists.some",
      test: cli("report-join"),
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
  ...inFile("testing/control-plane/exchange.ts", [
    {
      name: "a body is read only of who is known",
      find: "if (keyOf(plane.state, request.authorization) !== undefined) {",
      replace: "{",
      test: plane("bodies"),
    },
  ]),
  ...inFile("testing/control-plane/read-body.ts", [
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
  ...inFile("testing/control-plane/request-log.ts", [
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
  ...inFile("testing/control-plane/data-file.ts", [
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
  ...inFile("testing/control-plane/control/app.ts", [
    {
      name: "the control endpoints refuse a page of another site that sends no origin",
      find: 'site === "none" || site === "same-origin"',
      replace: "true",
      test: plane("control"),
    },
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
  ...inFile("testing/control-plane/control/state-calls.ts", [
    {
      name: "a key that must not be told is not among the secrets",
      find: "showsApiKey || secret !== seed.apiKey",
      replace: "true",
      test: plane("control"),
    },
  ]),
];

const plugins = [
  ...inFile("provider/plugin/main.ts", [
    {
      name: "the plugin ends with the engine before it is configured",
      find: "session.watch();",
      replace: "",
      test: contract("process"),
      by: "the plugin's process ends with the engine even",
    },
  ]),
  ...inFile("provider/plugin/config.ts", [
    {
      name: "a setting that does not exist is refused",
      find: "!NAMES.includes(name) && !OF_ENGINE.test(name)",
      replace: "false",
      test: plugin("config"),
    },
    {
      name: "a configuration with unknown values is not checked",
      find: "if (!hasUnknown(news)) ",
      replace: "",
      test: contract("config"),
      by: "the configuration of a provider resource is not checked",
    },
    {
      name: "the secrets of a provider resource are marked",
      find: '= ["apiKey", "accounts", "importKeys"]',
      replace: '= ["apiKey"]',
      test: contract("config"),
      by: "the configuration of a provider resource is saved",
    },
  ]),
  ...inFile("provider/plugin/owner.ts", [
    {
      name: "an up has the owner of its plan",
      find: "if (isOfStack(planned, urn, [])) return ownerIdIn(planned);",
      replace: "",
      test: unit("stack/plan"),
      by: "a run with the file of a plan gives the provider",
    },
    {
      name: "a plan of another stack gives no owner",
      find: "if (isOfStack(planned, urn, [])) return",
      replace: "if (planned !== undefined) return",
      test: unit("stack/plan"),
      by: "a run with the file of a plan gives it another owner",
    },
    {
      name: "a strict up has the owner of its preview",
      find: "if (seed === undefined) return randomUUID();",
      replace: "if (seed !== undefined) return randomUUID();",
      test: unit("stack/plan"),
      by: "a run whose plan is in the memory of the CLI has the owner",
    },
    {
      name: "two providers of a strict up have different owners",
      find: ".update(seed).update(urn)",
      replace: ".update(seed)",
      test: unit("stack/plan"),
      by: "a run whose plan is in the memory of the CLI has the owner",
    },
  ]),
  ...inFile("provider/plugin/same-user.ts", [
    {
      name: "a connection that its process has closed belongs to nobody",
      find: 'found === undefined || found[INODE] === "0" ? undefined',
      replace: "found === undefined ? undefined",
      test: plugin("same-user"),
      by: "the process at the other end of a connection is nobody",
    },
    {
      name: "a connection that the table lacks is refused",
      find: "return other === user;",
      replace: "return other === undefined || other === user;",
      test: plugin("same-user"),
      by: "the process at the other end of a connection is nobody",
    },
    {
      name: "a table without users refuses nobody",
      find: "if (!connections.some(isOurs)) return true;",
      replace: "",
      test: plugin("same-user"),
      by: "counts as one of the same user",
    },
  ]),
  ...inFile("provider/plugin/main.ts", [
    {
      name: "another user gets no answer of the plugin",
      find: "isSame ? connections.injectConnection(socket) : socket.destroy()",
      replace: "connections.injectConnection(socket)",
      test: contract("config"),
      by: "a caller that is not the engine gets no answer",
    },
  ]),
  ...inFile("provider/plugin/server.ts", [
    {
      name: "a running plugin cannot be configured again",
      find: 'if (config !== undefined) throw new KeyplaneError("KP-CONFIG", CONFIGURED);',
      replace: "",
      test: contract("config"),
      by: "a caller that is not the engine cannot configure",
    },
  ]),
  ...inFile("provider/plugin/resources.ts", [
    {
      name: "a command without a state creates no key",
      find: 'if (this.config().isStateless) throw new KeyplaneError("KP-INPUT", STATELESS);',
      replace: "",
      test: contract("do"),
      by: "a command without a state creates no",
    },
  ]),
  ...inFile("provider/stack/plan.ts", [
    {
      name: "a run without a plan has a random owner",
      find: "if (!usesPlan || pid === undefined) return undefined;",
      replace: "if (pid === undefined) return undefined;",
      test: unit("stack/plan"),
      by: "a run whose plan is in the memory of the CLI has a random owner",
    },
  ]),
  ...inFile("provider/plugin/owner.ts", [
    {
      name: "a copied stack gets a provider's owner of its own",
      find: "if (!isOfStack(before, urn, renamedFrom)) return",
      replace: 'if (typeof before !== "string") return',
      test: plugin("owner"),
    },
    {
      name: "the account of a provider's owner stays until the user confirms another one",
      find: "  if (before === undefined) return undefined;\n",
      replace: "  return mark;\n",
      test: plugin("owner"),
    },
    {
      name: "the address of a provider's owner stays until the user confirms another one",
      find: "return isKept ? before :",
      replace: "return false ? before :",
      test: plugin("owner"),
    },
    {
      name: "a key keeps its owner under another provider",
      find: "isKept ? before : fresh",
      replace: "fresh",
      test: plugin("owner"),
    },
    {
      name: "a copied state does not claim the keys of the original",
      find: "isOfStack(before, urn, renamedFrom) || (typeof",
      replace: 'typeof before === "string" || (typeof',
      test: plugin("owner"),
    },
    {
      name: "a key keeps the account in which it was recorded",
      find: "? markIn(recorded) : ofNewKey",
      replace: "? ofNewKey : ofNewKey",
      test: plugin("owner"),
    },
    {
      name: "an organization is not compared with the account of its provider",
      find: "organizationId === undefined ? markIn(ofProvider) : undefined",
      replace: "markIn(ofProvider)",
      test: plugin("owner"),
    },
  ]),
  ...inFile("provider/plugin/public-part.ts", [
    {
      name: "inputs of the dynamic provider's SDK are refused",
      find: 'rule.internal !== true && name !== "account"',
      replace: "true",
      test: contract("config"),
      by: "the inputs of a resource cannot include",
    },
    {
      name: "a prefix leaves room for both tags",
      find: "{ ...fields.namePrefix, type: types.prefixUpTo(PREFIX_LENGTH_WITH_URN) }",
      replace: "{ ...fields.namePrefix }",
      test: contract("config"),
      by: "the inputs of a resource can name a prefix",
    },
  ]),
  ...inFile("provider/plugin/wire.ts", [
    {
      name: "secrets are marked for the engine",
      find: "marked[name] = markedSecret(value);",
      replace: "marked[name] = value;",
      test: plugin("wire"),
    },
    {
      name: "secrets are read without their marks",
      find: "return unmarked(struct?.toJavaScript() ?? {}) as",
      replace: "return (struct?.toJavaScript() ?? {}) as",
      test: plugin("wire"),
    },
    {
      name: "the engine gets a resource that is not ready",
      find: "wrapped.addDetails(packed);",
      replace: "",
      test: plugin("wire"),
    },
  ]),
  ...inFile("provider/plugin/server.ts", [
    {
      name: "a preview creates nothing",
      find: "if (request.getPreview()) {",
      replace: "if (false) {",
      test: contract(""),
      by: "a preview sends no request",
    },
    {
      name: "a preview updates nothing",
      find: "const answer = request.getPreview()",
      replace: "const answer = false",
      test: contract(""),
      by: "a preview of a rotation",
    },
    {
      name: "the secret of a previous key is marked",
      find: '["key", "previousKey", "digestKey"]',
      replace: '["key", "digestKey"]',
      test: contract(""),
      by: "the plugin records a rotation",
    },
    {
      name: "a failed check names no property, whose value Pulumi would show",
      find: 'setProperty("")',
      replace: 'setProperty("apiKey")',
      test: contract("config"),
      by: "the configuration of a provider resource with",
    },
    {
      name: "no setting replaces a provider resource",
      find: ".setDiffsList(changed)",
      replace: ".setDiffsList(changed).setReplacesList(changed)",
      test: contract("config"),
      by: "the configuration of a provider resource never asks",
    },
  ]),
  ...inFile("provider/plugin/orphans.ts", [
    {
      name: "a key that the engine has shown is no orphan of a resource",
      find: "isNamedFor(name, identity) && !seen.has(id)",
      replace: "isNamedFor(name, identity)",
      test: contract("orphans"),
      by: "a key that the engine has shown",
    },
    {
      name: "a deletion fails while an orphan of the resource stays",
      find: "if (left.length === 0) return;",
      replace: "return;",
      test: contract("orphans"),
      by: "the deletion of a resource fails",
    },
    {
      name: "a failed list of orphans is not remembered",
      find: "notes.list = undefined;",
      replace: "",
      test: contract("orphans"),
      by: "a key that an interrupted run left behind does not stop",
    },
  ]),
  ...inFile("provider/plugin/resources.ts", [
    {
      name: "a replacement is guarded by the account that its comparison has shown",
      find: "      await mustBeSameAccount(recorded, context);\n",
      replace: "",
      test: contract("account"),
      by: "the credential of another account, for ApiKey, is refused by a replacement",
    },
    {
      name: "a changed credential causes an update",
      find: "!driftOnly && isElsewhere(identityIn(outputs), context)",
      replace: "false",
      test: contract("account"),
      by: "another credential of the same account, for ApiKey, is recorded by an update",
    },
    {
      name: "an update records the account",
      find: "return withoutEmpty({ ...outputs, owner: identityHere(outputs.owner, context) });",
      replace: "return outputs;",
      test: contract("account"),
      by: "another credential of the same account, for ApiKey, is recorded by an update",
    },
    {
      name: "a refresh of the plugin revokes nothing",
      find: "this.#orphans.report(",
      replace: "this.#orphans.afterDelete(",
      test: contract("orphans"),
      by: "a refresh reports",
    },
    {
      name: "a deletion revokes the orphans of the resource",
      find: "if (type.holds) await this.#orphans.afterDelete(this.#identityOf(urn, held), context);",
      replace: "",
      test: contract("orphans"),
      by: "the deletion of a resource of type",
    },
    {
      name: "an id to import is checked",
      find: 'if (type.holds) checkId("apiKey", id, "id");',
      replace: "",
      test: contract("import"),
      by: "the import of an existing key as ApiKey is refused for an id",
    },
    {
      name: "a real replacement is no handover",
      find: "driftOnly || replaces.length > 0 ? undefined",
      replace: "driftOnly ? undefined",
      test: contract("rotation"),
      by: "after the grace of a previous key a real replacement",
    },
    {
      name: "a refresh plans no retirement",
      find: "driftOnly || replaces.length > 0 ? undefined",
      replace: "replaces.length > 0 ? undefined",
      test: contract("rotation"),
      by: "a refresh of a resource with a key that revokeNow names",
    },
    {
      name: "a retirement in place replaces nothing",
      find: ' && inputs.retirement !== "inPlace"',
      replace: "",
      test: contract("rotation"),
      by: "a retirement in place",
    },
  ]),
  ...inFile("provider/keys/revoke-key.ts", [
    {
      name: "a key of several replaced resources is revoked once",
      find: "if (all.hasRevoked(held.id)) return;",
      replace: "",
      test: contract("rotation"),
      by: "a key that two replaced resources have",
    },
  ]),
  ...inFile("provider/plugin/resources.ts", [
    {
      name: "a key that is handed over after an upgrade keeps its owner",
      find: "owner ?? this.#handovers.planned(urn)?.outputs.owner",
      replace: "owner",
      test: contract("rotation"),
      by: "the deletion of a resource by a provider that the program does not use keeps the current key if",
    },
  ]),
  ...inFile("provider/plugin/owner.ts", [
    {
      name: "a copied stack owns no key before its first up",
      find: 'isSame(urnIn(ofProvider) || urn, urn, renamedFrom) ? ofProvider : ""',
      replace: "ofProvider",
      test: STORIES_OF_PLUGIN,
      by: "a copied stack that is destroyed",
    },
  ]),
  ...inFile("provider/plugin/functions.ts", [
    {
      name: "the error of a data source shows no secret",
      find: "throw new Error(hideArguments(described(session, name, error), Object.fromEntries(ids)));",
      replace: "throw error;",
      test: contract("functions"),
      by: "a call of a data source fails without a secret",
    },
    {
      name: "only data sources can be invoked",
      find: "Object.hasOwn(dataSources, name) ? dataSources[name] : undefined",
      replace: "dataSources[name]",
      test: contract("functions"),
      by: "a call of a data source fails for a function",
    },
    {
      name: "only arguments can be passed to a data source",
      find: ".filter((each) => !source.args.includes(each))",
      replace: ".filter(() => false)",
      test: contract("functions"),
      by: "a call of a data source fails for an argument",
    },
  ]),
  ...inFile("provider/keys/names.ts", [
    {
      name: "an orphan of a resource has its tag directly before the nonce",
      find: "endsWith(`-${tagsOf",
      replace: "includes(`-${tagsOf",
      test: plugin("names"),
    },
    {
      name: "a name with two tags fits the service",
      find: "urnIn(identity) === undefined ? PREFIX_LENGTH : PREFIX_LENGTH_WITH_URN",
      replace: "PREFIX_LENGTH",
      test: plugin("names"),
    },
    {
      name: "an orphan of a resource has the tag of its URN",
      find: "urn === undefined ? tag :",
      replace: 'urn !== "" ? tag :',
      test: plugin("names"),
    },
  ]),
  ...inFile("provider/settings/import-keys.ts", [
    {
      name: "no message shows a key to import",
      find: "for (const secret of secrets.values()) conceal(secret);",
      replace: "",
      test: plugin("import-keys"),
    },
    {
      name: "a key to import is checked",
      find: "ID_FORMS.apiKey.matches(id) && isKeyText(key)",
      replace: "ID_FORMS.apiKey.matches(id)",
      test: plugin("import-keys"),
    },
  ]),
];

const stack = (name) => `test/unit/stack/${name}.test.ts`;
const FATE = "test/unit/keys/fate.test.ts";
const RENAMED = "test/unit/keys/renamed.test.ts";

const evidence = [
  ...inFile("provider/keys/fate.ts", [
    {
      name: "a key that the state has is kept",
      find: 'if (held === "yes") return keep("held");',
      replace: "",
      test: FATE,
    },
    {
      name: "a key that a complete run had is never an orphan",
      find: 'if (delivered === "yes") return keep("delivered");',
      replace: "",
      test: FATE,
    },
    {
      name: "a used key is never an orphan",
      find: 'if (use !== "never") return report("used");',
      replace: "",
      test: FATE,
    },
    {
      name: "a lost request proves a key without a state",
      find: 'if (requestedBy === "lost request") return REVOKE;',
      replace: "",
      test: FATE,
    },
    {
      name: "without a state, no unknown key is revoked",
      find: 'if (held === "unknown") return report("no state");',
      replace: "",
      test: FATE,
    },
    {
      name: "beside another history, no unknown key is revoked",
      find: 'if (otherHistory) return report("other history");',
      replace: "",
      test: FATE,
    },
    {
      name: "a key that nothing explains is reported",
      find: 'return isLeftBehind ? REVOKE : report("unexplained");',
      replace: "return REVOKE;",
      test: FATE,
    },
    {
      name: "a previous key that is a credential is reported",
      find: 'if (isCredential) return report("credential");',
      replace: "",
      test: FATE,
    },
    {
      name: "a previous key waits for the delivery of its successor",
      find: 'if (deliveredAt === undefined || Number.isNaN(deliveredAt)) return report("not delivered");',
      replace: "if (deliveredAt === undefined) return REVOKE;",
      test: FATE,
    },
    {
      name: "a previous key is kept in its grace",
      find: 'if (now < deliveredAt + grace) return keep("grace", deliveredAt + grace);',
      replace: "",
      test: FATE,
    },
    {
      name: "a previous key whose use is unknown is kept until maxOverlap",
      find: 'now < end ? report("use unknown") : REVOKE',
      replace: "REVOKE",
      test: FATE,
    },
    {
      name: "a previous key is kept for its quiet period",
      find: "lastUsed + quiet <= now",
      replace: "lastUsed <= now",
      test: FATE,
    },
    {
      name: "a previous key in use is kept until maxOverlap",
      find: 'now < end ? { fate: "report", why: "in use", until: end } : ',
      replace: "",
      test: FATE,
    },
    {
      name: "a deletion in doubt asks for the state",
      find: 'if (facts.waiting === "unknown") return report("consumers unknown");',
      replace: 'if (facts.waiting === "unknown") return REVOKE;',
      test: FATE,
    },
    {
      name: "a deletion in doubt waits for consumers",
      find: 'facts.waiting.length === 0 ? REVOKE : report("consumers wait")',
      replace: "REVOKE",
      test: FATE,
    },
    {
      name: "the sweep keeps what a state holds",
      find: 'if (facts.held) return keep("held");',
      replace: "",
      test: FATE,
    },
    {
      name: "the sweep keeps credentials",
      find: 'if (facts.isCredential) return keep("credential");',
      replace: "",
      test: FATE,
    },
    {
      name: "the sweep keeps what is in use",
      find: 'if (facts.inUse) return keep("in use");',
      replace: "",
      test: FATE,
    },
    {
      name: "the sweep keeps what was used",
      find: 'if (facts.use !== "never" && !facts.includeUsed) return keep("used");',
      replace: "",
      test: FATE,
    },
    {
      name: "the sweep keeps what is newer than the state",
      find: 'if (facts.afterState) return keep("after state");',
      replace: "",
      test: FATE,
    },
    {
      name: "the sweep keeps what a run may still save",
      find: 'facts.isYoung && !facts.includeYoung ? keep("young") : REVOKE',
      replace: "REVOKE",
      test: FATE,
    },
    {
      name: "a named key that may be a credential is not revoked",
      find: 'facts.credentialOf === undefined ? REVOKE : report("credential")',
      replace: "REVOKE",
      test: FATE,
    },
  ]),
  ...inFile("provider/keys/fate.ts", [
    {
      name: "a key of a recorded run that may have been delivered stays live",
      find: 'requestedBy === "run" && delivered === "no"',
      replace: 'requestedBy === "run"',
      test: resources("ledger"),
      by: "an unknown key is only reported by a new ledger",
    },
  ]),
  ...inFile("provider/keys/unknown-keys.ts", [
    {
      name: "the clocks of machines may differ from the service's when a delivery is looked for",
      find: "Date.parse(createdAt) - MAX_SKEW_MS",
      replace: "Date.parse(createdAt)",
      test: resources("ledger"),
      by: "an unknown key is only revoked if no run has succeeded",
    },
  ]),
  ...inFile("provider/resources/rotating-api-key.ts", [
    {
      name: "a key that another resource left live is not revoked by the resource before it",
      find: "!isLeft(keyId) && isOurs(keyId)",
      replace: "isOurs(keyId)",
      test: resources("rotation-requests"),
    },
    {
      name: "a key of another stack that a copied state names does not block its destroy",
      find: "if (!isOthers(madeBy(stateOf(outputs), { keyId: revokeNow, name }), ownerNow(outputs, context))) return",
      replace: "if (name !== undefined) return",
      test: "test/unit/resources/rotation-requests.test.ts",
      by: "do not block the deletion of the copy",
    },
    {
      name: "a revoked key is not said to stay live",
      find: "!context.keys().hasRevoked(key.keyId) &&",
      replace: "",
      test: resources("rotation-requests"),
    },
  ]),
  ...inFile("provider/dynamic/owner.ts", [
    {
      name: "an owner without the record of a ledger asks the history",
      find: "recordedSince: context.run.heldSince",
      replace: "recordedSince: 0",
      test: resources("ledger"),
      by: "an unknown key is revoked by an owner only if",
    },
  ]),
  ...inFile("provider/dynamic/ledger.ts", [
    {
      name: "a new ledger knows no earlier deliveries",
      find: "recordedSince(before, inputs) ?? context.now()",
      replace: "recordedSince(before, inputs) ?? 0",
      test: resources("ledger"),
      by: "an unknown key is only reported by a",
    },
  ]),
  ...inFile("provider/stack/history.ts", [
    {
      name: "a destroy may have deleted the ledger that knew of a delivery",
      find: ' || kind === "destroy"',
      replace: "",
      test: "test/model/stories.test.ts",
      by: "a stack keeps all invariants in the story of a key of a failed run that is removed",
    },
  ]),
  ...inFile("provider/stack/stack-look.ts", [
    {
      name: "a run that succeeded may have delivered a key that no ledger recorded",
      find: "mayHaveDelivered && !(ended < from || ended > to)",
      replace: "false && mayHaveDelivered && ended < from && ended > to",
      test: "test/model/stories.test.ts",
      by: "a stack keeps all invariants in the story of a key that is removed from the state",
    },
  ]),
  ...inFile("provider/keys/unknown-keys.ts", [
    {
      name: "a state counts only if it knows the owner",
      find: "if (!witness?.knows(ownerIdIn(keys.identity))) return first;",
      replace: "if (witness === undefined) return first;",
      test: resources("ledger"),
      by: "an unknown key is only reported if the state is that of another stack",
    },
    {
      name: "the state is read only if a key is in doubt",
      find: 'if (Array.from(first.values()).every(({ fate }) => fate !== "report")) return first;',
      replace: "",
      test: resources("ledger"),
      by: "the ledger costs one list",
    },
    {
      name: "a missing key of the state shows another history",
      find: "otherHistory: current.some(",
      replace: "otherHistory: [].some(",
      test: resources("ledger"),
      by: "an unknown key is only reported if a key of the state is missing",
    },
    {
      name: "a key that this run has revoked is not missing",
      find: " && !context.keys().hasRevoked(id)",
      replace: "",
      test: resources("ledger"),
      by: "an unknown key is revoked although a key is missing",
    },
    {
      name: "an unknown key that stays live is reported",
      find: '    if (fate.fate !== "report") continue;\n',
      replace: "    continue;\n",
      test: resources("ledger"),
      by: "the ledger C14: reports a key",
    },
    {
      name: "only what is proven to be left behind is revoked",
      find: 'fates.get(key)?.fate === "revoke"',
      replace: 'fates.get(key)?.fate !== "keep"',
      test: resources("ledger"),
      by: "the ledger C14: reports a key",
    },
    {
      name: "an orphan that cannot be revoked is tried again",
      find: "return { left, reported };",
      replace: "return { left: [], reported };",
      test: resources("ledger"),
      by: "the ledger C7",
    },
  ]),
  ...inFile("provider/stack/witness.ts", [
    {
      name: "a resource that an alias renamed is found under its saved URN",
      find: "return same.find(({ replaced }) => replaced)?.urn ?? urn;",
      replace: "return urn;",
      test: "test/unit/stack/witness.test.ts",
    },
    {
      name: "a state knows only the owners in it",
      find: "some(({ id }) => id === ownerId)",
      replace: "some(({ id }) => id !== undefined)",
      test: stack("witness"),
    },
    {
      name: "an id in a list of another owner is another key",
      find: "!isOthers({ name, maker: undefined }, held.ownerId || undefined)",
      replace: "!isOthers({ name, maker: undefined }, undefined)",
      test: stack("witness"),
      by: "an id in the ledger of another owner",
    },
    {
      name: "an id with another name is another key",
      find: ": held.name === name;",
      replace: ": true;",
      test: stack("witness"),
    },
    {
      name: "a state that hides ids holds perhaps every key",
      find: '? "unknown" : "no"',
      replace: '? "no" : "no"',
      test: stack("witness"),
    },
    {
      name: "the key of a replaced resource may be missing",
      find: "!replaced && outputs.organizationId",
      replace: "outputs.organizationId",
      test: stack("witness"),
    },
    {
      name: "the current keys are those of the owner",
      find: " && key.ownerId === ownerId",
      replace: "",
      test: stack("witness"),
    },
    {
      name: "a name of another owner is not this run's request",
      find: "hasTagOf(name, id) && ",
      replace: "",
      test: stack("witness"),
    },
    {
      name: "a name shows which run requested it",
      find: "inputs.runs.includes(runIn(name))",
      replace: "true",
      test: stack("witness"),
    },
    {
      name: "a note of a creation is one of its owner and its resource",
      find: " || !isNamedFor(name, owner)",
      replace: "",
      test: stack("witness"),
    },
    {
      name: "a note of a creation proves only its own requests",
      find: "name.endsWith(",
      replace: "Boolean(",
      test: stack("witness"),
    },
    {
      name: "a consumer waits if it was not updated since",
      find: "modified < created)",
      replace: "modified < 0)",
      test: stack("witness"),
    },
    {
      name: "every consumer waits for a successor that does not exist",
      find: "created = Number.POSITIVE_INFINITY",
      replace: "created = 0",
      test: stack("witness"),
    },
  ]),
  ...inFile("provider/stack/command-line.ts", [
    {
      name: "a target counts in a cluster of short options",
      find: "/[tx]$/.test(letters)",
      replace: "/^[tx]$/.test(letters)",
      test: stack("command-line"),
    },
    {
      name: "every option that leaves out consumers counts",
      find: '"target-replace", "exclude", ',
      replace: "",
      test: stack("command-line"),
    },
    {
      name: "a command that cannot be read is in doubt",
      find: "words === undefined ||\n      DOUBTS",
      replace: "DOUBTS",
      test: stack("command-line"),
    },
    {
      name: "options in the environment count",
      find: " || isOn(env[variableOf(option)])",
      replace: "",
      test: stack("command-line"),
    },
    {
      name: "the value of an option is not the command",
      find: " && !takesNext(words[at - 1])",
      replace: "",
      test: stack("command-line"),
    },
    {
      name: "a run with a plan records nothing in the inputs",
      find: "usesPlan: words === undefined || PLANS.some(isSet)",
      replace: "usesPlan: words === undefined",
      test: stack("command-line"),
    },
  ]),
  ...inFile("provider/stack/deployment.ts", [
    {
      name: "only a property dependency makes a consumer",
      find: "isObject(propertyDependencies) ? Object.values(propertyDependencies).flat() : dependencies",
      replace: "dependencies",
      test: stack("witness"),
    },
  ]),
  ...inFile("provider/stack/history.ts", [
    { name: "a limited run delivers nothing", find: " && !isLimited", replace: "", test: stack("history") },
    {
      name: "a failed run delivers nothing",
      find: ' && result === "succeeded"',
      replace: "",
      test: stack("history"),
    },
    { name: "a refresh delivers nothing", find: 'kind === "update" && ', replace: "", test: stack("history") },
    { name: "a run of unknown flags delivers nothing", find: " && isKnown", replace: "", test: stack("history") },
    {
      name: "a change is delivered at once only by its own run",
      find: "began <= startedAt && ",
      replace: "",
      test: stack("history"),
    },
    {
      name: "an earlier run delivers nothing",
      find: "ended > lastEnd",
      replace: "ended > 0",
      test: stack("history"),
    },
    {
      name: "an earlier run of the same second delivers nothing",
      find: "atLastEnd.length > runsAtLastEnd",
      replace: "true",
      test: stack("history"),
    },
  ]),
  ...inFile("provider/keys/clock-skew.ts", [
    {
      name: "a clock of this machine alone makes no key due",
      find: "if (serviceNow >= at) return undefined;",
      replace: "return undefined;",
      test: resources("rotation"),
      by: "T10",
    },
    {
      name: "the service's clock has to be inside the window, too",
      find: "const at = due(serviceNow);",
      replace: "const at = due(Number.NEGATIVE_INFINITY);",
      test: resources("rotation-window"),
      by: "T10",
    },
    {
      name: "a replacement by age asks for the service's time",
      find: "if (reason === undefined) return;",
      replace: "return;",
      test: resources("readiness"),
      by: "a clock that is off by more than 5 minutes replaces no key",
    },
    {
      name: "a wrong clock is one warning",
      find: "context.run.isSkewReported = true;",
      replace: "",
      test: resources("readiness"),
      by: "a clock that is off by more than 5 minutes by",
    },
  ]),
  ...inFile("provider/stack/witness.ts", [
    {
      name: "only a state that knows the owner shows that it never had a key",
      find: "this.knows(ownerId) &&",
      replace: "",
      test: stack("witness"),
      by: "a state shows that its owner never had a key not without",
    },
    {
      name: "a key in the state shows that the owner had one",
      find: "!this.#held.some((key) => isOurs(key.ownerId)) &&",
      replace: "",
      test: stack("witness"),
      by: "a state shows that its owner never had a key not if it has",
    },
    {
      name: "an interrupted creation can have made a key",
      find: "!this.deployment.creating.some((note) => isKeyplanes(note) && note.type !== OWNER_TYPE)",
      replace: "true",
      test: stack("witness"),
      by: "a state shows that its owner never had a key not if a creation",
    },
  ]),
  ...inFile("provider/stack/pulumi.ts", [
    {
      name: "no message shows what the CLI printed",
      find: "{failureOf(error)",
      replace: "{error.message",
      test: stack("pulumi"),
    },
    {
      name: "a CLI that does not answer is killed",
      find: "timeout: timeoutMs, ",
      replace: "",
      test: stack("pulumi"),
    },
  ]),
  ...inFile("provider/stack/stack-look.ts", [
    {
      name: "a state that is not saved in the run is no witness",
      find: "if (skipsCheckpoints()) return undefined;",
      replace: "",
      test: contract("orphans"),
      by: "a key that an interrupted run left behind is reported if PULUMI_SKIP_CHECKPOINTS",
    },
  ]),
  ...inFile("provider/keys/create-key.ts", [
    {
      name: "a key with an exact name is never revoked after a lost answer",
      find: "if (found === undefined && attempt < MAX_NAMES) continue;",
      replace:
        "if (found !== undefined) await context.keys().revoke(found.id);\n      if (attempt < MAX_NAMES) continue;",
      test: resources("exact-name"),
      by: "creating a key with an exact name C4: leaves a key live",
    },
    {
      name: "the name of a key that was revoked is requested again",
      find: "context.keys().hasRevokedName(name) ? FREE_PAUSES_MS : []",
      replace: "[] as number[]",
      test: resources("exact-name"),
      by: "C11: waits if",
    },
    {
      name: "the name of somebody else's key is requested once",
      find: "context.keys().hasRevokedName(name) ? FREE_PAUSES_MS : []",
      replace: "FREE_PAUSES_MS",
      test: resources("exact-name"),
      by: "C11: does not wait",
    },
    {
      name: "no other request is sent if a key has the exact name",
      find: "if (found === undefined && attempt < MAX_NAMES) continue;",
      replace: "if (attempt < MAX_NAMES) continue;",
      test: resources("exact-name"),
    },
    {
      name: "the key of a lost request is revoked",
      find: '  await revokeOrphan({ id: found.id, name }, "which a request created whose answer was lost,", left, context);\n',
      replace: "",
      test: resources("lost-answers"),
      by: "C4",
    },
    {
      name: "a complete refusal is final",
      find: "  if (found === undefined) throw lost;\n",
      replace: "  if (found === undefined) return;\n",
      test: resources("lost-answers"),
      by: "C11",
    },
    {
      name: "a creation under way is finished when the engine dies",
      find: "return context.creating(create(naming, inputs, context));",
      replace: "return create(naming, inputs, context);",
      test: contract("process"),
      by: "the plugin's process finishes a creation",
    },
    {
      name: "a key that the engine never got is revoked when it dies",
      find: "    context.noteCreated(created.id);\n",
      replace: "",
      test: contract("process"),
      by: "the plugin's process revokes the key",
    },
  ]),
  ...inFile("provider/session/retried-creation.ts", [
    {
      name: "a repeated creation goes on with the key of the first one",
      find: "if (replaces.length === 0) return",
      replace: "if (replaces.length < 0) return",
      test: contract("error-hooks"),
      by: "with the plugin, a repeated creation of an ApiKey that is not ready yet",
    },
    {
      name: "a repeated creation revokes a key that is of no use",
      find: "  await mustRevokeAll(type.holds?.(outputs) ?? [], identityIn(outputs), context);\n",
      replace: "",
      test: contract("error-hooks"),
      by: "with the plugin, a repeated creation of an ApiKey",
    },
    {
      name: "a repeated creation that fails in another way records the first key",
      find: "error instanceof NotReady || before === undefined ? error",
      replace: "error instanceof NotReady || before !== undefined ? error",
      test: contract("error-hooks"),
      by: "with the plugin, a repeated creation that fails",
    },
  ]),
  ...inFile("provider/plugin/resources.ts", [
    {
      name: "the plugin remembers a creation that an error hook repeats",
      find: "left ? () => createAgain(type, left, inputs, context) : first",
      replace: "first",
      test: contract("error-hooks"),
      by: "with the plugin, a repeated creation",
    },
  ]),
  ...inFile("provider/session/engine-link.ts", [
    {
      name: "an engine that ends its server does not wait for the plugin",
      find: '      session.on("goaway", () => session.destroy());\n',
      replace: "",
      test: unit("session/engine-link"),
      by: "an engine that closes",
    },
    {
      name: "an engine that closes a connection but accepts another is not gone",
      find: "if (connected) hold();",
      replace: "if (!connected) hold();",
      test: unit("session/engine-link"),
      by: "an engine that closes",
    },
  ]),
  ...inFile("provider/session/session.ts", [
    {
      name: "no creation begins when the engine is gone",
      find: "for (const account of this.#accounts.values()) account.stopCreating(this.#orphaned);",
      replace: "",
      test: contract("process"),
      by: "the plugin's process ends with the engine, so that a request",
    },
    {
      name: "the process waits for creations when the engine is gone",
      find: "    await Promise.race([Promise.allSettled(this.#creations), deadline]);\n",
      replace: "",
      test: contract("process"),
      by: "the plugin's process finishes a creation",
    },
    {
      name: "keys of verbs without an answer are revoked when the engine is gone",
      find: "verbs.flatMap(({ created }) => created.map((revoke) => revoke()))",
      replace: "verbs.slice(0, 0)",
      test: contract("process"),
      by: "the plugin's process revokes the key",
    },
  ]),
  ...inFile("provider/keys/lost-key.ts", [
    {
      name: "a run looks for the keys of lost requests",
      find: "if (lostNames === undefined) return [];",
      replace: "return [];",
      test: resources("lost-answers"),
      by: "C5: makes the next run",
    },
    {
      name: "a late key that was used is not revoked",
      find: 'found.get(key)?.fate === "revoke"',
      replace: "found.has(key)",
      test: resources("lost-answers"),
      by: "C5: is reported",
    },
    {
      name: "a lost request is looked for as long as it can take effect",
      find: "<= LATEST_COMMIT_MS);",
      replace: "<= 0);",
      test: resources("lost-answers"),
      by: "C5: is looked for by every run",
    },
    {
      name: "a lost request is forgotten in the end",
      find: "key === undefined ? !isOver :",
      replace: "key === undefined ? true :",
      test: resources("lost-answers"),
      by: "C5: is looked for by every run",
    },
    {
      name: "an exact name of a former version is no lost request",
      find: "mintedBy === undefined ? textsOf(lostNames).filter(isAutoName) : []",
      replace: "textsOf(lostNames)",
      test: resources("exact-name"),
      by: "creating a key with an exact name C5: has a state of version 0.2",
    },
    {
      name: "a deletion tells of lost requests that may still take effect",
      find: "  if (lostNames === undefined) return;\n",
      replace: "  if (names !== undefined) return;\n",
      test: resources("ledger"),
      by: "C5: is followed by the owner",
    },
  ]),
  ...inFile("provider/dynamic/ledger.ts", [
    {
      name: "a grace counts from the delivery",
      find: "const delivered = Date.parse(before.deliveredAt);",
      replace: "const delivered = 0;",
      test: resources("ledger"),
      by: "the record of a previous key makes the ledger due",
    },
    {
      name: "the grace starts again if the successor is gone",
      find: " || isUsable(String(known?.successor), inputs)",
      replace: " || true",
      test: resources("ledger"),
      by: "the record of a previous key starts anew",
    },
    {
      name: "a damaged delivery proves nothing",
      find: ".filter(isReadable)",
      replace: "",
      test: resources("ledger"),
      by: "the record of a previous key is not used",
    },
    {
      name: "a delivery counts from the later clock",
      find: "Math.max(context.now(), context.account().serviceNow())",
      replace: "context.now()",
      test: resources("ledger"),
      by: "the record of a previous key counts",
    },
    {
      name: "the use of a retired key is looked up in the run that revokes it",
      find: "const usedAt = key ===",
      replace: "const usedAt = key !== 7 ? undefined : key ===",
      test: resources("ledger"),
      by: "the record of a previous key remembers a use",
    },
    {
      name: "an unknown use keeps a retired key",
      find: 'lastUsed: key === "unknown" ? key :',
      replace: 'lastUsed: key === "unknown" ? "never" :',
      test: resources("ledger"),
      by: "the record of a previous key does not let",
    },
    {
      name: "a revoked previous key is not looked for again",
      find: "if (before?.isRevoked) return Number.POSITIVE_INFINITY;",
      replace: "",
      test: resources("ledger"),
      by: "the record of a previous key says that",
    },
  ]),
  ...inFile("provider/resources/rotation/retire-key.ts", [
    {
      name: "without a ledger, the history must show the delivery",
      find: 'if (delivered === "at once") return',
      replace: "if (delivered !== 7) return",
      test: contract("rotation"),
      by: "after the grace of a previous key a key stays, and its grace",
    },
    {
      name: "a grace starts when a later run has delivered the successor",
      find: 'if (delivered === "later") return { ...state, deliveredAt: now };',
      replace: 'if (delivered === "later") return { ...state, deliveredAt: state.rotatedAt };',
      test: contract("rotation"),
      by: "after the grace of a previous key a key stays if only",
    },
  ]),
  ...inFile("provider/keys/revoke-key.ts", [
    {
      name: "a command that can leave out consumers asks for them",
      find: "if (!isInDoubt) return;",
      replace: "return;",
      test: resources("deletes"),
      by: "deleting a replaced key by a command",
    },
    {
      name: "a deletion in doubt needs the state of its own stack",
      find: 'return isDestroy ? [] : "unknown";',
      replace: "return [];",
      test: resources("deletes"),
      by: "deleting a replaced key by a command",
    },
    {
      name: "a deletion in doubt looks at the state again",
      find: "const waiting = await ask(true);",
      replace: "const waiting = await ask(false);",
      test: resources("deletes"),
      by: "deleting a replaced key by a command",
    },
  ]),
  ...inFile("provider/keys/maker.ts", [
    {
      name: "a copied state's keys are not its own",
      find: "return isAutoName(String(name)) && !hasTagOf(String(name), ownerId);",
      replace: "return false;",
      test: resources("deletes"),
      by: "C14",
    },
  ]),
  ...inFile("provider/keys/renamed.ts", [
    {
      name: "a renamed stack is of the project that the setting names",
      find: "project === before.project && ",
      replace: "",
      test: RENAMED,
    },
    {
      name: "a renamed stack is of the organization that the setting names",
      find: " && isOrganization",
      replace: "",
      test: RENAMED,
    },
  ]),
  ...inFile("provider/dynamic/owner.ts", [
    {
      name: "a renamed stack keeps its owner",
      find: "replace: !isRenamed",
      replace: "replace: true",
      test: RENAMED,
    },
    {
      name: "a run is on record before its keys",
      find: "runId === undefined ? [] : [runId]",
      replace: "runId === undefined ? [] : []",
      test: RENAMED,
    },
  ]),
  ...inFile("provider/session/difference.ts", [
    {
      name: "a renamed stack shows which keys it no longer revokes",
      find: "if (isSame || keys.length === 0 || isRenamedFrom(before, now, renamedFrom)) return;",
      replace: "if (isSame || !isSame) return;",
      test: contract("orphans"),
      by: "a state of a stack that was renamed shows",
    },
  ]),
  ...inFile("provider/plugin/orphans.ts", [
    {
      name: "a key that the engine has shown is no orphan",
      find: "isNamedFor(name, identity) && !seen.has(id)",
      replace: "isNamedFor(name, identity)",
      test: contract("orphans"),
      by: "a key that the engine has shown in a comparison",
    },
    {
      name: "a deletion fails while an orphan is live",
      find: "if (left.length === 0) return;",
      replace: "return;",
      test: contract("orphans"),
      by: "the deletion of a resource fails",
    },
    {
      name: "an orphan of a former owner is found",
      find: "      await this.#settleFormer(identity, list, context);\n",
      replace: "",
      test: contract("orphans"),
      by: "a key that an interrupted run left behind is revoked although the stack was destroyed",
    },
    {
      name: "a former owner's key is only one that was requested",
      find: "others.filter(({ name }) => witness?.requesterOf(name) || witness?.owns(name))",
      replace: "others",
      test: contract("orphans"),
      by: "a key that an interrupted run left behind is left alone",
    },
    {
      name: "an orphan of a former owner in the state is told",
      find: " || witness?.owns(name)",
      replace: "",
      test: STORIES_OF_PLUGIN,
      by: "a creation during which the plugin dies, and an upgrade",
    },
    {
      name: "a destroy looks for what former owners left behind",
      find: "this.#hasLookedBack = true;",
      replace: "return;",
      test: STORIES_OF_PLUGIN,
      by: "a creation that dies with its engine, a destroy, and another program",
    },
    {
      name: "a destroy looks for interrupted creations under the former name of a stack",
      find: "witness?.requesterOf(name) !== undefined ||\n",
      replace: "",
      test: STORIES_OF_PLUGIN,
      by: "a creation that dies in a stack that is renamed",
    },
    {
      name: "a destroy looks for all owners except the provider's, which the end looks for",
      find: "!hasTagOf(name, ownerIdIn(identity));",
      replace: 'tagsIn(name).join() === "";',
      test: contract("orphans"),
      by: "is revoked by a destroy whose last key has the former owner",
    },
  ]),
  ...inFile("provider/plugin/resources.ts", [
    {
      name: "the plugin looks for orphans of resources that are gone",
      find: "if (this.#hasChanged && ",
      replace: "if (!this.#hasChanged && ",
      test: contract("orphans"),
      by: "a key of a resource that is gone from the program is revoked",
    },
    {
      name: "a former provider keeps the key of a successor",
      find: "if (successor === undefined) return;",
      replace: "if (successor !== null) return;",
      test: contract("rotation"),
      by: "the deletion of a resource by a provider that the program does not use keeps the current key after",
    },
    {
      name: "a former provider needs the state to see a successor",
      find: "if (witness === undefined) {",
      replace: "if (witness === undefined) return;\n    if (witness === undefined) {",
      test: contract("rotation"),
      by: "the deletion of a resource by a provider that the program does not use is refused if the state",
    },
    {
      name: "a previous key after its grace is revoked in a handover",
      find: "deliveries: this.session.stack,",
      replace: 'deliveries: name === "create" ? undefined : this.session.stack,',
      test: contract("rotation"),
      by: "a key that revokeNow names is revoked with the old resource, and",
    },
  ]),
  ...inFile("provider/plugin/handover.ts", [
    {
      name: "a current key is revoked in place only after its successor is saved",
      find: "state.compromised.filter((id) => id !== inState);",
      replace: "state.compromised;",
      test: contract("rotation"),
      by: "retirement in place of the current key",
    },
    {
      name: "a resource that is deleted before its successor keeps its keys",
      find: "holdersOf(id, run).add(SUCCESSOR);",
      replace: "void [id, run];",
      test: contract("rotation"),
      by: "a key that revokeNow names is revoked at once",
    },
    {
      name: "a compromised key is revoked at once after the deletion",
      find: "before.isDeleted ? revokeCompromised(outputs, context) : ",
      replace: "",
      test: contract("rotation"),
      by: "a key that revokeNow names is revoked at once",
    },
    {
      name: "a successor leaves the compromised key to the old resource",
      find: "withCompromised(outputs, [])",
      replace: "outputs",
      test: contract("rotation"),
      by: "a key that revokeNow names is replaced",
    },
    {
      name: "the deletion of the old resource revokes the compromised key",
      find: "run.holders.get(id)?.delete(holder);",
      replace: "void [id, run, holder];",
      test: contract("rotation"),
      by: "a key that revokeNow names is replaced",
    },
  ]),
  ...inFile("provider/resources/rotating-api-key.ts", [
    {
      name: "a destroy revokes what revokeNow names, whatever revokeOnDelete says",
      find: "named ? await ownKeyIn(outputs, context) : []",
      replace: "[]",
      test: contract("rotation"),
      by: "a key that revokeNow names is revoked by the deletion of both",
    },
  ]),
];

const messages = [
  ...inFile("provider/nearest.ts", [
    {
      name: "a name that is nearly right is suggested, and no other",
      find: "Math.max(1, Math.floor(text.length / 3))",
      replace: "text.length",
      test: unit("nearest"),
    },
    {
      name: "a long text is not compared, which would take long",
      find: 'if (text.length > LONGEST) return "";',
      replace: "if (text.length > LONGEST) throw new Error();",
      test: unit("nearest"),
    },
  ]),
  ...inFile("provider/dynamic/owner.ts", [
    {
      name: "an error of the settings names a key that the program declares",
      find: "accountFailures(inputs, context).map((failure) => namingKey(failure, inputs))",
      replace: "accountFailures(inputs, context)",
      test: "test/contract/host.test.ts",
      by: "says what is wrong with the configuration",
    },
    {
      name: "the state does not get the name of the first key, which changes when lines move",
      find: "completed: ({ firstKey, ...inputs }, before, { runId }) => ({",
      replace: "completed: (inputs, before, { runId }) => ({",
      test: "test/contract/host.test.ts",
      by: "says what is wrong with the configuration",
    },
  ]),
  ...inFile("sdk/nodejs/data-sources/data-source.ts", [
    {
      name: "Pulumi shows the error of a data source without its stack and properties",
      find: "Object.defineProperty(error, SHOWN_AS_MESSAGE, { value: true });",
      replace: "",
      test: unit("sdk/data-source-errors"),
    },
    {
      name: "the error of a data source shows its code, also without its stack",
      find: ".code}]`;",
      replace: ".kind}]`;",
      test: unit("sdk/data-source-errors"),
    },
  ]),
  ...inFile("sdk/nodejs/next-actions.ts", [
    {
      name: "a step of nextAction that is unknown is left out",
      find: "    return [];\n",
      replace: '    return [{ action: "rotate" }];\n',
      test: unit("sdk/next-actions"),
    },
  ]),
  ...inFile("provider/session/long-waits.ts", [
    {
      name: "resources that wait for the same share a line",
      find: "if (!same && this.#shown.size < MAX_LINES) this.#show(wait, 0);",
      replace: "this.#show(wait, 0);",
      test: unit("session/long-waits"),
    },
    {
      name: "a wait that nobody has read about ends without a line",
      find: "if (this.#shown.delete(wait)) wait.say(",
      replace: "wait.say(",
      test: unit("session/long-waits"),
    },
    {
      name: "at most five waits are reported in a minute",
      find: "[...bySubject.values()].slice(0, MAX_LINES)",
      replace: "bySubject.values()",
      test: unit("session/long-waits"),
    },
  ]),
  ...inFile("provider/session/verb.ts", [
    {
      name: "a short wait prints no line that stays",
      find: "const LONG_MS = 10_000;",
      replace: "const LONG_MS = 1_000;",
      test: unit("session/long-waits"),
    },
    {
      name: "a verb that ends before its wait is long leaves no timer",
      find: "clearTimeout(this.#waitTimer);",
      replace: "",
      test: unit("session/long-waits"),
    },
  ]),
].map((mutant) => ({ part: "messages", ...mutant }));

const SEALED = resources("sealed");

const sealing = [
  ...inFile("provider/seal/recipients.ts", [
    {
      name: "a recipient of age with a wrong checksum is refused",
      find: "if (checked.reduce(nextChecksum, 1) !== 1) return undefined;",
      replace: "",
      test: unit("seal/recipients"),
    },
    {
      name: "a recipient of age has the length of its kind",
      find: "if (AGE_KEY_BYTES[decoded.prefix] === decoded.bytes) return undefined;",
      replace: "return undefined;",
      test: unit("seal/recipients"),
    },
    {
      name: "the order of recipients needs no new key",
      find: "text.toLowerCase()))].sort()",
      replace: "text.toLowerCase()))]",
      test: unit("seal/recipients"),
    },
    {
      name: "other recipients need a new key, and the preview says why",
      find: "if (sameRecipients(before, after)) return undefined;",
      replace: "return undefined;",
      test: SEALED,
    },
  ]),
  ...inFile("provider/keys/sealing.ts", [
    {
      name: "nothing is sent if a recipient is unusable",
      find: "await tryFormat(format, recipients);",
      replace: "void tryFormat;",
      test: SEALED,
      by: "fails in the preview",
    },
  ]),
  ...inFile("provider/keys/create-key.ts", [
    {
      name: "a key that cannot be sealed is revoked",
      find: 'await revokeOrphan({ id, name }, "which could not be sealed,", left, context);',
      replace: "",
      test: SEALED,
      by: "that cannot be sealed",
    },
  ]),
  ...inFile("provider/resources/api-key.ts", [
    {
      name: "a sealed key's secret is not in the outputs",
      find: "sealedKey ? { key: undefined, digestKey: newDigestKey() }",
      replace: "sealedKey ? { key, digestKey: newDigestKey() }",
      test: SEALED,
      by: "records what its recipients",
    },
    {
      name: "an output that a sealed key lacks is null",
      find: "...(state.sealedKey && { key: null }),",
      replace: "",
      test: SEALED,
      by: "records what its recipients",
    },
  ]),
  ...inFile("provider/resources/rotation/make-ready-key.ts", [
    {
      name: "a sealed current key's secret is not in the outputs",
      find: "sealedKey ? { key: undefined, sealedKey, digest }",
      replace: "sealedKey ? { key, sealedKey, digest }",
      test: SEALED,
      by: "keeps the previous sealed key",
    },
  ]),
  ...inFile("provider/resources/rotation/rotation-plan.ts", [
    {
      name: "other recipients rotate the key",
      find: 'if (change !== undefined) return { field: "sealTo", why: change, ...patient };',
      replace: "",
      test: SEALED,
      by: "rotates if its recipients change",
    },
  ]),
  ...inFile("provider/resources/rotation/rotation-fields.ts", [
    {
      name: "an adopted key is not sealed",
      find: "failures.push({ ...NO_ADOPTION });",
      replace: "void NO_ADOPTION;",
      test: SEALED,
      by: "does not adopt",
    },
  ]),
  ...inFile("provider/keys/readiness.ts", [
    {
      name: "a sealed key that could not be verified is replaced",
      find: "secret.isSealed ? afterSealing(reached) : reached",
      replace: "reached",
      test: SEALED,
      by: "is verified by the run",
    },
    {
      name: "a sealed key is not tried later",
      find: "if (sealedIn(outputs.sealedKey) === undefined) return",
      replace: "return",
      test: SEALED,
      by: "that is to stay live",
    },
  ]),
  ...inFile("provider/keys/revoke-key.ts", [
    {
      name: "a sealed key is gone only if a second list agrees",
      find: "(held.key === undefined ? await secondLook(held.id, context) : undefined)",
      replace: "undefined",
      test: SEALED,
      by: "is gone only if two lists",
    },
    {
      name: "keyplane's own sealed credential is recognized by its digest",
      find: "keyDigest(credential) === digest",
      replace: "false",
      test: SEALED,
      by: "is not revoked if keyplane",
    },
  ]),
  ...inFile("provider/keys/key-fields.ts", [
    {
      name: "triggers beside a sealed key are digested with a secret",
      find: 'return typeof key === "string" ? key : digestKey;',
      replace: "return key;",
      test: SEALED,
      by: "has its triggers digested",
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
  ...adoption.map((mutant) => ({ part: "adoption", ...mutant })),
  ...values.map((mutant) => ({ part: "values", ...mutant })),
  ...outside.map((mutant) => ({ part: "outside", ...mutant })),
  ...serving.map((mutant) => ({ part: "serve", ...mutant })),
  ...plugins.map((mutant) => ({ part: "plugin", ...mutant })),
  ...messages,
];
