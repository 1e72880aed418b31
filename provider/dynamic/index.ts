// The entry point `keyplane/provider`: the providers of all resource types, which every state written by keyplane calls
// from `__provider`. Its name and its exports must never change. Each has the type of Pulumi's own dynamic provider.

import { resourceTypes } from "../resources/all";
import { adapt } from "./adapter";

export const ApiKey = adapt(resourceTypes.ApiKey);
export const RotatingApiKey = adapt(resourceTypes.RotatingApiKey);
export const ProjectReady = adapt(resourceTypes.ProjectReady);
