import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { npm } from "../lib/npm.mjs";
import { writeProject } from "./tools.mjs";

const page = new URL("../../docs/destinations.md", import.meta.url);

/** Type-checks the programs of docs/destinations.md with the newest versions of the packages that they use. */
export function checkDestinations(folder, tarball) {
  const programs = [...readFileSync(page, "utf8").matchAll(/^```ts\n([\s\S]*?)^```/gm)].map(([, program]) => program);
  const named = programs.flatMap((program) =>
    [...program.matchAll(/from "(@pulumi\/[^"]+)"/g)].map(([, name]) => name),
  );
  const packages = [...new Set(named)];
  if (packages.length < 3) throw new Error(`the page names only ${packages.length} packages`);
  writeProject(folder, {
    scripts: { check: "tsc --noEmit" },
    dependencies: {
      ...Object.fromEntries([...packages, "@pulumi/pulumi"].map((name) => [name, "latest"])),
      keyplane: `file:${tarball}`,
    },
    devDependencies: { "@types/node": "^22", typescript: "~6.0.3" },
  });
  const compilerOptions = { strict: true, target: "es2022", module: "nodenext", types: ["node"], skipLibCheck: true };
  writeFileSync(join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions }));
  for (const [at, program] of programs.entries()) writeFileSync(join(folder, `program-${at}.mts`), program);
  npm(["install", "--ignore-scripts"], folder);
  npm(["run", "check"], folder);
}
