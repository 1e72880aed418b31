import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { flawsOfRuns, run } from "../lib/run.mjs";
import { archiveNameFor } from "../plugin/archives.mjs";
import { THIS_SYSTEM } from "../plugin/node.mjs";
import { SDKS } from "./sdks.mjs";

const schemaFile = fileURLToPath(new URL("../../provider/plugin/schema.json", import.meta.url));

/** What Pulumi's own CLI says about a release, and the SDKs that it generates. */
export const CLI_PARTS = [
  {
    name: "the schema, judged by the Pulumi CLI",
    tools: ["pulumi"],
    judge: (context) => flawsOfRuns([["pulumi", ["schema", "check", schemaFile], cliOptions(context)]]),
  },
  { name: "the archive, installed by the Pulumi CLI", tools: ["pulumi"], judge: flawsOfPluginInstall },
  ...SDKS.map(({ language, name, tools, flawsOf }) => ({
    name: `the SDK for ${name}, generated and tried`,
    tools: ["pulumi", ...tools],
    judge: (context) => flawsOfSdk(language, flawsOf, context),
  })),
];

function flawsOfPluginInstall(context) {
  const { archives, folder, version, schema } = context;
  const name = archiveNameFor(THIS_SYSTEM);
  const file = join(folder, name);
  writeFileSync(file, archives().get(name));
  const install = ["plugin", "install", "resource", schema.name, `v${version}`, "--file", file];
  const flaws = flawsOfRuns([["pulumi", install, cliOptions(context)]]);
  if (flaws.length > 0) return flaws;
  const { succeeded, stdout, said } = run(
    "pulumi",
    ["package", "get-schema", `${schema.name}@${version}`],
    cliOptions(context),
  );
  if (!succeeded) return [said.trim()];
  // The CLI adds what follows from the rest of a schema, so only names can be compared.
  const answered = JSON.parse(stdout);
  return ["version", "resources", "functions", "types"].flatMap((member) => {
    return namesIn(answered[member]) === namesIn(schema[member]) ? [] : [`the installed plugin has other ${member}`];
  });
}

function namesIn(member) {
  return typeof member === "string" ? member : Object.keys(member).sort().join();
}

function flawsOfSdk(language, flawsOf, context) {
  const { folder } = context;
  const sdks = join(folder, "sdks");
  mkdirSync(sdks, { recursive: true });
  const generate = ["package", "gen-sdk", schemaFile, "--language", language, "--out", sdks];
  const flaws = flawsOfRuns([["pulumi", generate, cliOptions(context)]]);
  if (flaws.length > 0) return flaws;
  return flawsOf(join(sdks, language), context);
}

/** The CLI gets its own home, so that it finds no plugin and no login of the user. */
function cliOptions({ folder }) {
  const home = join(folder, "pulumi");
  mkdirSync(home, { recursive: true });
  const env = {
    PULUMI_HOME: home,
    PULUMI_BACKEND_URL: "file://~",
    PULUMI_SKIP_UPDATE_CHECK: "true",
    PULUMI_DISABLE_AUTOMATIC_PLUGIN_ACQUISITION: "true",
  };
  return { cwd: folder, env };
}
