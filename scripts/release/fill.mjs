import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { namesInSchema, namesOf, rename } from "./names.mjs";

const root = fileURLToPath(new URL("../..", import.meta.url));

/** What contains the names: files, and folders with documents and programs. */
const PLACES = ["README.md", "SECURITY.md", "docs", "examples", "provider/plugin/examples"];
const TEXT = /\.(md|py)$/;
const FOREIGN = new Set(["node_modules", "sdks", "venv"]);

/** The documents and programs that contain the names, as paths relative to the repository. */
export function textsWithNames() {
  return PLACES.flatMap((place) => (TEXT.test(place) ? [place] : textsBelow(place)));
}

/** The texts that contain other names than scripts/release/names.json, as they should be, by their paths. */
export function wrongTexts(settings, { from = recorded() } = {}) {
  const names = namesOf(settings);
  return textsWithNames().flatMap((path) => {
    const text = readFileSync(join(root, path), "utf8");
    // Placeholders can also come back, with a new document.
    const right = rename(rename(text, from, names), namesOf({}), names);
    return right === text ? [] : [{ path, right }];
  });
}

/** package.json with the addresses of scripts/release/names.json. */
export function manifestWith(manifest, { repository, homepage }) {
  const { repository: _, homepage: __, bugs: ___, ...others } = manifest;
  const addresses = {
    ...(homepage && { homepage }),
    ...(repository && {
      repository: { type: "git", url: `git+https://github.com/${repository}.git` },
      bugs: { url: `https://github.com/${repository}/issues` },
    }),
  };
  return Object.fromEntries(
    Object.entries(others).flatMap((entry) =>
      entry[0] === "license" ? [entry, ...Object.entries(addresses)] : [entry],
    ),
  );
}

/** The names of the last `npm run release:fill`. */
function recorded() {
  return namesInSchema(JSON.parse(readFileSync(join(root, "provider/plugin/schema.json"), "utf8")));
}

function textsBelow(folder) {
  return readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = `${folder}/${entry.name}`;
    if (entry.isDirectory()) return FOREIGN.has(entry.name) ? [] : textsBelow(path);
    return TEXT.test(path) ? [path] : [];
  });
}
