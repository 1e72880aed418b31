import { type DeployedProgram, deploy } from "keyplane/testing";
import { afterEach, expect, test } from "vitest";

let deployment: DeployedProgram;

afterEach(() => deployment?.close());

test("the program creates two keys, passes them on, and shows no secret", async () => {
  deployment = await deploy(__dirname, { config: { release: "1" } });

  const { ciKeyName, ciKey, webUrl } = deployment.outputs;
  expect(ciKeyName).toMatch(/^ci-/);
  expect(ciKey).toMatch(/^kp_/);
  expect(webUrl).toMatch(/^postgres:\/\/web:kp_.+@db\.example\.com\/shop$/);
  expect(await deployment.keys()).toHaveLength(2);
  await deployment.expectNoSecrets();

  // One list shows whether an interrupted run has left keys behind. Then the run creates two keys.
  expect(deployment.requests).toEqual(["GET /api_keys", "POST /api_keys", "POST /api_keys"]);
  await deployment.up();
  expect(deployment.requests).toEqual([]);

  await deployment.destroy();
  expect(await deployment.keys()).toEqual([]);
});

test("a release rotates only the key of ci, and creates the new key before it revokes the old one", async () => {
  deployment = await deploy(__dirname, { config: { release: "1" } });
  const { ciKey, webUrl } = deployment.outputs;

  await deployment.up({ config: { release: "2" } });
  expect(deployment.requests).toEqual(["GET /api_keys", "POST /api_keys", "DELETE /api_keys/{key_id}"]);
  expect(deployment.outputs.ciKey).not.toBe(ciKey);
  expect(deployment.outputs.webUrl).toBe(webUrl);
  expect(await deployment.keys()).toHaveLength(2);
});

test("the key of web is rotated after 30 days, and the previous key is revoked a day later", async () => {
  deployment = await deploy(__dirname, { config: { release: "1" } });

  await deployment.advance("31d");
  await deployment.up();
  expect(deployment.changes).toContain("update web");
  expect(await deployment.keys()).toHaveLength(3);

  await deployment.advance("2d");
  await deployment.up();
  expect(await deployment.keys()).toHaveLength(2);
});

test("a failed deployment reports the program's error", async () => {
  await expect(deploy(__dirname)).rejects.toThrow("Missing required configuration variable");
});
