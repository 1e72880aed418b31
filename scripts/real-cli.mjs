// Builds the real Pulumi CLI from the Go module proxy, for tests.
//   npm run real-cli                           prints the folder that has it, a cache outside the tree
//   npm run real-cli -- npm run test:e2e       runs a command whose engine is this CLI; without Go, the embedded engine
//   npm run real-cli -- --pulumi 3.139.0 ...   another version
import { execFileSync, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { fileURLToPath } from "node:url";
import { cacheFolder } from "./lib/cache.mjs";

const SOURCES = fileURLToPath(new URL("real-cli/", import.meta.url));

/** The version of the tests. Its folder pins all modules that it needs. */
export const VERSION = readdirSync(SOURCES).find((name) => /^\d+\.\d+\.\d+$/.test(name));
const MODULE = "github.com/pulumi/pulumi/pkg/v3/cmd/pulumi";

/** What stands beside the CLI: Pulumi's own hosts for Node are not on the module proxy. */
const HOSTS = ["pulumi-language-nodejs", "pulumi-resource-pulumi-nodejs", "no-inspect-loop.cjs"];

const isMain = process.argv[1] === fileURLToPath(import.meta.url);
if (isMain) {
  const [flag, named, ...rest] = process.argv.slice(2);
  const [version, command] = flag === "--pulumi" ? [named, rest] : [undefined, process.argv.slice(2)];
  try {
    if (command.length === 0) process.stdout.write(`${realCli(version)}\n`);
    else process.exitCode = runWithCli(command, version);
  } catch (error) {
    process.stderr.write(`${error.message}\n`);
    process.exitCode = 1;
  }
}

function runWithCli([file, ...args], version) {
  const shell = process.platform === "win32";
  // Whoever names a version wants no other engine.
  const env = version === undefined ? environmentForTests() : environmentWithCli(version);
  return spawnSync(file, args, { stdio: "inherit", shell, env }).status ?? 1;
}

/** The environment in which the engine is the real CLI. Throws if it cannot be built. */
export function environmentWithCli(version) {
  const PATH = [realCli(version), process.env.PATH].join(delimiter);
  return { ...process.env, PATH, KEYPLANE_ENGINE: "cli" };
}

/** The same for tests that can also run on the embedded engine: if the CLI cannot be built, it says why. */
export function environmentForTests() {
  try {
    return environmentWithCli();
  } catch (error) {
    process.stderr.write(`${error.message}\nThe tests run on the embedded engine instead.\n`);
    return process.env;
  }
}

/** Whether Go is installed, so that the CLI can be built. */
export function hasGo() {
  return spawnSync("go", ["version"], { stdio: "ignore" }).status === 0;
}

/** The folder with `pulumi` and its hosts for Node. Builds them if they are not in the cache. */
function realCli(version = VERSION) {
  if (!hasGo()) {
    const [, needed] = /^go (\S+)$/m.exec(readFileSync(join(SOURCES, VERSION, "go.mod"), "utf8")) ?? [];
    throw new Error(`The real Pulumi CLI is built with Go, which was not found. Install Go ${needed} or newer.`);
  }
  const folder = join(cacheFolder("real-cli"), `${version}-${digestOf(version)}`);
  if (!existsSync(join(folder, "pulumi"))) build(version, folder);
  return folder;
}

/** What the result depends on: the version of Go, the pinned modules, and the hosts. */
function digestOf(version) {
  const hash = createHash("sha256").update(execFileSync("go", ["env", "GOVERSION"]));
  const pinned = version === VERSION ? [join(version, "go.mod"), join(version, "go.sum")] : [];
  for (const file of [...pinned, ...HOSTS]) hash.update(readFileSync(join(SOURCES, file)));
  return hash.digest("hex").slice(0, 12);
}

function build(version, folder) {
  process.stderr.write(
    `Building the Pulumi CLI ${version} from the Go module proxy (about 5 minutes on 2 cores) ...\n`,
  );
  const work = mkdtempSync(join(tmpdir(), "real-cli-"));
  try {
    // In a folder of its own, so that Go changes nothing in the tree.
    if (version === VERSION) cpSync(join(SOURCES, version), work, { recursive: true });
    else resolveModules(version, work);
    // Older versions keep theirs in pkg.
    const places = ["sdk/v3/go/common", "pkg/v3"].map((place) => `github.com/pulumi/pulumi/${place}/version.Version`);
    const versionFlags = places.map((place) => `-X ${place}=v${version}`).join(" ");
    const result = join(work, "result");
    mkdirSync(result);
    const flags = ["build", "-trimpath", "-ldflags", `-s -w ${versionFlags}`, "-o", join(result, "pulumi")];
    execFileSync("go", [...flags, MODULE], {
      cwd: work,
      env: { ...process.env, GOFLAGS: "-mod=readonly" },
      stdio: ["ignore", "inherit", "inherit"],
    });
    for (const host of HOSTS) cpSync(join(SOURCES, host), join(result, host));
    mkdirSync(join(folder, ".."), { recursive: true });
    rmSync(folder, { recursive: true, force: true });
    move(result, folder);
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

/**
 * Lets Go find the modules of a version that is not pinned. They follow from the go.mod files of that version, and Go
 * compares each with its checksum database.
 */
function resolveModules(version, work) {
  const replaced = /^replace .*$/m.exec(readFileSync(join(SOURCES, VERSION, "go.mod"), "utf8"))?.[0];
  writeFileSync(join(work, "go.mod"), `module keyplane.test/real-cli\n\n${replaced}\n`);
  execFileSync("go", ["get", `${MODULE}@v${version}`], { cwd: work, stdio: ["ignore", "inherit", "inherit"] });
}

/** Moves a folder, also to another file system. The CLI comes last, because its presence shows that all is there. */
function move(from, to) {
  try {
    renameSync(from, to);
  } catch {
    for (const name of [...HOSTS, "pulumi"]) cpSync(join(from, name), join(to, name));
  }
}
