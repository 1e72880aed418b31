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
