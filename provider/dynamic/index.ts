// The entry point `keyplane/provider`, which every state written by keyplane calls from `__provider`. Its name and its
// exports must never change. Each has the type of Pulumi's own dynamic provider. Only this folder knows Pulumi.

import { adapt } from "./adapter";
import { resourceTypes } from "./registry";

/** The provider of `ApiKey` resources. */
export const ApiKey = adapt(resourceTypes.ApiKey);

/** The provider of `RotatingApiKey` resources. */
export const RotatingApiKey = adapt(resourceTypes.RotatingApiKey);

/** The provider of `ProjectReady` resources. */
export const ProjectReady = adapt(resourceTypes.ProjectReady);

/** The provider of a stack's `Owner`. */
export const Owner = adapt(resourceTypes.Owner);

/** The provider of a stack's `Ledger`. */
export const Ledger = adapt(resourceTypes.Ledger);
