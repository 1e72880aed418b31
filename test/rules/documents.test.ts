import { existsSync } from "node:fs";
import { join, posix } from "node:path";
import { expect, test } from "vitest";
import { SETTINGS } from "../../provider/settings/settings";
import { type Snippet, snippetsOf, typeErrorsOf } from "./snippets";
import { filesBelow, root, sourcesBelow, textOf } from "./source-files";

const documents = filesBelow().filter((path) => path.endsWith(".md"));
const index = textOf("docs/README.md");

test.each(["CommonJS", "ES modules"] as const)(
  "every TypeScript and JavaScript snippet in the documents and in the SDK's comments compiles as a separate program with %s",
  (modules) => {
    const paths = [...documents, ...sourcesBelow("sdk")];
    const snippets = paths.flatMap((path) => [...snippetsOf(path, "ts"), ...snippetsOf(path, "js")]);
    expect(snippets.length).toBeGreaterThan(40);
    // `require` is how a CommonJS program imports.
    const isChecked = ({ language }: Snippet) => language === "ts" || modules === "CommonJS";
    expect(typeErrorsOf(snippets.filter(isChecked), modules)).toEqual([]);
  },
);

test("a wrong snippet does not compile", () => {
  const snippet = (text: string, language: "ts" | "js" = "ts") => [{ place: "here", text, language }];
  const wrong = snippet('import { ApiKey } from "keyplane";\nnew ApiKey("ci", { rotateAftr: "90d" });');
  expect(typeErrorsOf(wrong, "CommonJS")).toEqual([expect.stringContaining("rotateAftr")]);
  const modern = snippet("export const two = await Promise.resolve(2);");
  expect(typeErrorsOf(modern, "ES modules")).toEqual([]);
  expect(typeErrorsOf(modern, "CommonJS")).toEqual([expect.stringContaining("await")]);
  expect(typeErrorsOf(snippet("const two = ;", "js"), "CommonJS")).not.toEqual([]);
});

/** Commands of other tools that the documents may show. */
const otherCommands =
  /^(pulumi (new|up|preview|refresh|destroy|cancel|import|config (set|rm)|stack (init|output|export)|state delete|plugin install|package add)|go mod init|gh attestation verify|age(-keygen)?|kubeseal|aws kms|gcloud kms|az keyvault key|openssl (req|pkey|pkeyutl)|npm (install|init|pkg|pack|ci|start)|pnpm config set|git (clone|diff --cached)|curl|printf|mkdir|cp|cd|export|umask|kill)\b/;

test("every command that the documents show exists", () => {
  const { scripts } = JSON.parse(textOf("package.json"));
  const cli = textOf("cli/keyplane.ts");
  const engine = textOf("testing/engine/main.ts");
  const known = (command: string, folder: string): boolean => {
    const [, script] = /^(?:[A-Z_]+=\S+ )*npm (?:run )?([\w:-]+)/.exec(command) ?? [];
    if (script !== undefined && script in scripts) return true;
    const [, own] = /^npx keyplane ([\w-]+)/.exec(command) ?? [];
    if (own !== undefined) return new RegExp(`^  ${own}:`, "m").test(cli);
    const [, ofEngine] = /^npx keyplane-engine ([\w-]+)/.exec(command) ?? [];
    if (ofEngine !== undefined) return new RegExp(`^  ${ofEngine}:|"${ofEngine}"`, "m").test(engine);
    const [, file] = /^(?:[A-Z_]+=\S+ )*node (?:node_modules\/keyplane\/)?(\S+)/.exec(command) ?? [];
    if (file !== undefined) return existsSync(`${root}/${file}`) || existsSync(posix.join(root, folder, file));
    return otherCommands.test(command);
  };
  const commands = documents.flatMap((path) => {
    return snippetsOf(path, "sh").flatMap(({ place, text }) => {
      const lines = text.replace(/\\\n\s*/g, "").split("\n");
      return lines.filter((line) => /^\w/.test(line)).map((line) => ({ place, line }));
    });
  });
  expect(commands.length).toBeGreaterThan(10);
  expect(commands.filter(({ line, place }) => !known(line, posix.dirname(place)))).toEqual([]);
});

test("every link in the documents leads to an existing file", () => {
  const broken = documents.flatMap((path) => {
    const targets = [...textOf(path).matchAll(/\]\(([^)\s]+)\)/g)].map(([, target = ""]) => target);
    const files = targets.filter((target) => !/^(https?:|#)/.test(target)).map((target) => target.split("#")[0] ?? "");
    return files
      .filter((file) => !existsSync(posix.join(root, posix.dirname(path), file)))
      .map((file) => `${path} -> ${file}`);
  });
  expect(broken).toEqual([]);
});

test("every table in the documents fits into 120 columns, so that a terminal shows its rows whole", () => {
  const rows = documents.flatMap((path) => {
    const lines = textOf(path).split("\n");
    return lines.flatMap((line, at) => (/^\s*\|/.test(line) && line.length > 120 ? [{ path, at: at + 1 }] : []));
  });
  expect(rows).toEqual([]);
});

/** The anchors of a document's headings, as GitHub makes them. */
function anchorsIn(path: string): string[] {
  const headings = [...textOf(path).matchAll(/^#+ (.+)$/gm)].map(([, heading = ""]) => heading);
  const words = headings.map((heading) => heading.replace(/\[([^\]]*)\]\([^)]*\)/g, "$1").toLowerCase());
  return words.map((text) => text.replace(/[^\w\- ]/g, "").replaceAll(" ", "-"));
}

test("every link to a heading in the documents leads to an existing heading", () => {
  const links = documents.flatMap((path) => {
    const targets = [...textOf(path).matchAll(/\]\(([^)\s:#]*)#([^)\s]+)\)/g)];
    return targets.map(([, file = "", anchor = ""]) => {
      return { path, file: file === "" ? path : posix.join(posix.dirname(path), file), anchor };
    });
  });
  expect(links.length).toBeGreaterThan(30);
  expect(links.filter(({ file, anchor }) => !anchorsIn(file).includes(anchor))).toEqual([]);
});

/** The settings in a table of a page, with their variables and defaults. */
function settingsIn(page: string): unknown[] {
  const rows = textOf(page).matchAll(/^\| `keyplane:(\w+)` +\| `(\w+)` +\| (\S+) +\|/gm);
  return Array.from(rows, ([, name, env, fallback]) => [name, env, fallback?.replaceAll("`", "")]);
}

test("the documents name exactly the settings that the provider reads, and that of the plugin those of the plugin", () => {
  const settings = Object.entries(SETTINGS).map(([name, { env, fallback }]) => [name, env, fallback ?? "required"]);
  expect(settingsIn("docs/configuration.md")).toEqual(settings);
  const ofPlugin = settings.filter(([name]) => name !== "accounts");
  expect(settingsIn("docs/installation-configuration.md")).toEqual(ofPlugin);
});

test("every example has a README, and the index of the documents links to it", () => {
  const examples = filesBelow("examples").flatMap((path) => /^examples\/([^/]+)\/Pulumi\.yaml$/.exec(path)?.[1] ?? []);
  expect(examples.length).toBeGreaterThan(2);
  for (const example of examples) {
    expect(documents).toContain(`examples/${example}/README.md`);
    expect(index).toContain(`(../examples/${example})`);
  }
});

test("the index of the documents links to every document but the pages that the Pulumi Registry shows", () => {
  const pages = filesBelow("docs").flatMap((path) => (path.endsWith(".md") ? [path.replace("docs/", "")] : []));
  expect(pages).toContain("teams.md");
  const unlinked = pages.filter((path) => path !== "README.md" && !index.includes(`(${path})`));
  expect(unlinked.sort()).toEqual(["_index.md", "installation-configuration.md"]);
});

test("every file and folder that the pages for contributors name exists", () => {
  const contributing = textOf("CONTRIBUTING.md");
  const [, layout = ""] = contributing.split("## Layout\n");
  const rows = [...layout.matchAll(/^\| `([^`]+)`/gm)].map(([, folder = ""]) => folder);
  const named = [textOf("ARCHITECTURE.md"), contributing].flatMap((page) =>
    [...page.matchAll(/`((?:[\w.-]+\/)+(?:[\w-]+(?:\.\w+)+)?)`/g)].map(([, path = ""]) => path),
  );
  expect(named.length).toBeGreaterThan(80);
  // A row of the layout also names folders in its own folder. The build makes `bin/`.
  const exists = (path: string) => path === "bin/" || ["", ...rows].some((home) => existsSync(join(root, home, path)));
  expect(named.filter((path) => !exists(path))).toEqual([]);
});

/** For each promise in ARCHITECTURE.md, the name of the test that fails without it. */
const HELD_BY: Readonly<Record<string, string>> = {
  "A key not ready in time is recorded":
    "Ctrl+C during a wait records the key as not ready, and the next up goes on with the same key",
  "Ctrl+C finishes a creation that was sent":
    "Ctrl+C during a creation lets it finish and be recorded, and the next up creates no other key",
  "A signal to a run loses no key": "leaves no key that is not recorded: %s to %s",
  "The next run finishes an interrupted one":
    "the next up has one key for each resource, if it was killed %s the creations took effect",
  "The state of another stack revokes no key": "a state is that of the operation's stack",
  "A key that is just being made stays live": "a pending creation",
  "No key is revoked on a guess":
    "of all combinations, a key is revoked only if a proof names it, and nobody has it or has used it",
  "No two keys of a stack have one name":
    "no two requests of a resource have one name, whatever the prefix and the deadline",
  "A key that somebody may have stays live": "an update has ended since a time",
  "An outdated state revokes no key": "from before the run is %s",
  "Consumers have the whole grace to switch": "a rotation was delivered",
  "A used key stays live until `maxOverlap`":
    "a used key is revoked only after its quiet period, at its deadline, or at maxOverlap",
  "A lost answer leaves no second key": "ends with one live key, under the next number, after %s",
  "A wrong account or address loses no key":
    "in another account, nothing is created, revoked or forgotten, and at home the stack goes on",
  "A killed run creates nothing more": "a host of the %s that outlives its engine creates no key and revokes none",
  "A destroy can be repeated":
    "in the revocation of a previous key and in a destroy, the next run has nothing left to revoke",
  "No text shows a secret": "is found with every character escaped %s",
  "A run sends as few requests as possible": "costs one request for any number of simultaneous readers",
  "`reap` ends a key after its deadline": "revokes the keys past their deadline, used or not, and no other key",
};

test("every promise of the architecture page has a file and an existing test", () => {
  const [, table = ""] = textOf("ARCHITECTURE.md").split("## Where each promise is kept\n");
  const rows = [...table.matchAll(/^\| (.+?) +\| `([^`]+)` +\| `([^`]+)` +\|$/gm)];
  expect(rows.map(([, promise]) => promise)).toEqual(Object.keys(HELD_BY));
  for (const [, promise = "", file = "", tests = ""] of rows) {
    expect(existsSync(join(root, file)), file).toBe(true);
    expect(textOf(`test/${tests}`), promise).toContain(`"${HELD_BY[promise]}"`);
  }
});

test("every npm script that CONTRIBUTING.md names exists", () => {
  const { scripts } = JSON.parse(textOf("package.json"));
  const named = [...textOf("CONTRIBUTING.md").matchAll(/(?:`|^)npm run ([\w:-]+)/gm)].map(([, name]) => String(name));
  expect(named.length).toBeGreaterThan(10);
  expect(named.filter((name) => !(name in scripts))).toEqual([]);
});
