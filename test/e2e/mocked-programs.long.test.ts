import { execFile } from "node:child_process";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { examples } from "./stack-under-test";

const run = promisify(execFile);
const root = join(__dirname, "..", "..");

test("the unit test with mocks in the documentation passes as it is shown", async () => {
  const page = await readFile(join(root, "docs", "testing.md"), "utf8");
  const [, shown] = /^```ts\n((?:(?!^```)[\s\S])*setMocks[\s\S]*?)^```/m.exec(page) ?? expect.fail("no test is shown");
  const parent = join(examples, "testing-your-program", ".tmp");
  await mkdir(parent, { recursive: true });
  // The test is in the folder of an example, where it finds its packages.
  const folder = await mkdtemp(join(parent, "mocks-"));
  try {
    await writeFile(join(folder, "mocks.test.ts"), shown ?? "");
    const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith("VITEST")));
    const vitest = join(root, "node_modules", "vitest", "vitest.mjs");
    const ran = run(process.execPath, [vitest, "run", "--root", folder], { env: { ...env, NO_COLOR: "1" } });
    // If the test fails, the error shows its output.
    expect((await ran).stdout).toMatch(/Tests {2}1 passed \(1\)/);
  } finally {
    await rm(folder, { recursive: true });
  }
});

/** Compiles modules as Jest does: in a way that has no `import()`, which then ends the process. */
const AS_JEST = `
  const Module = require("node:module");
  const { compileFunction } = require("node:vm");
  Module.prototype._compile = function (text, filename) {
    const names = ["exports", "require", "module", "__filename", "__dirname"];
    const run = compileFunction(text.replace(/^#!.*/, ""), names, { filename });
    return run.call(this.exports, this.exports, Module.createRequire(filename), this, filename, require("node:path").dirname(filename));
  };
`;

test("a unit test with mocks works in a test runner without `import()`, such as Jest", async () => {
  const program = `
    const pulumi = require("@pulumi/pulumi");
    pulumi.runtime.setMocks({
      newResource: ({ name, inputs }) => ({ id: name, state: { ...inputs, key: "key of " + name } }),
      call: ({ inputs }) => ({ id: "id-of-" + inputs.name }),
    });
    const { ApiKey, getProject, ProjectReady, RotatingApiKey } = require("keyplane");
    const { startControlPlane } = require("keyplane/testing");
    new ProjectReady("ready", { projectId: "p" });
    const keys = [new ApiKey("a"), new RotatingApiKey("b")].map(({ key }) => key);
    pulumi.all(keys).apply(async (known) => {
      const { id } = await getProject({ name: "web" });
      await (await startControlPlane()).close();
      console.log(known.join(), id);
    });
  `;
  const options = { cwd: join(examples, "testing-your-program") };
  const { stdout } = await run(process.execPath, ["-e", AS_JEST + program], options);
  expect(stdout).toBe("key of a,key of b id-of-web\n");
});
