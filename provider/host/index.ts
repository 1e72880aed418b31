// The entry `keyplane/provider`: what every state written by keyplane calls, from `__provider`. Its name and the names
// it exports are frozen; each is typed as Pulumi's own dynamic provider. Here is all that the core knows of Pulumi.
import { resourceTypes } from "../resources/registry";
import { adapt } from "./adapter";

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
