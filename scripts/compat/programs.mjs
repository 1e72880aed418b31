const compiled = "name: compat\nmain: bin/\nruntime:\n  name: nodejs\n  options:\n    typescript: false\n";
const plain = "name: compat\nruntime: nodejs\n";

const typed = `import { ApiKey, type ApiKeyArgs, getProjectOutput } from "keyplane";

const args: ApiKeyArgs = { rotateAfter: "90d", verify: true };
const app = new ApiKey("app", args);

export const region = getProjectOutput({ name: "shop" }).apply((project) => project.regionId);
export const keyName = app.name;
export const key = app.key;
`;

const esm = typed.replace("type ApiKeyArgs, ", "").replace(": ApiKeyArgs", "");

const commonjs = `const { ApiKey, getProjectOutput } = require("keyplane");

const app = new ApiKey("app", { rotateAfter: "90d", verify: true });

exports.region = getProjectOutput({ name: "shop" }).apply((project) => project.regionId);
exports.keyName = app.name;
exports.key = app.key;
`;

const tsconfig = (options) =>
  JSON.stringify({
    compilerOptions: { strict: true, target: "es2022", module: "nodenext", types: ["node"], ...options },
    files: ["index.ts"],
  });

// Older SDKs set another module resolution and do not support TypeScript 6. These are the settings of Pulumi's project
// template at that time. They also use the oldest type resolution, without `exports`.
const older = { typescript: "~5.9.3", options: { module: "commonjs", moduleResolution: "node" } };
const current = { typescript: "~6.0.3", options: {} };

/** The same program in each form that Pulumi supports: its files and the content of its package.json. */
export function programFor({ program, isLowest }) {
  const { typescript, options } = isLowest ? older : current;
  const withTypes = { devDependencies: { "@types/node": "^20.19.43", typescript } };
  switch (program) {
    case "CommonJS":
      return { manifest: {}, files: { "Pulumi.yaml": plain, "index.js": commonjs } };
    case "ESM":
      return { manifest: { type: "module", main: "index.js" }, files: { "Pulumi.yaml": plain, "index.js": esm } };
    case "TypeScript":
      return {
        manifest: withTypes,
        files: { "Pulumi.yaml": plain, "index.ts": typed, "tsconfig.json": tsconfig(options) },
      };
    case "compiled":
      return {
        manifest: withTypes,
        files: { "Pulumi.yaml": compiled, "index.ts": typed, "tsconfig.json": tsconfig({ outDir: "bin" }) },
        build: true,
      };
  }
}
