import { createHash } from "node:crypto";
import { list } from "tar";
import { archiveNameFor } from "../plugin/archives.mjs";
import { filesFor, version } from "../plugin/bundle.mjs";

/**
 * What keeps Pulumi from installing the plugin from a release with these files, in sentences.
 *
 * @param {Map<string, Buffer>} files - The archives and `SHA256SUMS`, by their names.
 * @param {readonly string[]} systems - The systems for which there must be an archive, as in `SYSTEMS`.
 */
export function flawsOfArchives(files, systems) {
  const wanted = systems.map((system) => ({ system, file: archiveNameFor(system) }));
  const names = ["SHA256SUMS", ...wanted.map(({ file }) => file)];
  return [
    ...[...files.keys()]
      .filter((file) => !names.includes(file))
      .map((file) => `${file} is no archive of version ${version()}`),
    ...names.filter((file) => !files.has(file)).map((file) => `${file} is missing`),
    ...wanted
      .filter(({ file }) => files.has(file))
      .flatMap(({ file, system }) => {
        const bytes = files.get(file);
        const line = `${createHash("sha256").update(bytes).digest("hex")}  ${file}\n`;
        return [
          ...(files.get("SHA256SUMS")?.includes(line) ? [] : [`SHA256SUMS does not prove ${file}`]),
          ...flawsOfArchive(bytes, system).map((flaw) => `${file}: ${flaw}`),
        ];
      }),
  ];
}

function flawsOfArchive(bytes, system) {
  const entries = entriesOf(bytes);
  const [plugin, starter, ...texts] = filesFor(system);
  const wanted = [plugin, starter, ...texts];
  return [
    ...wanted.filter((path) => !entries.some((entry) => entry.path === path)).map((path) => `${path} is missing`),
    ...entries.filter(({ path }) => !wanted.includes(path)).map(({ path }) => `${path} does not belong there`),
    ...entries.filter(({ type }) => type !== "File").map(({ path }) => `${path} is no regular file`),
    ...entries
      .filter(({ path, mode }) => [plugin, starter].includes(path) && mode !== 0o755)
      .map(({ path }) => `${path} is not executable`),
  ];
}

function entriesOf(bytes) {
  const entries = [];
  const reader = list({ sync: true, onReadEntry: (entry) => entries.push(entry) });
  reader.end(bytes);
  return entries;
}
