import { checkId } from "../../ids";

/** Where keys of an account or an organization are: one of the service's lists, in which keys are created, listed and revoked. */
export interface KeyEndpoint {
  /** Path of the list. The path of a key adds its id. */
  readonly path: string;
  /** Method and path template of each call, for messages and limits. */
  readonly routes: { readonly create: string; readonly list: string; readonly revoke: string };
  /** Whether the list contains the key that requests authenticate with. */
  readonly holdsCaller: boolean;
  /** Maximum creations per second, if lower than the rate for other requests. */
  readonly createsPerSecond?: number;
}

const ACCOUNT: KeyEndpoint = { path: "/api_keys", routes: routesOf("/api_keys"), holdsCaller: true };

/** The list of an organization's keys, including keys limited to its projects, or of the account's own keys. */
export function keyEndpointOf(organizationId: string | undefined): KeyEndpoint {
  if (organizationId === undefined) return ACCOUNT;
  return {
    path: `/organizations/${checkId("organization", organizationId, "organizationId")}/api_keys`,
    routes: routesOf("/organizations/{org_id}/api_keys"),
    // An organization's keys cannot create or list keys, so requests always authenticate with a user's personal key.
    holdsCaller: false,
    createsPerSecond: 10,
  };
}

function routesOf(path: string): KeyEndpoint["routes"] {
  return { create: `POST ${path}`, list: `GET ${path}`, revoke: `DELETE ${path}/{key_id}` };
}
