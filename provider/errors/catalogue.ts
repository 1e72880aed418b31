/** What went wrong, for callers that decide by it. */
export type ErrorKind =
  | "config"
  | "input"
  | "api"
  | "auth"
  | "not_found"
  | "conflict"
  | "rate_limit"
  | "answer_lost"
  | "transport"
  | "timeout"
  | "aborted"
  | "operation"
  | "bad_answer"
  | "internal";

/** One way to fail: what is said of it in `docs/errors.md`. */
export interface ErrorDefinition {
  readonly kind: ErrorKind;
  /** When it happens, and in what state it leaves things. */
  readonly when: string;
  /** What to do about it. */
  readonly remedy: string;
}

/** Every error that keyplane makes, by its code. A code stays what it is: programs and runbooks go by it. */
export const ERRORS = {
  "KP-CONFIG": {
    kind: "config",
    when: "A setting, such as `keyplane:baseUrl` or `keyplane:apiKey`, is missing or cannot be used. Nothing was sent.",
    remedy: "Set it as the message says, by `pulumi config set` or in the environment.",
  },
  "KP-INPUT": {
    kind: "input",
    when: "An input of a resource, or an argument of a data source, cannot be used. Nothing was sent.",
    remedy: "Correct what the message names by its path.",
  },
  "KP-USAGE": {
    kind: "input",
    when: "A command line of `keyplane` cannot be understood, or lacks something. Nothing was sent.",
    remedy: "Correct it as the message says; `keyplane help COMMAND` tells what there is.",
  },
  "KP-IMPORT": {
    kind: "input",
    when: "A resource was declared with the option `import`, or looked up by `get`. The service shows a key's secret only once, so there is nothing to import.",
    remedy:
      "Remove the option. To take over a key whose secret you have, declare a `RotatingApiKey` with `adopt`. To read what is known about a key, use `getApiKey`.",
  },
  "KP-DECLARED-LATE": {
    kind: "input",
    when: "A key was declared after the program had ended, from a callback or a timer. It would be taken for one that an interrupted run has left behind.",
    remedy: "Declare keys before the last `await` of the program.",
  },
  "KP-COMPONENT-PROVIDER": {
    kind: "input",
    when: "A key was declared in a component that another program constructs through a component provider. What looks after a stack's keys belongs to the program that owns the stack. Nothing was sent.",
    remedy: "Declare the key in the program itself, and pass its outputs to the component.",
  },
  "KP-TWO-VERSIONS": {
    kind: "config",
    when: "A program loads two versions of this package that cannot work together in one stack. Nothing was sent.",
    remedy: "Install one version. `npm ls keyplane` shows which package asks for the other.",
  },
  "KP-AUTH": {
    kind: "auth",
    when: "The service does not accept `keyplane:apiKey` (401), or does not let it do this (403).",
    remedy:
      "Check that the key is complete, not revoked and of the account that `keyplane:baseUrl` serves; for a 403 use a key of a user who may.",
  },
  "KP-WRONG-ACCOUNT": {
    kind: "config",
    when: "`keyplane:baseUrl` or `keyplane:apiKey` changed, and no key of the stack is in the account that they lead to now. Nothing was created, revoked or forgotten.",
    remedy:
      "Set both to the account that holds the stack's keys, and run `pulumi up`: `pulumi refresh` and `pulumi destroy` use the configuration of the last `up`. If this is the right account, and all keys of the stack are gone or none of them has a generated name, run the command once with the environment variable `KEYPLANE_CONFIRM_ACCOUNT`. The message holds its value.",
  },
  "KP-ID-MISMATCH": {
    kind: "bad_answer",
    when: "The service lists the id of one of the stack's keys under another name. It gave a wrong id when it created the key, or gives one now. Neither key was touched.",
    remedy:
      "Look in the service's console which key is the stack's. Remove the resource from the state with `pulumi state delete`, and revoke the key by hand.",
  },
  "KP-OWN-CREDENTIAL": {
    kind: "conflict",
    when: "A key that keyplane itself authenticates with was to be revoked or rotated. Nothing was done, for it would lock keyplane out.",
    remedy:
      "Set `keyplane:apiKey` to another key of the account first; on a RotatingApiKey, `selfRotation` hands over in steps.",
  },
  "KP-CLOCK": {
    kind: "config",
    when: "This machine's clock is more than 5 minutes off the service's, and `rotateAfter` goes by it. The key that was just made is revoked again.",
    remedy: "Set the clock right, and run `pulumi up` again.",
  },
  "KP-NOTFOUND": {
    kind: "not_found",
    when: "A key, a project or an operation that was asked for is not known to the service.",
    remedy:
      "Check the id or the name, and that `keyplane:apiKey` is of the account meant. If nothing is found at all, check the path of `keyplane:baseUrl`: it most often ends in `/api/v2`.",
  },
  "KP-AMBIGUOUS": {
    kind: "conflict",
    when: "Several keys or projects have the name that a data source looks for. Any choice would be a guess.",
    remedy: "Give one of the ids in the message as `id`.",
  },
  "KP-NAME-TAKEN": {
    kind: "conflict",
    when: "An ApiKey asks for an exact `name` that a live key has already. Nothing was made.",
    remedy:
      'Choose another name, revoke that key, or, if it was never used, set `onNameConflict` to `"revokeUnused"`. For a replacement change `rotationTriggers`, or set the resource option `deleteBeforeReplace`.',
  },
  "KP-ADOPT": {
    kind: "conflict",
    when: "A key cannot be adopted: its id and secret do not belong together, the service refuses the secret, the key is one of this stack's own, or the resource exists already. Nothing was made, and the key was not touched.",
    remedy: "Give the id and the secret of one live key to a new resource, or remove `adopt` to get a new key.",
  },
  "KP-CONFLICT": {
    kind: "conflict",
    when: "The service refused a request because of something that exists (409, or a name taken meanwhile). Nothing was done.",
    remedy: "Remove what the service's words name, or choose another name, and run the command again.",
  },
  "KP-RATE": {
    kind: "rate_limit",
    when: "The service was busy (423, 429, 503) for longer than a call may take. Nothing was done.",
    remedy: "Run the command again later, or with a lower `keyplane:concurrency` or `keyplane:requestsPerSecond`.",
  },
  "KP-API": {
    kind: "api",
    when: "The service refused a request for another reason, or failed (5xx).",
    remedy:
      "Do what the service's words say. After a 5xx run the command again later; if it stays so, give the service's support the request's id.",
  },
  "KP-ANSWER": {
    kind: "bad_answer",
    when: "An answer contradicts the service's interface: it is no JSON, lacks a field, or its pages do not end.",
    remedy:
      "Check that `keyplane:baseUrl` is the address of the service's API, and that no proxy answers in its place.",
  },
  "KP-LIST-TOO-LONG": {
    kind: "bad_answer",
    when: "The pages of a list hold more together than keyplane takes into memory: 200 MB, far beyond the lists of a real account. Nothing was changed.",
    remedy:
      "Ask for fewer entries: operations by `since` or `limit`, or page by page with `listOperations`. If the list should not be as long, check that `keyplane:baseUrl` is the address of the service's API.",
  },
  "KP-TRANSPORT": {
    kind: "transport",
    when: "No complete answer came, because the network failed. Nothing was done, or the request has no lasting effect.",
    remedy: "Check the network and `keyplane:baseUrl`, and run the command again.",
  },
  "KP-TIMEOUT": {
    kind: "timeout",
    when: "A request was not answered in time (`requestTimeout`), or operations did not end in time (`operationTimeout`).",
    remedy: "Run the command again, which goes on waiting; raise the limit where it is too low.",
  },
  "KP-LOST": {
    kind: "answer_lost",
    when: "A request that makes a key was sent, and no usable answer came: a key may have been made. Resources settle this by themselves and end with KP-UNSETTLED at worst.",
    remedy: "Run `pulumi up` again, which looks for the key and revokes it.",
  },
  "KP-UNSETTLED": {
    kind: "answer_lost",
    when: "The answers to a key's creation were lost, several times or while the list of keys could not be read either. The resource has no key.",
    remedy:
      "Run `pulumi up` again when the service answers. What the lost requests made is found by its name and revoked.",
  },
  "KP-OPERATION": {
    kind: "operation",
    when: "An operation that was waited for has failed, with its id and action in the message.",
    remedy: "See the project's operations in the service's console; mend the cause and run the command again.",
  },
  "KP-UNUSABLE": {
    kind: "operation",
    when: "A new key of a RotatingApiKey did not become usable: an operation failed, or the service refuses it. It was handed to nobody and is revoked; the keys before it are untouched.",
    remedy: "Mend what the message names, and run `pulumi up` again, which makes another key.",
  },
  "KP-NOT-READY": {
    kind: "operation",
    when: "A key exists and is recorded with its secret, but cannot be relied on yet: its operations have not ended, or one has failed. Nothing that depends on it was changed.",
    remedy: "Run `pulumi up` again: it goes on waiting, or replaces the key where that is hopeless.",
  },
  "KP-REVOKE": {
    kind: "api",
    when: "A key that nobody holds could not be revoked, and is still live. It stays in the state.",
    remedy: "Run the command again, or revoke the key in the service's console.",
  },
  "KP-ABORTED": {
    kind: "aborted",
    when: "The run was cancelled (Ctrl+C), or a program's AbortSignal fired. Nothing more is sent; a change that was sent is finished and recorded.",
    remedy: "Run the command again: it goes on from what is recorded.",
  },
  "KP-INTERNAL": {
    kind: "internal",
    when: "keyplane met something that it did not expect. This is a mistake in keyplane.",
    remedy: "Report it with the whole message, which holds no secret. Running the command again is safe.",
  },
} as const satisfies Readonly<Record<string, ErrorDefinition>>;

/** Names one way to fail. */
export type ErrorCode = keyof typeof ERRORS;
