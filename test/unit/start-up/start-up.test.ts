import { execFileSync } from "node:child_process";
import { resolve, sep } from "node:path";
import { expect, test } from "vitest";

/** What a new process loads besides Pulumi, as paths below `dist` and names of packages. */
function loadedBy(script: string): string[] {
  const code = `require("@pulumi/pulumi");
const before = new Set(Object.keys(require.cache));
${script}
process.stdout.write(JSON.stringify(Object.keys(require.cache).filter((file) => !before.has(file))));`;
  const files = JSON.parse(execFileSync(process.execPath, ["-e", code], { encoding: "utf8" })) as string[];
  const own = `${resolve("dist")}${sep}`;
  return files.map((file) => {
    if (file.startsWith(own)) return file.slice(own.length).split(sep).join("/");
    return file.split(sep).slice(file.split(sep).lastIndexOf("node_modules") + 1)[0] ?? file;
  });
}

const talksToTheService = /^(provider\/(api|functions)\/|undici$)/;

test("a program that only declares resources loads no code for requests, so that it starts quickly", () => {
  const loaded = loadedBy('require("keyplane");');
  expect(loaded).toContain("sdk/nodejs/api-key.js");
  expect(loaded.filter((file) => talksToTheService.test(file) || file.startsWith("provider/http/"))).toEqual([]);
});

test("a program's first data source loads the rest, and its first request loads undici", () => {
  const loaded = loadedBy(`process.env.KEYPLANE_BASE_URL = "http://127.0.0.1:9/api/v2";
process.env.KEYPLANE_API_KEY = "kp_unused";
require("keyplane").getApiKeys().catch(() => {});`);
  expect(loaded).toContain("provider/functions/api-keys.js");
  expect(loaded).not.toContain("undici");
});

test("the host loads no code for requests in a run without changes", () => {
  const loaded = loadedBy(`process.env.KEYPLANE_BASE_URL = "http://127.0.0.1:9/api/v2";
process.env.KEYPLANE_API_KEY = "kp_unused";
const { ApiKey } = require("keyplane/provider");
void ApiKey.check({}, { resourceUrn: "urn:pulumi:dev::p::t::ci" }).then(({ inputs }) =>
  ApiKey.diff("1", { ...inputs, keyId: "1" }, inputs));`);
  expect(loaded).toContain("provider/resources/api-key.js");
  // This one only compares.
  expect(loaded.filter((file) => talksToTheService.test(file))).toEqual(["provider/api/keys/project-of-key.js"]);
  // The recipients are parsed and tried in each preview. The libraries that seal are loaded for a sealed key.
  expect(loaded).toContain("provider/seal/recipients.js");
  expect(loaded.filter((file) => /^(age-encryption|@noble)$/.test(file))).toEqual([]);
});
