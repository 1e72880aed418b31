import type { FrontEnd } from "./plan";

/** A live key that no state holds. */
export interface Leftover {
  readonly id: string;
  /** The name of the resource that it was created for. */
  readonly resource: string;
}

/** What is known when a leftover is found. */
export interface Circumstances {
  /** Names of the resources that the engine has shown to the provider in the last command. */
  readonly shown: ReadonlySet<string>;
  /** Whether the commands after the crash had no reason to create a key for the resource or to delete it. */
  readonly keepsItsKey: boolean;
  /** Ids of the leftovers that the last command reported. */
  readonly reported: ReadonlySet<string>;
}

/** A leftover that the documentation announces. */
export interface Exclusion {
  readonly title: string;
  readonly reason: string;
  covers(leftover: Leftover, circumstances: Circumstances): boolean;
}

/**
 * All leftovers that are not a failure. The dynamic provider has none. The engine does not tell a plugin when a program has
 * ended, so each resource of the plugin looks for its own orphans, and only when it creates a key or is deleted.
 */
const exclusions: Readonly<Record<FrontEnd, readonly Exclusion[]>> = {
  dynamic: [],
  plugin: [
    {
      title: "the key has left the program",
      reason: "no resource is left that could look for its orphan; `keyplane sweep` finds it",
      covers: ({ resource }, { shown }) => !shown.has(resource),
    },
    {
      title: "the resource keeps its key",
      reason: "a refresh only reports the orphan; the next key of the resource, or its deletion, revokes it",
      covers: ({ id }, { keepsItsKey, reported }) => keepsItsKey && reported.has(id),
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
  return frontEnd === "dynamic" ? [] : [...exclusions[frontEnd], CONFIRMATION];
}
