import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { flawsOfRuns } from "../lib/run.mjs";
import { flawsOf } from "../package/flaws.mjs";
import { archiveNameFor } from "../plugin/archives.mjs";
import { THIS_SYSTEM } from "../plugin/node.mjs";
import { flawsOfStarting } from "../plugin/starting.mjs";
import { renderSchema } from "../schema/render.mjs";
import { flawsOfArchives } from "./archive-flaws.mjs";
import { manifestWith, wrongTexts } from "./fill.mjs";
import { namesOf } from "./names.mjs";
import { flawsOfIndex, flawsOfInstallation } from "./page-flaws.mjs";
import { flawsOfSchema } from "./schema-flaws.mjs";

const root = fileURLToPath(new URL("../..", import.meta.url));
const require = createRequire(import.meta.url);
const read = (path) => readFileSync(join(root, path), "utf8");
const tool = (path) => join(root, "node_modules", path);

/** What a release has, judged by files alone. These parts need neither a registry nor a tool besides Node. */
export const PARTS = [
  { name: "the version", judge: flawsOfVersion },
  { name: "the names and addresses of scripts/release/names.json in documents and package.json", judge: flawsOfNames },
  { name: "provider/plugin/schema.json", judge: flawsOfCommittedSchema },
  { name: "docs/_index.md", judge: ({ schema }) => flawsOfIndex(read("docs/_index.md"), schema.displayName) },
  { name: "docs/installation-configuration.md", judge: flawsOfInstallationPage },
  { name: "the npm package: what it contains", judge: flawsOfPackage },
  {
    name: "the npm package: what Node and bundlers expect",
    judge: ({ packed }) =>
      flawsOfRuns([[process.execPath, [tool("publint/src/cli.js"), "run", packed().tarball, "--strict"]]]),
  },
  {
    // All module resolutions, including the oldest one, from CommonJS and ESM.
    name: "the npm package: its types",
    judge: ({ packed }) => {
      const args = [
        tool("@arethetypeswrong/cli/dist/index.js"),
        packed().tarball,
        "--profile",
        "strict",
        "--format",
        "ascii",
      ];
      return flawsOfRuns([[process.execPath, args]]);
    },
  },
  { name: "the archives of the plugin", judge: flawsOfAllArchives },
  { name: "the plugin in the archive starts", judge: flawsOfStart },
];

function flawsOfVersion({ version, tag, isRelease, settings, here }) {
  const [, title = ""] =
    new RegExp(`^## (${version.replaceAll(".", "\\.")}\\b.*)$`, "m").exec(read("CHANGELOG.md")) ?? [];
  return [
    ...(title === "" ? [`CHANGELOG.md has no section ${version}`] : []),
    ...(isRelease && /not released/.test(title) ? [`CHANGELOG.md says that ${version} is not released yet`] : []),
    ...(tag === undefined || tag === `v${version}` ? [] : [`the tag ${tag} is not v${version}`]),
    ...(isRelease && here !== undefined && settings.repository !== undefined && here !== settings.repository
      ? [`this is ${here}, but the repository in scripts/release/names.json is ${settings.repository}`]
      : []),
  ];
}

function flawsOfNames({ settings, manifest }) {
  const isFilled = JSON.stringify(manifestWith(manifest, settings)) === JSON.stringify(manifest);
  const wrong = [...wrongTexts(settings).map(({ path }) => path), ...(isFilled ? [] : ["package.json"])];
  return wrong.map((path) => `${path} has other names: run npm run release:fill`);
}

function flawsOfCommittedSchema({ schema, version, settings }) {
  const { resourceTypes } = require("../../dist/provider/resources/all");
  const { SETTINGS } = require("../../dist/provider/settings/settings");
  const isCurrent =
    renderSchema({ resourceTypes, settings: SETTINGS, release: settings }) === read("provider/plugin/schema.json");
  return [...flawsOfSchema(schema, version), ...(isCurrent ? [] : ["it is not current: run npm run build:schema"])];
}

function flawsOfInstallationPage({ schema, version, settings, manifest }) {
  const { python, go, java, dotnet } = namesOf(settings);
  return flawsOfInstallation(read("docs/installation-configuration.md"), {
    displayName: schema.displayName,
    name: schema.name,
    version,
    pluginDownloadURL: settings.pluginDownloadURL,
    packages: [manifest.name, python, go, `${java}.keyplane`, `${dotnet}.Keyplane`],
  });
}

function flawsOfPackage({ packed }) {
  const { contents, manifest } = packed();
  const documents = contents.files.filter((path) => path.endsWith(".md"));
  return flawsOf(contents, manifest, Object.fromEntries(documents.map((path) => [path, read(path)])));
}

/** Archives that were built before must be those of these sources, byte for byte. */
function flawsOfAllArchives({ archives, built, systems }) {
  const others = [...archives()].filter(([name, bytes]) => built().get(name)?.equals(bytes) === false);
  return [
    ...flawsOfArchives(archives(), systems),
    ...others.map(([name]) => `${name} was not built from these sources`),
  ];
}

function flawsOfStart({ archives, folder }) {
  return flawsOfStarting(archives().get(archiveNameFor(THIS_SYSTEM)), join(folder, "plugin"));
}
