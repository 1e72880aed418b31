import { apiKey } from "./api-key";
import { projectReady } from "./project-ready";
import { rotatingApiKey } from "./rotating-api-key";

/** All resource types, by their names in URNs. */
export const resourceTypes = { ApiKey: apiKey, RotatingApiKey: rotatingApiKey, ProjectReady: projectReady };
