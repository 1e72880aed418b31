import type { ResourceType } from "../schema/resource-type";
import { apiKey } from "./api-key";
import { ledger } from "./ledger";
import { owner } from "./owner";
import { projectReady } from "./project-ready";
import { rotatingApiKey } from "./rotating-api-key";

/** Every resource type by the name it has in a program, in the state and in messages. */
export const resourceTypes = {
  ApiKey: apiKey,
  RotatingApiKey: rotatingApiKey,
  ProjectReady: projectReady,
  Owner: owner,
  Ledger: ledger,
} as const satisfies Record<string, ResourceType>;
