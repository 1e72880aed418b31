// The kinds of resource there are, each in a file of its own. Nothing here knows Pulumi or HTTP.
import { apiKey } from "./api-key";
import type { Kind } from "./kind";
import { ledger } from "./ledger";
import { owner } from "./owner";
import { projectReady } from "./project-ready";

/** Every kind by the name it has in a program, in the state and in messages. */
export const kinds = {
  ApiKey: apiKey,
  ProjectReady: projectReady,
  Owner: owner,
  Ledger: ledger,
} as const satisfies Record<string, Kind>;

export { check } from "./check";
export { type Difference, diff } from "./diff";
export { UNKNOWN } from "./fields";
export { type Context, type Failure, type Kind, NotReady, type Properties } from "./kind";
