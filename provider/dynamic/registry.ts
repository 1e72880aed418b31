import { apiKey } from "../resources/api-key";
import { projectReady } from "../resources/project-ready";
import { rotatingApiKey } from "../resources/rotating-api-key";
import type { ResourceType } from "../schema/resource-type";
import { ledger } from "./ledger";
import { owner } from "./owner";

/** Every resource type of the npm package, by its name in programs, states and messages. */
export const resourceTypes = {
  ApiKey: apiKey,
  RotatingApiKey: rotatingApiKey,
  ProjectReady: projectReady,
  Owner: owner,
  Ledger: ledger,
} as const satisfies Record<string, ResourceType>;
