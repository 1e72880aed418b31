import { type ControlPlane, type EngineName, startControlPlane } from "keyplane/testing";
import { describe, expect, test } from "vitest";
import { type FrontEnd, ON_CLI, StackUnderTest } from "./stack-under-test";

/** One command, after an optional change of the program, of its consumers, or of the account. */
interface Step {
  readonly command: "up" | "preview" | "refresh" | "destroy";
  readonly program?: string;
  /** The consumer that refuses its key. */
  readonly failing?: string;
  readonly before?: (stack: StackUnderTest) => Promise<unknown>;
}

const up = (program: string, more: Partial<Step> = {}): Step => ({ command: "up", program, ...more });
const refresh: Step = { command: "refresh" };
const destroy: Step = { command: "destroy" };

const key = (n: number, options = "{}") =>
  `const ci = new ApiKey("ci", { rotationTriggers: { n: ${n} } }, ${options});`;
const USED = 'consumer("app", ci); exports.key = ci.key; exports.name = ci.name;';
const component = (n: number) => `
  class Team extends pulumi.ComponentResource {
    constructor(name) {
      super("test:Team", name);
      const key = new RotatingApiKey(name, { gracePeriod: 0, rotationTriggers: { n: ${n} } }, { parent: this });
      consumer(name, key, { parent: this });
      this.registerOutputs({ keyId: key.keyId });
    }
  }
  new Team("web");`;

const revokeOldest = async ({ plane }: StackUnderTest) => {
  const [oldest] = (await plane.liveKeys()).map(({ id }) => id).sort();
  // A refresh tries a key of the last minute for longer.
  await plane.clock.advance(120_000);
  await plane.state.revokeKey(oldest ?? expect.fail("no key is live"));
};

const PROGRAMS: readonly (readonly [string, FrontEnd, readonly Step[]])[] = [
  [
    "a key with a secret output is previewed, created, kept and revoked",
    "npm package",
    [{ command: "preview", program: key(1) + USED }, up(key(1) + USED), up(key(1) + USED), destroy],
  ],
  ["a key is replaced before its dependent", "npm package", [up(key(1) + USED), up(key(2) + USED), destroy]],
  ["a key of the plugin is replaced before its dependent", "plugin", [up(key(1) + USED), up(key(2) + USED), destroy]],
  ["a key below a component rotates in place", "npm package", [up(component(1)), up(component(2)), up(""), destroy]],
  [
    "a key below a component rotates in place, with the plugin",
    "plugin",
    [up(component(1)), up(component(2)), destroy],
  ],
  [
    "a dependent fails in a rotation, and the next run goes on",
    "npm package",
    [up(key(1) + USED), up(key(2) + USED, { failing: "app" }), up(key(2) + USED), destroy],
  ],
  [
    "ignoreChanges hides a changed trigger",
    "plugin",
    [up(key(1)), up(key(2, '{ ignoreChanges: ["rotationTriggers"] }')), destroy],
  ],
  [
    "an alias renames a key",
    "npm package",
    [up(key(1)), up('new ApiKey("deploy", { rotationTriggers: { n: 1 } }, { aliases: [{ name: "ci" }] });'), destroy],
  ],
  [
    "a protected key is neither removed nor destroyed",
    "plugin",
    [up(key(1, "{ protect: true }")), up(""), destroy, up(key(1)), destroy],
  ],
  [
    "a refresh finds a key that was revoked by hand, and the next run makes another one",
    "npm package",
    [up(key(1) + USED), { ...refresh, before: revokeOldest }, up(key(1) + USED), destroy],
  ],
];

/** What a step did, without what differs from run to run. */
interface Seen {
  readonly step: string;
  readonly succeeded: boolean;
  readonly changes: readonly string[];
  readonly requests: readonly string[];
  readonly outputs: unknown;
  readonly state: unknown;
}

async function seenOn(engine: EngineName, frontEnd: FrontEnd, steps: readonly Step[]): Promise<Seen[]> {
  const plane = await startControlPlane({ clock: { mode: "real" } });
  const stack = await StackUnderTest.create(frontEnd, plane, "", { engine });
  try {
    const seen: Seen[] = [];
    for (const [index, step] of steps.entries()) seen.push(await seenIn(stack, step, `${index + 1}, ${step.command}`));
    expect(await plane.liveKeys()).toEqual([]);
    await stack.expectNoSecrets();
    return seen;
  } finally {
    await stack.workspace.remove();
    await plane.close();
  }
}

async function seenIn(stack: StackUnderTest, { command, program, failing = "", before }: Step, step: string) {
  const { workspace, plane } = stack;
  await before?.(stack);
  if (program !== undefined) await stack.setProgram(program);
  await workspace.setConfig("failing", failing);
  const since = (await plane.log()).length;
  const { exit, changes } = await stack.run(command, { mayFail: true });
  const requests = (await plane.log({ since })).map(({ method, route, path, query, effects }) => {
    const told = route === "/auth" ? query : "";
    return [method, route ?? path, told, ...effects.map(({ kind }) => kind)].filter(Boolean).join(" ");
  });
  const masked = await maskOf(plane);
  const { deployment } = await workspace.exportState({ showSecrets: true });
  return {
    step,
    succeeded: exit === 0,
    changes: changes.toSorted(),
    requests: requests.toSorted(),
    outputs: masked(await workspace.outputs({ showSecrets: true })),
    state: masked({
      // Steps that do not depend on each other end in any order.
      resources: (deployment.resources ?? []).toSorted((a, b) => order(a).localeCompare(order(b))),
      pending: deployment.pending_operations ?? [],
    }),
  };
}

function order({ urn, id = "" }: { readonly urn: string; readonly id?: string }): string {
  return `${urn} ${/^\d+$/.test(id) ? id : ""}`;
}

/** Fields of a resource that say when and from where it was written. An engine records only some of them. */
const LEFT_OUT: ReadonlySet<string> = new Set(["created", "modified", "sourcePosition", "stackTrace"]);

/** Properties whose values are random, or digests of what is. */
const RANDOM: ReadonlySet<string> = new Set(["__suffix", "__account", "digest"]);

/** Returns a function that replaces what is random, or depends on the clock or the address of the control plane. */
async function maskOf(plane: ControlPlane): Promise<(value: unknown) => unknown> {
  const secrets = await plane.secretsEverIssued();
  const texts = [...secrets.map((secret, index) => [secret, `SECRET ${index}`] as const), [plane.url, "URL"] as const];
  const patterns = [
    [/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, "UUID"],
    [/\d{4}-\d\d-\d\dT[\d:.]+Z/g, "TIME"],
    [/(?<=^ci-|^web-|^deploy-)[a-z0-9]{12}\b/g, "MARK"],
  ] as const;
  const clean = (text: string) => {
    const known = texts.reduce((rest, [value, name]) => rest.replaceAll(value, name), text);
    return patterns.reduce((rest, [pattern, name]) => rest.replaceAll(pattern, name), known);
  };
  const masked = (value: unknown): unknown => {
    if (typeof value === "string") return clean(value);
    if (Array.isArray(value)) return value.map(masked);
    if (typeof value !== "object" || value === null) return value;
    const entries = Object.entries(value).filter(([name]) => !LEFT_OUT.has(name));
    return Object.fromEntries(entries.map(([name, item]) => [name, RANDOM.has(name) ? typeof item : masked(item)]));
  };
  return masked;
}

describe.skipIf(!ON_CLI)(
  "compared with the Pulumi CLI, if the tests run on it, the embedded engine leaves the same state, outputs and requests:",
  () => {
    test.each(PROGRAMS)("%s (%s)", { timeout: 600_000 }, async (_about, frontEnd, steps) => {
      const embedded = await seenOn("embedded", frontEnd, steps);
      expect(embedded).toEqual(await seenOn("cli", frontEnd, steps));
    });
  },
);
