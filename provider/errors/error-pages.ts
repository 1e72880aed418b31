/**
 * Every error of keyplane, by code, as an entry in `docs/errors.md`: when it occurs, with the state that it leaves, and
 * how to fix it. A code never changes, because programs and runbooks rely on it.
 */
export const ERRORS = {
  "KP-CONFIG": {
    kind: "config",
    when: "A setting, such as `keyplane:baseUrl` or `keyplane:apiKey`, is missing or invalid. Nothing was sent.",
    remedy: "Set it as the message says, by `pulumi config set` or in the environment.",
  },
  "KP-INPUT": {
    kind: "input",
    when: "An input of a resource, or an argument of a data source, is invalid or missing. Nothing was changed.",
    remedy: "Correct the input that the message names.",
  },
  "KP-SEAL": {
    kind: "input",
    when: "A recipient in `sealTo` is invalid, its certificate has expired, or `sealTo` is combined with `adopt`. No key was created, or it is revoked, at the latest by the next run.",
    remedy:
      "Pass public keys: of age, which begin with `age1`; the one that GitHub shows for the repository, the environment or the organization; the certificate that `kubeseal --fetch-cert` prints; or keys for RSA with 2,048 bits or more, in PEM. To seal an adopted key, remove `adopt` first.",
  },
  "KP-USAGE": {
    kind: "input",
    when: "A command line of `keyplane` is invalid or incomplete. Nothing was sent.",
    remedy: "Correct it as the message says. `keyplane help COMMAND` lists the options.",
  },
  "KP-IMPORT": {
    kind: "input",
    when: "A program with the npm package declared a resource with the option `import`, or looked it up by `get`: the service shows a secret only once. Or the plugin was asked to import a key without its own, live secret. Nothing was changed.",
    remedy:
      "With the npm package, take the key over with `adopt` of a `RotatingApiKey`, or read what is known about it with `getApiKey`. With the plugin, set the id and the secret of the key in the setting `importKeys`.",
  },
  "KP-NOT-INSTALLED": {
    kind: "config",
    when: "Pulumi loads keyplane from the folder of the program, and does not find it there: only a library depends on it, and pnpm and Yarn keep the dependencies of packages apart. Nothing was sent.",
    remedy: "Add keyplane to the `package.json` that the message names, in the version that the library uses.",
  },
  "KP-AUTH": {
    kind: "auth",
    when: "The service does not accept `keyplane:apiKey` (401), or the key does not have the permission (403).",
    remedy:
      "Check that the key is live and belongs to the account that `keyplane:baseUrl` serves. If you have changed the setting, put back what you have removed and run `pulumi up` once, or pass `--run-program`: `refresh`, `destroy`, and the removal of a provider or of its last key, use the key of the last `up`. After a 403, use a key of a user who has the permission. If the organization is out of reach for good, [give the resource up](failure-model.md#give-up-a-resource).",
  },
  "KP-WRONG-ACCOUNT": {
    kind: "config",
    when: "`keyplane:baseUrl` or `keyplane:apiKey` changed, and the account that they now lead to lacks a key of the state, which may still be live in the former one. Nothing was changed.",
    remedy:
      "Set both to the account that has the key, and run `pulumi up`: see [how keyplane compares accounts](failure-model.md#another-account-or-credential). If that account no longer exists, [give the resource up](failure-model.md#give-up-a-resource).",
  },
  "KP-ID-MISMATCH": {
    kind: "bad_answer",
    when: "The service lists the id of one of the stack's keys under another name. Neither key was changed.",
    remedy:
      "Find out in the service's console which key belongs to the stack. Then [give the resource up](failure-model.md#give-up-a-resource), and revoke the key by hand.",
  },
  "KP-SCOPE": {
    kind: "bad_answer",
    when: "The service created a key for another project than `projectId`, for the whole organization instead, or for one project without `projectId`. Nobody got it, and it is revoked, at the latest by the next run. The earlier key is unchanged.",
    remedy:
      "Check `projectId`, and that the service supports keys of a project. If a key with the project scope in the message will do, set or remove `projectId`.",
  },
  "KP-OWN-CREDENTIAL": {
    kind: "conflict",
    when: "The run would revoke or rotate a key that keyplane authenticates with, which would lock keyplane out. Nothing was changed.",
    remedy:
      "Set `keyplane:apiKey` to another key of the account first. For a RotatingApiKey, `selfRotation` hands over in steps.",
  },
  "KP-NOT-FOUND": {
    kind: "not_found",
    when: "The service has no key, project or operation with this id or name.",
    remedy:
      "Check the id or the name, and the account of `keyplane:apiKey`. If nothing is found at all, check `keyplane:baseUrl`: it usually ends in `/api/v2`. If the organization is gone, [give the resource up](failure-model.md#give-up-a-resource).",
  },
  "KP-AMBIGUOUS": {
    kind: "conflict",
    when: "Several keys or projects have the name that a data source looks for.",
    remedy: "Pass one of the ids in the message as `id`.",
  },
  "KP-NAME-TAKEN": {
    kind: "conflict",
    when: "An ApiKey asks for an exact `name` that a live key already has. Nothing was created.",
    remedy:
      'Choose another name, revoke that key, or, if it was never used, set `onNameConflict` to `"revokeUnused"`. If the message says that the answer to a request was lost, the key can be the one that an earlier run asked for: nobody has its secret then, so revoke it.',
  },
  "KP-ADOPT": {
    kind: "conflict",
    when: "A key cannot be adopted: its id and secret do not belong together, the service refuses the secret, a resource of the stack, also of another provider, has the key or may have it, because the state cannot be read, or the resource already exists. Nothing was created, and nothing was revoked.",
    remedy:
      "Pass the id and the secret of one live key to a new resource, or remove `adopt` to get a new key. A resource of another provider must let the key go first: set `retainOnDelete` there and run `pulumi up`.",
  },
  "KP-CONFLICT": {
    kind: "conflict",
    when: "The service refused a request that conflicts with an existing item (409), such as a key that took the name in the meantime. Nothing was changed.",
    remedy: "Remove the item that the message names, or choose another name. Then run the command again.",
  },
  "KP-RATE": {
    kind: "rate_limit",
    when: "The service refused a request as often as it may be sent again (423, 429, 503), or for longer than a call may take. Nothing was changed.",
    remedy: "Run the command again later, or with a lower `keyplane:concurrency` or `keyplane:requestsPerSecond`.",
  },
  "KP-API": {
    kind: "api",
    when: "The service refused a request for another reason, or failed (5xx).",
    remedy:
      "Follow the service's message. After a 5xx, run the command again later. If it still fails, give the request's id to the service's support.",
  },
  "KP-ANSWER": {
    kind: "bad_answer",
    when: "An answer does not match the service's API, or a list lacks a key that works.",
    remedy:
      "If a list lacks a key, run the command again. Otherwise, check `keyplane:baseUrl`, and that no proxy intercepts it.",
  },
  "KP-LIST-TOO-LONG": {
    kind: "bad_answer",
    when: "The pages of a list exceed 200 MB in total, far more than a real account has. Nothing was changed.",
    remedy:
      "Limit operations with `since` or `limit`, or read them with `listOperations`. If the list should be shorter, check `keyplane:baseUrl`.",
  },
  "KP-TRANSPORT": {
    kind: "transport",
    when: "The network failed before a complete answer arrived. Nothing was changed, or the request has no lasting effect.",
    remedy: "Check the network and `keyplane:baseUrl`, and run the command again.",
  },
  "KP-TIMEOUT": {
    kind: "timeout",
    when: "A request was not answered in time (`requestTimeout`), or operations did not end in time (`operationTimeout`).",
    remedy: "Run the command again to keep waiting. If the limit is too low, raise it.",
  },
  "KP-LOST": {
    kind: "answer_lost",
    when: "A request that creates a key was sent, but no usable answer arrived, so a key may have been created. Resources resolve this by themselves; if they cannot, they fail with KP-UNSETTLED.",
    remedy: "Run `pulumi up` again. It looks for the key and revokes it.",
  },
  "KP-UNSETTLED": {
    kind: "answer_lost",
    when: "The answer to a key's creation was lost several times, or to one with an exact `name` once, or the list could not be read after it. The resource has no key.",
    remedy:
      "Run `pulumi up` again when the service is available. keyplane finds the keys with generated names, and revokes those that nobody has used. A key with an exact `name` stays live: revoke it first, as the message says.",
  },
  "KP-OPERATION": {
    kind: "operation",
    when: "An operation failed while keyplane waited for it. The message contains its id and action.",
    remedy: "Look at the project's operations in the service's console. Fix the cause and run the command again.",
  },
  "KP-UNUSABLE": {
    kind: "operation",
    when: "A new key of a RotatingApiKey did not become usable: an operation failed, or the service refuses it. It is revoked, at the latest by the next run. The earlier keys are unchanged.",
    remedy: "Fix what the message names, and run `pulumi up` again to create another key.",
  },
  "KP-NOT-READY": {
    kind: "operation",
    when: "A key exists and is recorded with its secret, but is not ready: its operations have not ended, or one has failed. Nothing that depends on it was changed.",
    remedy:
      "Run `pulumi up` again. It keeps waiting, or replaces the key if it cannot become ready. If an operation was not found, replace the key: `pulumi up --replace URN`, or `revokeNow` of a `RotatingApiKey`.",
  },
  "KP-REVOKE": {
    kind: "api",
    when: "A key stays live that had to be revoked, because the service did not revoke it.",
    remedy: "Run the command again. Or revoke the key in the service's console.",
  },
  "KP-ABORTED": {
    kind: "aborted",
    when: "The run was cancelled (Ctrl+C), or a program's AbortSignal fired. Nothing more is sent. A change that was already sent is finished and recorded.",
    remedy: "Run the command again: it continues from the recorded state.",
  },
  "KP-INTERNAL": {
    kind: "internal",
    when: "An unexpected error occurred. This is a bug in keyplane.",
    remedy: "Report it with the whole message. Running the command again is safe.",
  },
} as const satisfies Readonly<Record<string, Readonly<Record<"kind" | "when" | "remedy", string>>>>;

/** The code of an error. */
export type ErrorCode = keyof typeof ERRORS;

/** The kind of an error, for callers that handle errors by kind. */
export type ErrorKind = (typeof ERRORS)[ErrorCode]["kind"];
