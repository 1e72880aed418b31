import type { FrontEnd } from "./plan";
import type { Scenario } from "./scenario";

/** The title of the keys that stay live, because nothing proves that nobody needs them. */
export const REPORTED = "reported";

/** A live key that no state holds. */
export interface Leftover {
  readonly id: string;
  /** The name of the resource that it was created for. */
  readonly resource: string;
}

/** What is known when a leftover is found. */
export interface Circumstances {
  /** The last command. */
  readonly command: "up" | "destroy";
  /** The command that was interrupted. */
  readonly interrupted: Scenario["command"];
  /** Whether the state has a record of the creation that was interrupted. */
  readonly isRecorded: boolean;
  /** Names of the resources that the engine has shown to the provider in the last command. */
  readonly shown: ReadonlySet<string>;
  /** Ids of the leftovers that a command has reported, with the command that revokes them. */
  readonly reported: ReadonlySet<string>;
}

/** A leftover that the documentation announces. */
export interface Exclusion {
  readonly title: string;
  readonly reason: string;
  covers(leftover: Leftover, circumstances: Circumstances): boolean;
}

/**
 * All leftovers that are not a failure. For the dynamic provider, the ids of its runs are in the state. The engine does
 * not tell a plugin when a program has ended, so its resources look for orphans, and only when one creates a key or
 * is deleted. So an `up` can leave a key to the `destroy`.
 */
const exclusions: Readonly<Record<FrontEnd, readonly Exclusion[]>> = {
  dynamic: [
    {
      title: REPORTED,
      reason: "a destroy deletes the ledger first: later, nothing shows which keys earlier runs have delivered",
      covers: ({ id }, { interrupted, reported }) => interrupted === "destroy" && reported.has(id),
    },
  ],
  plugin: [
    {
      title: REPORTED,
      reason:
        "the state has no record of the request: the engine records only creations of resources, and only until they fail",
      covers: ({ id }, { isRecorded, reported }) => !isRecorded && reported.has(id),
    },
    {
      title: "no resource is left",
      reason: "the state has none, so the engine does not start the plugin; `keyplane sweep` finds the key",
      covers: (_, { command, shown }) => command === "destroy" && shown.size === 0,
    },
    {
      title: "the key has left the program",
      reason: "the next run that creates or deletes a key looks for it",
      covers: ({ resource }, { command, shown }) => command === "up" && !shown.has(resource),
    },
  ],
};

/** A command that refuses to go on until the user confirms the account. */
const CONFIRMATION = {
  title: "the account must be confirmed",
  reason:
    "a provider resource keeps the first credential as its proof; without a key, nothing proves the account of another",
};

/**
 * The confirmation that a failed command asks for, in a stack whose credential was exchanged before the crash. The dynamic
 * provider records the new credential with its owner, so it never has to ask.
 */
export function confirmationOf(frontEnd: FrontEnd, isExchanged: boolean, printed: string) {
  const [, account] = /KEYPLANE_CONFIRM_ACCOUNT=(\w+)/.exec(printed) ?? [];
  if (frontEnd === "dynamic" || !isExchanged || account === undefined) return undefined;
  return { title: CONFIRMATION.title, env: { KEYPLANE_CONFIRM_ACCOUNT: account } };
}

/** The exclusion that covers a leftover, if there is one. */
export function exclusionOf(
  frontEnd: FrontEnd,
  leftover: Leftover,
  circumstances: Circumstances,
): Exclusion | undefined {
  return exclusions[frontEnd].find((exclusion) => exclusion.covers(leftover, circumstances));
}

/** What a front end may leave undone. */
export function exclusionsOf(frontEnd: FrontEnd): readonly Pick<Exclusion, "title" | "reason">[] {
  return frontEnd === "dynamic" ? exclusions.dynamic : [...exclusions.plugin, CONFIRMATION];
}
