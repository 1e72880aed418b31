import type { ResourceType } from "../schema/resource-type";
import { apiKey } from "./api-key";
import { ledger } from "./ledger";
import { owner } from "./owner";
import { projectReady } from "./project-ready";
import { rotatingApiKey } from "./rotating-api-key";

/** Every resource type, by its name in programs, states and messages. */
export const resourceTypes = {
  ApiKey: apiKey,
  RotatingApiKey: rotatingApiKey,
  ProjectReady: projectReady,
  Owner: owner,
  Ledger: ledger,
} as const satisfies Record<string, ResourceType>;
