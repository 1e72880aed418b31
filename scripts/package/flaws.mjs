import { posix } from "node:path";

/** Everything that users need. Other files are in the package by mistake. */
const WANTED = [
  /^((CHANGELOG|README|SECURITY)\.md|LICENSE|package\.json)$/,
  /^docs\/[\w/-]+\.md$/,
  /^testing\/(control-plane|engine)\/README\.md$/,
  /^examples\/[\w-]+\/[\w.-]+\.(ts|mts|mjs|py|txt|json|yaml|yml|md)$/,
  /^dist\/(cli|provider|sdk\/(nodejs|plugin)|testing)\/[\w/-]+\.(js|d\.ts)$/,
];
const NEEDED = ["LICENSE", "README.md", "CHANGELOG.md", "package.json"];
const INSTALL_SCRIPTS = ["preinstall", "install", "postinstall", "prepare"];
const MOST_BYTES = 560_000;
const MOST_UNPACKED_BYTES = 1_900_000;

/**
 * Returns what is wrong with a package, in sentences.
 *
 * @param {{ files: string[], bytes: number, unpackedBytes: number }} contents - The content from `npm pack`.
 * @param {Record<string, unknown>} manifest - Its package.json.
 * @param {Record<string, string>} [documents] - The texts of its documents, by path.
 */
export function flawsOf({ files, bytes, unpackedBytes }, manifest, documents = {}) {
  const promised = [
    ...NEEDED,
    ...pathsIn([manifest.main, manifest.types, manifest.exports, manifest.bin, manifest.typesVersions]),
  ];
  return [
    ...files.filter((file) => !WANTED.some((form) => form.test(file))).map((file) => `${file} is not needed by users`),
    ...promised.filter((path) => !files.includes(path)).map((path) => `${path} is missing`),
    ...Object.entries(documents).flatMap(([path, text]) => {
      return brokenLinks(path, text, files).map((target) => `${path} links to ${target}, which is not in the package`);
    }),
    ...INSTALL_SCRIPTS.filter((name) => name in (manifest.scripts ?? {})).map(
      (name) => `the script ${name} would run when the package is installed`,
    ),
    ...(bytes > MOST_BYTES ? [`${bytes} bytes are too many (at most ${MOST_BYTES})`] : []),
    ...(unpackedBytes > MOST_UNPACKED_BYTES
      ? [`${unpackedBytes} bytes unpacked are too many (at most ${MOST_UNPACKED_BYTES})`]
      : []),
  ];
}

/**
 * Returns a document's relative links to files that are not in the package. The package leaves pictures out: a
 * reader of the installed documents has their alternative text.
 */
function brokenLinks(path, text, files) {
  const words = text.replace(/!\[[^\]]+\]\([\w/.-]+\.(?:png|svg)\)/g, "");
  const targets = [...words.matchAll(/\]\(([^)\s#]+)[^)\s]*\)/g)].map(([, target]) => target);
  const paths = targets
    .filter((target) => !/^https?:/.test(target))
    .map((target) => {
      return posix.join(posix.dirname(path), target).replace(/\/$/, "");
    });
  return paths.filter((target) => !files.some((file) => file === target || file.startsWith(`${target}/`)));
}

/** Returns all paths in a value of package.json, at any depth, as `npm pack` names them. */
function pathsIn(value) {
  if (typeof value === "string") return [value.replace(/^\.\//, "")];
  return value && typeof value === "object" ? Object.values(value).flatMap(pathsIn) : [];
}
