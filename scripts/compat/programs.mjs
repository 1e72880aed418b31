const compiled = "name: compat\nmain: bin/\nruntime:\n  name: nodejs\n  options:\n    typescript: false\n";
const plain = "name: compat\nruntime: nodejs\n";

const typescript = `import { ApiKey, type ApiKeyArgs, getProjectOutput } from "keyplane";

const args: ApiKeyArgs = { rotateAfter: "90d", verify: true };
const app = new ApiKey("app", args);

export const region = getProjectOutput({ name: "shop" }).apply((project) => project.regionId);
export const keyName = app.name;
export const key = app.key;
`;

const esm = typescript.replace("type ApiKeyArgs, ", "").replace(": ApiKeyArgs", "");

const commonjs = `const { ApiKey, getProjectOutput } = require("keyplane");

const app = new ApiKey("app", { rotateAfter: "90d", verify: true });

exports.region = getProjectOutput({ name: "shop" }).apply((project) => project.regionId);
exports.keyName = app.name;
exports.key = app.key;
`;

/** The compiler's options of Pulumi's own project template, in the strictness that shows a flaw of our declarations. */
const tsconfig = (options) =>
  JSON.stringify({
    compilerOptions: { strict: true, target: "es2022", module: "nodenext", types: ["node"], ...options },
    files: ["index.ts"],
  });

const withTypes = { devDependencies: { "@types/node": "^20.19.43" } };

/** The same program in each form in which Pulumi runs one. */
export const programs = {
  CommonJS: { manifest: {}, files: { "Pulumi.yaml": plain, "index.js": commonjs } },
  ESM: { manifest: { type: "module", main: "index.js" }, files: { "Pulumi.yaml": plain, "index.js": esm } },
  TypeScript: {
    manifest: withTypes,
    files: { "Pulumi.yaml": plain, "index.ts": typescript, "tsconfig.json": tsconfig({}) },
  },
  compiled: {
    manifest: withTypes,
    files: { "Pulumi.yaml": compiled, "index.ts": typescript, "tsconfig.json": tsconfig({ outDir: "bin" }) },
    build: true,
  },
};
