// The entry point `keyplane/provider`: the providers of all resource types, which every state written by keyplane calls
// from `__provider`. Its name and its exports must never change. Each has the type of Pulumi's own dynamic provider.

import { apiKey } from "../resources/api-key";
import { projectReady } from "../resources/project-ready";
import { rotatingApiKey } from "../resources/rotating-api-key";
import { adapt } from "./adapter";

export const ApiKey = adapt(apiKey);
export const RotatingApiKey = adapt(rotatingApiKey);
export const ProjectReady = adapt(projectReady);
