import { existsSync } from "node:fs";
import { afterEach, describe, expect, test } from "vitest";
import { type ControlPlane, startControlPlane } from "../../../testing/control-plane";
import { Workspace } from "../../../testing/workspace";

describe("removing a workspace", () => {
  let plane: ControlPlane | undefined;
  afterEach(() => plane?.close());

  test("fails if a file contains a secret of a control plane, and names the file but not the secret", async () => {
    plane = await startControlPlane();
    const { key } = await plane.state.createKey("ci");
    const text = `// ${Buffer.from(key).toString("base64")}`;
    const workspace = await Workspace.create({ program: { "index.js": text }, engine: "embedded" });
    const failure: Error = await workspace.remove().then(
      () => new Error("it did not fail"),
      (error) => error,
    );
    expect(failure.message).toMatch(/secrets appear in plain text:\n.* \(base64.*\) in .*index\.js/);
    expect(failure.message).not.toContain(key);
    expect(existsSync(workspace.directory)).toBe(false);
  });

  test("succeeds if all secrets are encrypted, and can be repeated", async () => {
    plane = await startControlPlane();
    const secretConfig = { "keyplane:apiKey": plane.apiKey };
    const workspace = await Workspace.create({ program: { "index.js": "" }, engine: "embedded", secretConfig });
    await workspace.remove();
    await workspace.remove();
  });
});
