import { Output } from "@pulumi/pulumi";
import type { Scope } from "../../../provider/keys/scope";
import { programError } from "./program-error";

/** The scope of keys, as given in a resource's arguments. */
export type ScopeArgs = Partial<Scope>;

/**
 * The scope in a resource's arguments. Throws `KP-INPUT` for anything else than text, also for an output: each scope has
 * its own owner and ledger, which are declared before the first key in it.
 */
export function readScope(kind: string, name: string, { account, organizationId }: ScopeArgs): ScopeArgs {
  for (const [argument, value] of Object.entries({ account, organizationId })) {
    if (value === undefined || typeof value === "string") continue;
    const why = Output.isInstance(value)
      ? ", not an output, because keyplane needs it before it creates anything. Read it from the stack's configuration, " +
        "or write it into the program"
      : "";
    throw programError("KP-INPUT", `${kind} ${JSON.stringify(name)}: ${argument} must be a string${why}`);
  }
  return { ...(account === undefined ? {} : { account }), ...(organizationId === undefined ? {} : { organizationId }) };
}

/** The name of a scope's owner and ledger. Account names contain no dot, so the name is unique. */
export function scopeName({ account, organizationId }: ScopeArgs): string {
  return `keyplane${account === undefined ? "" : `-${account}`}${organizationId === undefined ? "" : `.${organizationId}`}`;
}
