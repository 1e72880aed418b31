import { isApiError, KeyplaneError } from "../errors";
import type { Members } from "../members";
import { keyIdsIn } from "../stack/keys-in-state";
import type { Call } from "./call";
import { forgetCommand } from "./scope";

/**
 * An error of a call, with the way out if the service refuses the list of the resource's organization. The answer does not
 * tell whether the organization is gone, with its keys, or only the access to it. So it proves nothing about a key.
 * @param outputs - Those of the resource.
 */
export function withWayOut(error: unknown, outputs: Members, { urn, keyList }: Call): unknown {
  if (keyList.scope.organizationId === undefined || !isApiError(error)) return error;
  if (!error.route?.startsWith("GET /organizations/") || (error.kind !== "not_found" && error.status !== 403))
    return error;
  const keys = keyIdsIn(outputs).join(", ");
  return new KeyplaneError(
    error.code,
    `${error.message} If the organization was deleted, its keys ended with it. If nobody here is its admin any more, let an ` +
      `admin revoke key ${keys} first. Then remove the resource and its uses from the program, and run \`pulumi up\`, which ` +
      `cannot delete the resource. After that, run ${forgetCommand(urn)}`,
    error,
  );
}
