import { searchSecrets } from "keyplane/testing";

/**
 * Searches all files of the run and all output for every secret ever created, raw and encoded.
 *
 * @param {Record<string, string>} texts - What was printed, by kind.
 */
export async function searchRun(texts, plane, workspace) {
  const issued = await plane.secretsEverIssued();
  const secrets = Object.fromEntries(
    issued.map((secret, index) => [index === 0 ? "admin key" : `key ${index}`, secret]),
  );
  return searchSecrets(secrets, { paths: [workspace.directory], texts });
}
