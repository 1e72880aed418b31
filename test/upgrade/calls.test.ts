import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { drivenTime } from "keyplane/testing";
import { afterEach, beforeAll, describe, expect, test } from "vitest";
import { originFingerprint } from "../../provider/keys/account-fingerprint";
import { PluginUnderTest, stopPlugins, type Values } from "../contract/plugin-harness";
import { Recording, versions } from "./recording";

interface Call {
  readonly method: string;
  readonly request: Values;
  readonly response: Values;
}

let sendAgain: (client: PluginUnderTest["client"], call: Call) => Promise<Values>;

beforeAll(async () => {
  ({ sendAgain } = await import(pathToFileURL(join(__dirname, "..", "..", "scripts", "lib", "call-log.mjs")).href));
});

let recording: Recording;

afterEach(async () => {
  await stopPlugins();
  await recording.close();
});

/** Digests of triggers that anybody can make. This version replaces them. */
const DIGESTS = ["triggersDigest", "queuedTriggersDigest"];

/** The answer to a comparison with a state that has such a digest: an update, which keeps the key. */
const REPLACES_DIGEST = { changes: 2, diffsList: ["rotationTriggers"] };

/** The calls of each run. A run begins with the configuration of a new process. */
function runsOf(text: string): readonly (readonly Call[])[] {
  const runs: Call[][] = [];
  let isConfigured = true;
  for (const line of text.trimEnd().split("\n")) {
    const call = JSON.parse(line) as Call;
    const isSetUp = ["checkConfig", "diffConfig", "configure"].includes(call.method);
    if (isSetUp && isConfigured) runs.push([]);
    isConfigured = call.method === "configure" || !isSetUp;
    runs.at(-1)?.push(call);
  }
  return runs;
}

/** An answer without the digests in its properties, of which a refresh makes new ones, and without the seed of a new key. */
function comparable(answer: Values, { request }: Call): Values {
  const isNew = Object.keys((request.olds as Values | undefined) ?? {}).length === 0;
  const left = { properties: DIGESTS, inputs: isNew ? ["__nonce"] : [] };
  const others = Object.entries(left).flatMap(([part, names]) => {
    const values = answer[part];
    if (typeof values !== "object" || values === null) return [];
    return [[part, Object.fromEntries(Object.entries(values).filter(([name]) => !names.includes(name)))]];
  });
  return { ...answer, ...Object.fromEntries(others) };
}

/** Whether a call compares a resource that has such a digest. A refresh reports only what has changed outside Pulumi. */
function replacesDigest({ request }: Call, run: readonly Call[]): boolean {
  const isRefresh = run.some(({ method }) => method === "read");
  return !isRefresh && DIGESTS.some((name) => name in (request.olds as Values));
}

describe.each(versions.filter((version) => Recording.has(version, "plugin", "calls.jsonl")))(
  "the requests that the plugin of version %s got",
  (version) => {
    test("get the same answers from this version: no key is changed, replaced or gone", async () => {
      recording = await Recording.open(version, "plugin");
      const { plane } = recording;
      const runs = runsOf(recording.text("calls.jsonl"));
      expect(runs).toHaveLength(4);
      for (const run of runs) {
        const plugin = await PluginUnderTest.start(plane, { configured: false, env: await drivenTime(plane) });
        const withoutOrigins = (values: Values): Values =>
          JSON.parse(JSON.stringify(values).replaceAll(`.${originFingerprint(plane.url)}`, ""));
        for (const recorded of run) {
          // Versions before 0.2.0 recorded no origin. This one takes the first that it meets.
          const call = { ...recorded, response: withoutOrigins(recorded.response) };
          const answer = withoutOrigins(await sendAgain(plugin.client, recorded));
          // A new stack gets an owner of its own.
          const isNew = call.method === "checkConfig" && !("__owner" in (call.request.olds as Values));
          const { __owner: _, ...inputs } = (answer.inputs ?? {}) as Values;
          if (isNew) expect(call.response.inputs).toMatchObject(inputs);
          else if (call.method === "diff" && replacesDigest(call, run)) {
            expect(answer, String(call.request.urn)).toEqual({ ...call.response, ...REPLACES_DIGEST });
          } else if (call.method === "diff") expect(answer, String(call.request.urn)).toEqual(call.response);
          else
            expect(comparable(answer, call), `${call.method} ${call.request.urn}`).toMatchObject(
              comparable(call.response, call),
            );
          expect(answer).not.toHaveProperty("failuresList");
        }
      }
      // It was asked for no creation, update or deletion, and it made none.
      expect((await plane.log()).filter(({ method }) => method !== "GET")).toEqual([]);
    });
  },
);
