import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { filesBelow, root, textOf } from "./source-files";

const files = filesBelow().filter((path) => !path.startsWith("LICENSE"));

/** The lines in which a pattern occurs, as `path:line`. */
function linesWith(pattern: RegExp): string[] {
  return files.flatMap((path) => {
    const lines = textOf(path).split("\n");
    return lines.flatMap((line, index) =>
      pattern.test(line) ? [`${path}:${index + 1}: ${line.trim().slice(0, 160)}`] : [],
    );
  });
}

test("no file names a package registry, because whoever installs the package chooses one", () => {
  expect(
    linesWith(/registry[.](npmjs|yarnpkg)|[.]npmjs[.]org|"resolved": "http[s:]|[/]artifactory[/]|verdaccio[:/]/),
  ).toEqual([]);
});

test("no file contains a path of a developer's machine", () => {
  expect(linesWith(/(^|[\s"'`(=:])([/](work|home|root|Users)[/]\w|[A-Z]:\\\\?Users)/)).toEqual([]);
});

test("the lock file and the sources have the version of package.json", () => {
  const { name, version } = JSON.parse(textOf("package.json"));
  const lock = JSON.parse(textOf("package-lock.json"));
  expect({ name: lock.name, version: lock.version }).toEqual({ name, version });
  expect(textOf("provider/version.ts")).toContain(`"${version}"`);
  // The policy pack is a package of its own, in the same version.
  expect(JSON.parse(textOf("examples/policy/package.json")).version).toBe(version);
  expect(textOf("examples/policy/README.md")).toContain(`keyplane-policy-${version}.tgz`);
});

test("packages without integrity in the lock file are builds of development tools for systems other than that of releases", () => {
  const { packages } = JSON.parse(textOf("package-lock.json")) as {
    packages: Record<
      string,
      {
        integrity?: string;
        link?: boolean;
        dev?: boolean;
        optional?: boolean;
        os?: string[];
        cpu?: string[];
        libc?: string[];
      }
    >;
  };
  const unchecked = Object.entries(packages).filter(([path, { integrity, link }]) => {
    return path.includes("node_modules/") && integrity === undefined && !link;
  });
  for (const [path, { dev, optional, os = [], cpu = [], libc = [] }] of unchecked) {
    expect({ path, dev, optional }).toEqual({ path, dev: true, optional: true });
    expect(os.includes("linux") && cpu.includes("x64") && !libc.includes("musl"), path).toBe(false);
  }
});

test("the lock file contains the optional packages of every system, so that `npm ci` works on all of them", () => {
  const { packages } = JSON.parse(textOf("package-lock.json")) as {
    packages: Record<string, { optionalDependencies?: Record<string, string> }>;
  };
  const missing = Object.entries(packages).flatMap(([path, { optionalDependencies = {} }]) => {
    return Object.keys(optionalDependencies).filter((name) => {
      return !(`node_modules/${name}` in packages || `${path}/node_modules/${name}` in packages);
    });
  });
  expect(missing).toEqual([]);
});

test("the lock file contains every example, because `npm ci` refuses a workspace that is missing there", () => {
  const { packages } = JSON.parse(textOf("package-lock.json")) as { packages: Record<string, unknown> };
  const examples = filesBelow("examples").filter((path) => /^examples\/[^/]+\/package\.json$/.test(path));
  for (const path of examples) {
    const { name, dependencies = {}, devDependencies = {} } = JSON.parse(textOf(path));
    expect(packages[path.replace("/package.json", "")]).toMatchObject({ name, dependencies, devDependencies });
  }
});

test("every file of the repository is text or a picture of the docs, so no downloaded package is among them", () => {
  const bytes = (path: string) => readFileSync(join(root, path));
  const isPicture = (path: string) =>
    /^docs\/[\w-]+\.png$/.test(path) && bytes(path).subarray(1, 4).toString() === "PNG";
  expect(filesBelow().filter((path) => bytes(path).includes(0) && !isPicture(path))).toEqual([]);
});
