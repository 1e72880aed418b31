import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { loadConfig, loadProject, readSalt, setConfig, writeSalt } from "../command/config";
import { PassphraseSecrets } from "../state/secrets";

const creating = PassphraseSecrets.create("pw");

let folder = "";
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "keyplane-config-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

const write = (name: string, text: string) => writeFileSync(join(folder, name), text);

describe("a project", () => {
  test("is found from a folder below, with the path of its program", async () => {
    write("Pulumi.yaml", "name: proj\nruntime:\n  name: nodejs\n  options: { typescript: false }\nmain: src/app\n");
    mkdirSync(join(folder, "src", "app"), { recursive: true });
    expect(await loadProject(join(folder, "src", "app"))).toMatchObject({
      name: "proj",
      root: folder,
      directory: join(folder, "src", "app"),
      entry: ".",
      runtimeOptions: { typescript: false },
    });
  });

  test("with a file as main runs that file in its folder", async () => {
    write("Pulumi.yaml", "name: proj\nruntime: nodejs\nmain: src/index.ts\n");
    expect(await loadProject(folder)).toMatchObject({
      directory: join(folder, "src"),
      entry: join(folder, "src", "index.ts"),
    });
  });

  test.each([
    ["runtime: python", "does not support the runtime python"],
    ["runtime: nodejs\npackages: { a: b }", "does not support packages in a Pulumi.yaml"],
    ["runtime: nodejs\nplugins: { languages: [] }", "does not support plugins.languages"],
    ["runtime: nodejs\nplugins: { providers: [{ path: . }] }", "a plugin in plugins.providers has no name"],
    ["runtime: nodejs\nplugins: { providers: [{ name: x, path: gone }] }", "the path of the plugin x"],
  ])("with `%s` is refused by name", async (text, message) => {
    write("Pulumi.yaml", `name: proj\n${text}\n`);
    await expect(loadProject(folder)).rejects.toThrow(message);
  });
});

describe("a stack's configuration", () => {
  test("takes precedence over the project's, is namespaced, and contains only texts", async () => {
    write(
      "Pulumi.yaml",
      "name: proj\nruntime: nodejs\nconfig:\n  size: { type: integer, default: 3 }\n  keyplane:pollInterval: 5s\n  on: true\n",
    );
    write("Pulumi.dev.yaml", 'config:\n  proj:size: 7\n  proj:list: [1, { a: "b" }]\n');
    const { values } = await loadConfig(await loadProject(folder), "dev", await creating);
    expect(values).toEqual({
      "proj:size": "7",
      "keyplane:pollInterval": "5s",
      "proj:on": "true",
      "proj:list": '[1,{"a":"b"}]',
    });
  });

  test("that lacks required keys of the project is refused with the names of the keys", async () => {
    write("Pulumi.yaml", "name: proj\nruntime: nodejs\nconfig:\n  size: { type: integer }\n");
    const loading = loadConfig(await loadProject(folder), "dev", await creating);
    await expect(loading).rejects.toThrow("stack dev is missing configuration: proj:size");
  });

  test("is encrypted in the file if it is secret, decrypted when loaded, and keeps its comments", async () => {
    const secrets = await creating;
    write("Pulumi.yaml", "name: proj\nruntime: nodejs\n");
    write("Pulumi.dev.yaml", "# of the stack dev\nconfig:\n  proj:a: b # why\n");
    const project = await loadProject(folder);
    await writeSalt(project, "dev", secrets.salt);
    await setConfig(project, "dev", "keyplane:apiKey", "hidden-token", secrets);
    await setConfig(project, "dev", "plain", "007");
    const text = readFileSync(join(folder, "Pulumi.dev.yaml"), "utf8");
    expect(text).toContain("# of the stack dev\n");
    expect(text).toContain("# why");
    expect(text).not.toContain("hidden-token");
    expect(await readSalt(project, "dev")).toBe(secrets.salt);
    expect(await loadConfig(project, "dev", secrets)).toEqual({
      values: { "proj:a": "b", "keyplane:apiKey": "hidden-token", "proj:plain": "007" },
      secretKeys: ["keyplane:apiKey"],
    });
  });

  test("is secret as a whole if an object contains a secret", async () => {
    const secrets = await creating;
    write("Pulumi.yaml", "name: proj\nruntime: nodejs\n");
    write(
      "Pulumi.dev.yaml",
      `config:\n  proj:db:\n    user: me\n    password:\n      secure: ${secrets.encrypt("pass-word")}\n`,
    );
    expect(await loadConfig(await loadProject(folder), "dev", secrets)).toEqual({
      values: { "proj:db": '{"user":"me","password":"pass-word"}' },
      secretKeys: ["proj:db"],
    });
  });
});
