import { accountRoutes } from "./account";
import { apiKeyRoutes } from "./api-keys";
import { branchRoutes } from "./branches";
import { endpointRoutes } from "./endpoints";
import { operationRoutes } from "./operations";
import { organizationApiKeyRoutes } from "./organization-api-keys";
import { projectRoutes } from "./projects";
import type { Route } from "./route";

/** All endpoints of the service. The router, the OpenAPI document and the rules use this table. */
export const routes: readonly Route[] = [
  ...apiKeyRoutes,
  ...organizationApiKeyRoutes,
  ...accountRoutes,
  ...projectRoutes,
  ...branchRoutes,
  ...endpointRoutes,
  ...operationRoutes,
];

/** A route's name in rules: method and template, such as `DELETE /api_keys/{key_id}`. */
export const nameOf = (route: Pick<Route, "method" | "path">): string => `${route.method} ${route.path}`;
