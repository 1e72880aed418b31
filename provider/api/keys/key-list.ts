import { checkId } from "../../ids";

/** One of the service's lists of keys: where they are made, listed and revoked. */
export interface KeyList {
  /** Path of the list; a key's own path has its id behind it. */
  readonly path: string;
  /** Method and path template of each call, for messages and limits. */
  readonly routes: { readonly create: string; readonly list: string; readonly revoke: string };
  /** Whether the key that requests authenticate with is in the list itself. */
  readonly holdsCaller: boolean;
  /** Most creations per second, where the service allows fewer than of other requests. */
  readonly createsPerSecond?: number;
}

const ACCOUNT: KeyList = { path: "/api_keys", routes: routesOf("/api_keys"), holdsCaller: true };

/** The list of an organization's keys and of those limited to a project in it, or that of the account's own keys. */
export function keyListOf(organizationId: string | undefined): KeyList {
  if (organizationId === undefined) return ACCOUNT;
  return {
    path: `/organizations/${checkId("organization", organizationId, "organizationId")}/api_keys`,
    routes: routesOf("/organizations/{org_id}/api_keys"),
    // Such keys cannot make or list keys: who asks is always a user's own key.
    holdsCaller: false,
    createsPerSecond: 10,
  };
}

function routesOf(path: string): KeyList["routes"] {
  return { create: `POST ${path}`, list: `GET ${path}`, revoke: `DELETE ${path}/{key_id}` };
}
