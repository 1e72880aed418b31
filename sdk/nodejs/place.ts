/** Where keys live, as the arguments of a resource name it. */
export interface PlaceArgs {
  readonly account?: string;
  readonly organizationId?: string;
}

/**
 * The place in a resource's arguments. Throws for a value that is only known later: each place has an owner and a
 * ledger of its own, which are declared before the first key in it.
 */
export function placeIn(kind: string, name: string, { account, organizationId }: PlaceArgs): PlaceArgs {
  for (const [argument, value] of Object.entries({ account, organizationId })) {
    if (value === undefined || typeof value === "string") continue;
    throw new Error(
      `${kind} ${JSON.stringify(name)}: ${argument} must be a plain text, not an output: the place of a key has to be ` +
        "known before anything is made. Take it from the stack's configuration, or write it into the program",
    );
  }
  return { ...(account === undefined ? {} : { account }), ...(organizationId === undefined ? {} : { organizationId }) };
}

/** The name of the owner and of the ledger of a place: another for each, since no account's name holds a dot. */
export function keeperName({ account, organizationId }: PlaceArgs): string {
  return `keyplane${account === undefined ? "" : `-${account}`}${organizationId === undefined ? "" : `.${organizationId}`}`;
}
