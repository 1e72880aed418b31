import { searchSecrets } from "keyplane/testing";

/**
 * Looks for every secret that ever existed, raw and encoded, in all files of the run and all that was printed.
 *
 * @param {Record<string, string>} texts - What was printed, by what it was.
 */
export async function searchRun(texts, plane, workspace) {
  const issued = await plane.secretsEverIssued();
  const secrets = Object.fromEntries(
    issued.map((secret, index) => [index === 0 ? "admin key" : `key ${index}`, secret]),
  );
  return searchSecrets(secrets, { paths: [workspace.directory], texts });
}
