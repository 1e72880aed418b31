import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { flawsOfRuns } from "../lib/run.mjs";

const page = new URL("../../docs/_index.md", import.meta.url);

/**
 * The languages for which the Pulumi CLI generates an SDK, and how each SDK is tried. Where it costs little, the sample of
 * docs/_index.md is compiled or run with the SDK.
 */
export const SDKS = [
  { language: "nodejs", name: "Node", tools: ["npm"], flawsOf: flawsInNode },
  { language: "python", name: "Python", tools: ["python3"], flawsOf: flawsInPython },
  { language: "go", name: "Go", tools: ["go"], flawsOf: flawsInGo },
  { language: "java", name: "Java", tools: ["pulumi-language-java", "mvn"], flawsOf: flawsInJava },
  { language: "dotnet", name: ".NET", tools: ["pulumi-language-dotnet", "dotnet"], flawsOf: flawsInDotnet },
];

/** Compiles the SDK, and loads it: it must have everything that the schema has. */
function flawsInNode(cwd, { schema }) {
  const names = [...Object.keys(schema.resources), ...Object.keys(schema.functions)].map((token) =>
    token.split(":").at(-1),
  );
  const program = `
    const sdk = require("./bin");
    const missing = ${JSON.stringify(["Provider", ...names])}.filter((name) => typeof sdk[name] !== "function");
    if (missing.length > 0) throw new Error("the SDK lacks " + missing.join(", "));`;
  return flawsOfRuns([
    ["npm", ["install", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"], { cwd }],
    [process.execPath, ["node_modules/typescript/bin/tsc"], { cwd }],
    // The compiled SDK reads its version there, as it is published.
    [process.execPath, ["-e", 'require("node:fs").copyFileSync("package.json", "bin/package.json")'], { cwd }],
    [process.execPath, ["-e", program], { cwd }],
  ]);
}

/** Installs the SDK in an environment of its own, and runs the sample with mocks. */
function flawsInPython(folder) {
  const bin = join(folder, "venv", process.platform === "win32" ? "Scripts" : "bin");
  const python = join(bin, "python");
  writeFileSync(join(folder, "sample.py"), `${MOCKS}\n${sampleIn("python")}`);
  return flawsOfRuns([
    ["python3", ["-m", "venv", join(folder, "venv")]],
    [python, ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", folder]],
    [python, ["sample.py"], { cwd: folder }],
  ]);
}

const MOCKS = `import pulumi

class Mocks(pulumi.runtime.Mocks):
    def new_resource(self, args):
        assert args.inputs == {"rotateAfter": "90d"}, args.inputs
        return "1", {**args.inputs, "name": "ci-1", "key": "secret"}

    def call(self, args):
        return {}

pulumi.runtime.set_mocks(Mocks())
`;

/** Compiles the sample with the SDK as a module beside it. */
function flawsInGo(folder, { schema }) {
  const module = schema.language.go.importBasePath.replace(/\/[^/]+$/, "");
  const cwd = join(folder, "sample");
  mkdirSync(cwd);
  writeFileSync(join(cwd, "main.go"), sampleIn("go"));
  const lines = ["module sample", "", "go 1.25", "", `require ${module} v0.0.0`, "", `replace ${module} => ../`, ""];
  writeFileSync(join(cwd, "go.mod"), lines.join("\n"));
  return flawsOfRuns([
    ["go", ["mod", "tidy"], { cwd }],
    ["go", ["vet", "."], { cwd }],
    ["go", ["build", "-o", join(folder, "sample.bin"), "."], { cwd }],
  ]);
}

/** Compiles the SDK and the sample with Maven, against the packages that the SDK's own build file names. */
function flawsInJava(cwd) {
  const packages = packagesIn(readFileSync(join(cwd, "build.gradle"), "utf8"));
  if (packages.length === 0) return ["its build.gradle names no package that it needs"];
  const sample = sampleIn("java");
  const [, name] = /^package ([\w.]+);$/m.exec(sample) ?? [];
  const folder = join(cwd, "src", "main", "java", ...name.split("."));
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "App.java"), sample);
  writeFileSync(join(cwd, "pom.xml"), pomWith(packages));
  return flawsOfRuns([["mvn", ["--batch-mode", "--quiet", "compile"], { cwd }]]);
}

/** The packages that a build file of Gradle names, such as `com.pulumi:pulumi:1.0.0`. */
export function packagesIn(gradle) {
  return [...gradle.matchAll(/^\s*implementation\("([^":]+):([^":]+):([^":]+)"\)$/gm)].map(
    ([, group, artifact, version]) => ({ group, artifact, version }),
  );
}

function pomWith(packages) {
  const dependencies = packages.map(
    ({ group, artifact, version }) =>
      `<dependency><groupId>${group}</groupId><artifactId>${artifact}</artifactId><version>${version}</version></dependency>`,
  );
  return `<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion>
  <groupId>sample</groupId><artifactId>sample</artifactId><version>1</version>
  <properties>
    <maven.compiler.source>11</maven.compiler.source><maven.compiler.target>11</maven.compiler.target>
    <project.build.sourceEncoding>UTF-8</project.build.sourceEncoding>
  </properties>
  <dependencies>${dependencies.join("")}</dependencies>
</project>
`;
}

function flawsInDotnet(cwd) {
  return flawsOfRuns([["dotnet", ["build", "--nologo", "--verbosity", "quiet"], { cwd }]]);
}

/** The sample of a language in docs/_index.md. */
function sampleIn(language) {
  const [, sample] =
    new RegExp(`^\`\`\`${language}\\n([\\s\\S]+?)^\`\`\`$`, "m").exec(readFileSync(page, "utf8")) ?? [];
  if (sample === undefined) throw new Error(`docs/_index.md has no sample in ${language}`);
  return sample;
}
