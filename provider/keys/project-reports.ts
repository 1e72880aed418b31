import { compareProject, otherProject } from "../api/keys/project-of-key";
import type { ApiKeyRecord } from "../api/records";
import type { Log } from "./call";
import type { KeyInputs } from "./fields";
import { formatKey } from "./naming";

/**
 * The inputs of a resource as the service lists its key: with the project that the key is limited to. If that is not the
 * one in the state, the next diff finds a change of `projectId`, which replaces the resource.
 */
export function asListed<Inputs extends KeyInputs>(inputs: Inputs, found: ApiKeyRecord, { warn }: Log): Inputs {
  const other = otherProject(inputs.projectId, found.projectId);
  if (other === undefined) return inputs;
  warn(`key ${formatKey(found)} ${other}. The next \`pulumi up\` replaces it`);
  return { ...inputs, projectId: found.projectId ?? undefined };
}

/** Says that a previous key has another project scope than requested. Its own rotation revokes it. */
export function reportPrevious(inputs: KeyInputs, found: ApiKeyRecord | undefined, { warn }: Log): void {
  const other = otherProject(inputs.projectId, found?.projectId);
  if (found === undefined || other === undefined) return;
  warn(`the previous key, ${formatKey(found)}, ${other}. To revoke it before its grace ends, set revokeNow to its id`);
}

/** Says that nothing shows whether a key that is taken over is limited as the program says. */
export function reportUnsaid({ projectId }: KeyInputs, found: ApiKeyRecord, { warn }: Log): void {
  if (compareProject(projectId, found.projectId) !== "unsaid") return;
  warn(
    `the service does not say whether key ${formatKey(found)} is limited to projectId ${projectId}. Check in its console what ` +
      "the key can access",
  );
}
