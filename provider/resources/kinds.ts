import { apiKey } from "./api-key";
import type { Kind } from "./kind";
import { ledger } from "./ledger";
import { owner } from "./owner";
import { projectReady } from "./project-ready";
import { rotatingApiKey } from "./rotating-api-key";

/** Every kind by the name it has in a program, in the state and in messages. */
export const kinds = {
  ApiKey: apiKey,
  RotatingApiKey: rotatingApiKey,
  ProjectReady: projectReady,
  Owner: owner,
  Ledger: ledger,
} as const satisfies Record<string, Kind>;
