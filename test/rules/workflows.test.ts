import { expect, test } from "vitest";
import { parse } from "yaml";
import { filesBelow, textOf } from "./source-files";

type Permissions = Record<string, string>;

interface Workflow {
  readonly on: Record<string, unknown>;
  readonly permissions?: Permissions;
  readonly jobs: Record<string, { readonly permissions?: Permissions; readonly "timeout-minutes"?: number }>;
}

const paths = filesBelow(".github/workflows");
const withActions = [...paths, ...filesBelow("examples").filter((path) => path.endsWith(".yml"))];
const workflows = paths.map((path): [string, Workflow] => [path, parse(textOf(path))]);

test("workflows use other people's actions only at a commit, which cannot be moved, and name the version beside it", () => {
  const uses = withActions.flatMap((path) => textOf(path).match(/\buses:.*/g) ?? []);
  expect(uses.length).toBeGreaterThan(5);
  expect(uses.filter((line) => !/^uses: [\w-]+\/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/.test(line))).toEqual([]);
});

interface Step {
  readonly run?: string;
  readonly uses?: string;
  readonly env?: Record<string, string>;
  readonly with?: Record<string, string>;
}

interface WithEnvironment {
  readonly env?: Record<string, string>;
  readonly jobs: Record<string, { readonly env?: Record<string, string>; readonly steps: readonly Step[] }>;
}

test("other people's code that is only installed gets no secret, in our workflows and in those that users copy", () => {
  const isSecret = (env: unknown) => /\bsecrets\b|github\.token/.test(JSON.stringify(env ?? {}));
  for (const path of withActions) {
    const { env, jobs } = parse(textOf(path)) as WithEnvironment;
    const wide = [env, ...Object.values(jobs).map((job) => job.env)];
    expect(wide.filter(isSecret), `${path}: environment of all steps`).toEqual([]);
    const steps = Object.values(jobs).flatMap((job) => job.steps);
    const installs = steps.filter(({ run = "" }) => /\bnpm (ci|i|install)\b/.test(run));
    expect(
      installs.filter((step) => isSecret(step.env)),
      path,
    ).toEqual([]);
  }
});

/** The steps of the workflows that users copy which get secrets: the beginning of their command, or their action. */
const COPIED: readonly (readonly [path: string, steps: readonly RegExp[]])[] = [
  [
    "scheduled-rotation/rotate.yml",
    [/^pulumi preview /, /^pulumi up /, /^pulumi preview --refresh --expect-no-changes /],
  ],
  ["scheduled-rotation/reap.yml", [/^npx --no-install keyplane reap --yes$/]],
  // Without its options, git leaves out what attributes declare as binary, and what a merge brings in.
  [
    "identify/identify.yml",
    [/git log --patch --text --diff-merges=separate (?:.|\n)*npx --no-install keyplane identify/],
  ],
  ["report/report.yml", [/^npx --no-install keyplane report --out report.html --stack \$STACKS$/]],
];

test.each(COPIED)(
  "%s installs without scripts, gives secrets only to the steps that need them, and may only read",
  (path, steps) => {
    const { jobs, permissions } = parse(textOf(`examples/${path}`)) as WithEnvironment & Workflow;
    const own = Object.values(jobs as WithEnvironment["jobs"]).flatMap((job) => job.steps);
    expect(own.flatMap(({ run = "" }) => run.match(/\bnpm .*/g) ?? [])).toEqual(["npm ci --ignore-scripts"]);
    const withSecrets = own.filter((step) => JSON.stringify([step.env, step.with]).includes("secrets."));
    expect(withSecrets.map(({ run = "" }) => run.trim())).toEqual(steps.map((step) => expect.stringMatching(step)));
    // The text of a push is data: it never becomes a part of a command.
    expect(own.flatMap(({ run = "" }) => run.match(/\$\{\{/g) ?? [])).toEqual([]);
    // The page is all that is published.
    const published = path === "report/report.yml" ? ["report.html"] : [];
    expect(own.flatMap((step) => step.with?.path ?? [])).toEqual(published);
    expect(permissions).toEqual({ contents: "read" });
  },
);

test("the example's schedule starts early in the window of its keys, whether the clocks of Berlin are 1 or 2 hours ahead", () => {
  const [, minute, hour] = /cron: "(\d+) (\d+) \* \* \*"/.exec(textOf("examples/scheduled-rotation/rotate.yml")) ?? [];
  const program = textOf("examples/scheduled-rotation/program.ts");
  const [, opens, closes] =
    /startTime: "(\d\d):00",\s+endTime: "(\d\d):00",\s+timeZone: "Europe\/Berlin"/.exec(program) ?? [];
  for (const ahead of [1, 2]) {
    const starts = Number(hour) + ahead + Number(minute) / 60;
    expect(starts).toBeGreaterThanOrEqual(Number(opens));
    expect(starts).toBeLessThan(Number(closes) - 4);
  }
});

test("keys past their deadline are revoked after the daily rotation", () => {
  const [rotate = 24, reap = 0] = ["rotate", "reap"].map((name) =>
    Number(/cron: "\d+ (\d+) \* \* \*"/.exec(textOf(`examples/scheduled-rotation/${name}.yml`))?.[1]),
  );
  expect(reap).toBeGreaterThan(rotate);
});

test("the same action has the same commit everywhere", () => {
  const commits = new Map<string, Set<string>>();
  for (const path of withActions) {
    for (const [, action = "", commit = ""] of textOf(path).matchAll(/uses: ([\w/-]+)@(.*)/g)) {
      commits.set(action, (commits.get(action) ?? new Set()).add(commit));
    }
  }
  expect([...commits].filter(([, { size }]) => size > 1)).toEqual([]);
});

test("workflows may only read, except that the jobs that publish may prove their identity and write the release", () => {
  expect(workflows.map(([, { permissions }]) => permissions)).toEqual(workflows.map(() => ({ contents: "read" })));
  const more = workflows.flatMap(([path, { jobs }]) => {
    return Object.entries(jobs).flatMap(([name, { permissions }]) =>
      permissions ? [{ path, name, permissions }] : [],
    );
  });
  expect(more).toEqual([
    { path: ".github/workflows/release.yml", name: "publish", permissions: { contents: "read", "id-token": "write" } },
    {
      path: ".github/workflows/release.yml",
      name: "attach",
      permissions: { contents: "write", "id-token": "write", attestations: "write" },
    },
  ]);
});

interface Job {
  readonly needs?: unknown;
  readonly strategy?: { readonly matrix: Record<string, readonly string[]> };
  readonly steps: readonly { readonly run?: string; readonly uses?: string; readonly with?: Record<string, string> }[];
}

const release = parse(textOf(".github/workflows/release.yml")) as { jobs: Record<string, Job> };
const { pack, check, start, publish, attach } = release.jobs;
const commandsOf = (job: Job | undefined) => (job?.steps ?? []).map(({ run = "" }) => run).join("\n");
const artifactsOf = (job: Job | undefined) => (job?.steps ?? []).map((step) => step.with?.name);

test("the published package is packed before any dependency's tests run, and is the one that was checked", () => {
  expect(pack?.needs).toBeUndefined();
  expect(check?.needs).toBe("pack");
  expect(publish?.needs).toEqual(["pack", "check", "start"]);
  expect(commandsOf(pack)).toContain("npm ci --ignore-scripts\n");
  expect(commandsOf(pack)).not.toMatch(/npm (test|install|ci$)|npm run (?!build)/m);
  expect(commandsOf(check)).not.toContain("npm pack");
  expect(commandsOf(check).match(/--tarball release\/\*\.tgz/g)).toHaveLength(2);
  // The name of an artifact can be used only once, so `check` cannot replace the upload of `pack`.
  for (const job of [pack, check, publish]) expect(artifactsOf(job)).toContain("package");
  expect(commandsOf(publish)).toMatch(/^\s*npm publish .*--ignore-scripts$/m);
});

test("a release follows only if the check of releases has judged its files, its tag and every setting", () => {
  expect(commandsOf(check)).toMatch(/^npm run release:check -- --release --tag "\$GITHUB_REF_NAME" /m);
  expect(check?.steps.find(({ run = "" }) => run.includes("release:check"))).not.toHaveProperty("continue-on-error");
  // What the workflow adds to the check are the package, its upload and the proof of its origin.
  const added = [publish, attach].flatMap((job) => job?.steps ?? []).flatMap(({ run = [] }) => run);
  expect(added.map((command) => command.split(" ").slice(0, 2).join(" "))).toEqual(["npm publish", "gh release"]);
});

test("the archives of the plugin are built with the package, checked by building them again, and attached with provenance", () => {
  expect(attach?.needs).toEqual(["pack", "check", "start"]);
  for (const job of [pack, check, attach]) expect(artifactsOf(job)).toContain("plugin");
  expect(commandsOf(pack)).toContain("npm run build:plugin -- --archives plugin");
  expect(commandsOf(check)).toMatch(/release:check -- --release .*--archives plugin\b/);
  // No code of the repository or of a dependency runs where a release can be written.
  expect(attach?.steps.map(({ uses, run }) => uses?.split("@")[0] ?? run?.split(" ").slice(0, 3).join(" "))).toEqual([
    "actions/download-artifact",
    "actions/attest",
    "gh release create",
  ]);
  expect(attach?.steps[1]?.with).toEqual({ "subject-path": "plugin/*.tar.gz" });
});

test("a release follows only if the plugin of each archive has started on its own system", () => {
  expect(commandsOf(start)).toContain("node scripts/plugin-start.mjs plugin");
  expect(start?.strategy?.matrix.system).toHaveLength(6);
});

test("other people's code never runs with the repository's rights, and their text is never put into a script", () => {
  for (const [path, { on }] of workflows) {
    expect(Object.keys(on), path).not.toContain("pull_request_target");
    expect(Object.keys(on), path).not.toContain("workflow_run");
    // A value of the event inside `run` would be code, but an environment variable is not.
    expect(textOf(path).match(/run:.*\$\{\{/g), path).toBeNull();
  }
});

test("every job has a time limit, so that it does not run for hours if something hangs", () => {
  const jobs = workflows.flatMap(([, workflow]) => Object.values(workflow.jobs));
  expect(jobs.filter((job) => (job["timeout-minutes"] ?? Number.POSITIVE_INFINITY) > 120)).toEqual([]);
});

test("every npm script that the workflows run exists in package.json", () => {
  const { scripts } = JSON.parse(textOf("package.json"));
  const named = paths.flatMap((path) => [...textOf(path).matchAll(/npm run ([\w:-]+)/g)].map(([, name]) => name ?? ""));
  expect(named.length).toBeGreaterThan(5);
  expect(named.filter((name) => !(name in scripts))).toEqual([]);
});
