import { createHash } from "node:crypto";
import { list } from "tar";

const SYSTEMS = ["darwin", "linux", "windows"];
const ARCHITECTURES = ["amd64", "arm64"];

/**
 * What keeps Pulumi from installing the plugin from a release with these files, in sentences.
 *
 * @param {Map<string, Buffer>} files - The archives and `SHA256SUMS`, by their names.
 * @param {string} name - The name of the package.
 * @param {string} version - Its version.
 */
export function flawsOfArchives(files, name, version) {
  const plugin = `pulumi-resource-${name}`;
  const wanted = SYSTEMS.flatMap((system) => {
    return ARCHITECTURES.map((architecture) => ({
      system,
      file: `${plugin}-v${version}-${system}-${architecture}.tar.gz`,
    }));
  });
  const names = ["SHA256SUMS", ...wanted.map(({ file }) => file)];
  return [
    ...[...files.keys()]
      .filter((file) => !names.includes(file))
      .map((file) => `${file} is no archive of version ${version}`),
    ...names.filter((file) => !files.has(file)).map((file) => `${file} is missing`),
    ...wanted
      .filter(({ file }) => files.has(file))
      .flatMap(({ file, system }) => {
        const bytes = files.get(file);
        const line = `${createHash("sha256").update(bytes).digest("hex")}  ${file}\n`;
        return [
          ...(files.get("SHA256SUMS")?.includes(line) ? [] : [`SHA256SUMS does not prove ${file}`]),
          ...flawsOfArchive(bytes, system, plugin).map((flaw) => `${file}: ${flaw}`),
        ];
      }),
  ];
}

function flawsOfArchive(bytes, system, plugin) {
  const entries = entriesOf(bytes);
  const executables = ["pulumi-resource-", plugin];
  const launchers = system === "windows" ? executables.map((each) => `${each}.cmd`) : [];
  const wanted = [...executables, ...launchers, "LICENSES.txt", "package.json"];
  return [
    ...wanted.filter((path) => !entries.some((entry) => entry.path === path)).map((path) => `${path} is missing`),
    ...entries.filter(({ path }) => !wanted.includes(path)).map(({ path }) => `${path} does not belong there`),
    ...entries.filter(({ type }) => type !== "File").map(({ path }) => `${path} is no regular file`),
    ...(system === "windows"
      ? []
      : entries.filter(({ path, mode }) => executables.includes(path) && mode !== 0o755)
    ).map(({ path }) => `${path} is not executable`),
  ];
}

function entriesOf(bytes) {
  const entries = [];
  const reader = list({ sync: true, onReadEntry: (entry) => entries.push(entry) });
  reader.end(bytes);
  return entries;
}
