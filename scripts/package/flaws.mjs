import { posix } from "node:path";

/** Everything that users need; what else is there has got in by mistake. */
const WANTED = [
  /^((CHANGELOG|CONTRIBUTING|README|SECURITY)\.md|LICENSE|package\.json)$/,
  /^docs\/[\w/-]+\.(md|svg)$/,
  /^examples\/[\w-]+\/[\w.-]+\.(ts|mts|mjs|json|yaml|yml|md)$/,
  /^dist\/(cli|provider|sdk\/nodejs|testing)\/[\w/-]+\.(js|d\.ts)$/,
];
const NEEDED = ["LICENSE", "README.md", "CHANGELOG.md", "package.json"];
const INSTALL_SCRIPTS = ["preinstall", "install", "postinstall", "prepare"];
const MOST_BYTES = 500_000;
const MOST_UNPACKED_BYTES = 2_000_000;

/**
 * What is wrong with a package, in sentences.
 *
 * @param {{ files: string[], bytes: number, unpackedBytes: number }} contents - What `npm pack` put in.
 * @param {Record<string, unknown>} manifest - Its package.json.
 * @param {Record<string, string>} [documents] - The texts of its documents, by their paths.
 */
export function flawsOf({ files, bytes, unpackedBytes }, manifest, documents = {}) {
  const promised = [
    ...NEEDED,
    ...pathsIn([manifest.main, manifest.types, manifest.exports, manifest.bin, manifest.typesVersions]),
  ];
  return [
    ...files.filter((file) => !WANTED.some((form) => form.test(file))).map((file) => `${file} is of no use to users`),
    ...promised.filter((path) => !files.includes(path)).map((path) => `${path} is missing`),
    ...Object.entries(documents).flatMap(([path, text]) => {
      return brokenLinks(path, text, files).map((target) => `${path} leads to ${target}, which the package lacks`);
    }),
    ...INSTALL_SCRIPTS.filter((name) => name in (manifest.scripts ?? {})).map(
      (name) => `the script ${name} would run where the package is installed`,
    ),
    ...(bytes > MOST_BYTES ? [`${bytes} bytes are too many (at most ${MOST_BYTES})`] : []),
    ...(unpackedBytes > MOST_UNPACKED_BYTES
      ? [`${unpackedBytes} bytes unpacked are too many (at most ${MOST_UNPACKED_BYTES})`]
      : []),
  ];
}

/** Relative links of a document to what is not among the files. */
function brokenLinks(path, text, files) {
  const targets = [...text.matchAll(/\]\(([^)\s#]+)[^)\s]*\)/g)].map(([, target]) => target);
  const paths = targets
    .filter((target) => !/^https?:/.test(target))
    .map((target) => {
      return posix.join(posix.dirname(path), target).replace(/\/$/, "");
    });
  return paths.filter((target) => !files.some((file) => file === target || file.startsWith(`${target}/`)));
}

/** Every path in a value of package.json, however deep, as `npm pack` names it. */
function pathsIn(value) {
  if (typeof value === "string") return [value.replace(/^\.\//, "")];
  return value && typeof value === "object" ? Object.values(value).flatMap(pathsIn) : [];
}
