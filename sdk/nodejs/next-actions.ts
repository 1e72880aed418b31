/** What a future run will do with a key of a `RotatingApiKey`. */
export interface NextAction {
  /**
   * `create`: create a key, because there is none. `wait`: wait until a key is ready. `rotate`: create the next key.
   * `revoke`: revoke a key, unless it is already revoked, or is the previous key and in use. `leave`: leave a key that another stack created.
   */
  readonly action: "create" | "wait" | "rotate" | "revoke" | "leave";
  /**
   * The id of the key that is waited for, revoked or left. For `rotate`, the previous key that must be revoked first.
   * @default none
   */
  readonly keyId?: string;
  /** The earliest time, as an ISO 8601 time. @default the next run */
  readonly at?: string;
}

/** The steps in the output `nextAction`. The first group is the id of a key, and the second is a time. */
const STEPS: readonly (readonly [NextAction["action"], RegExp])[] = [
  ["create", /^create a new key$/],
  ["wait", /^wait until key (\d{1,40}) is ready$/],
  ["rotate", /^rotate(?: as soon as key (\d{1,40}) is revoked| after ([^\s,]{1,40})(?:, inside rotationWindow)?)?$/],
  ["revoke", /^revoke key (\d{1,40})(?: after ([^\s,]{1,40}), unless it is in use)?$/],
  ["revoke", /^make sure that key (\d{1,40}) is revoked$/],
  ["leave", /^leave key (\d{1,40}), which another stack created$/],
];

/** Reads the output `nextAction`, so that the state need not contain it twice. Leaves out what it does not know. */
export function readNextActions(text: string): readonly NextAction[] {
  return text.split("; ").flatMap((step) => {
    for (const [action, pattern] of STEPS) {
      const match = pattern.exec(step);
      if (match === null) continue;
      const [, keyId, at] = match;
      return [{ action, ...(keyId !== undefined && { keyId }), ...(at !== undefined && { at }) }];
    }
    return [];
  });
}
