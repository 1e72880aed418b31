import { Struct } from "google-protobuf/google/protobuf/struct_pb";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { adapt } from "../../../provider/dynamic/adapter";
import { pulumiModules } from "../../../provider/dynamic/pulumi-internals";
import { KeyplaneError } from "../../../provider/errors";
import { KeyMemory } from "../../../provider/keys/key-list";
import { isSecret, type Members, membersOf } from "../../../provider/members";
import { service } from "../../../provider/plugin/server";
import { apiKey } from "../../../provider/resources/api-key";
import type { ResourceType } from "../../../provider/resources/resource";
import { conceal } from "../../../provider/secrets";
import { EngineLink } from "../../../provider/session/engine-link";
import { Session } from "../../../provider/session/session";
import { unmarked } from "../../../provider/session/values";

import provider = require("@pulumi/pulumi/proto/provider_pb");

const SECRET = "napi_0123456789abcdefghijk2mnop";
const HOSTILE = `\u001b]0;title\u0007\u001b[31m ${SECRET} \u202e\n${"word ".repeat(2_000)}`;

conceal(SECRET);

// The calls send nothing.
beforeAll(() => void vi.spyOn(Session.prototype, "keyList").mockReturnValue({ memory: new KeyMemory() } as never));
afterAll(() => void vi.restoreAllMocks());

const npm = (parts: Partial<ResourceType>) => adapt({ ...apiKey, ...parts });
const fails = (error: Error) => npm({ create: () => Promise.reject(error) }).create({}) as Promise<unknown>;
const isNotReady = (outputs: Members, why: string) => {
  const problem = new KeyplaneError("KP-NOT-READY", why);
  return npm({ create: async () => ({ id: "7", state: outputs, problem }) }).create({}) as Promise<unknown>;
};

/** Calls the plugin, and returns what it answers. */
function plugin(verb: string, request: unknown): Promise<provider.CheckResponse> {
  const handlers = service(new Session(pulumiModules), {});
  return new Promise((resolve, reject) => {
    (handlers[verb] as (call: unknown, done: (error: unknown, answer: provider.CheckResponse) => void) => void)(
      { request },
      (error, answer) => (error === null ? resolve(answer) : reject(error)),
    );
  });
}

const check = (type: string) =>
  new provider.CheckRequest().setType(type).setNews(Struct.fromJavaScript({ [HOSTILE]: 1 }));
const reasonOf = async (answer: Promise<provider.CheckResponse>) =>
  (await answer)
    .getFailuresList()
    .map((failure) => failure.getReason())
    .find((reason) => reason.includes("word"));

/** Sends a message to an engine that keeps it. */
async function logged(text: string): Promise<string> {
  let message = "";
  class EngineClient {
    log(request: { getMessage(): string }, _metadata: unknown, _options: unknown, done: (error: null) => void) {
      message = request.getMessage();
      done(null);
    }
  }
  const modules = { ...pulumiModules(), service: { EngineClient } as never };
  const link = new EngineLink("127.0.0.1:1", () => modules);
  link.log("", "info", text);
  await link.flush();
  return message;
}

const WAYS: Readonly<Record<string, () => Promise<unknown>>> = {
  "a message to the engine": () => logged(HOSTILE),
  "an error of the npm package": () => fails(new Error(HOSTILE)).catch((error: Error) => error.message),
  "a reason of the npm package why a key is not ready": () =>
    isNotReady({}, HOSTILE).catch(({ reasons }: { reasons: string[] }) => reasons.join()),
  "a failed check of the npm package": async () => {
    const answer = await npm({ rules: () => [{ property: "", reason: HOSTILE }] }).check?.({}, {});
    return answer?.failures?.map(({ reason }) => reason).join();
  },
  "an error of the plugin": () => plugin("check", check(HOSTILE)).catch(({ details }: { details: string }) => details),
  "a failed check of the plugin": () => reasonOf(plugin("check", check("keyplane:index:ApiKey"))),
  "a wrong setting of the plugin": () => reasonOf(plugin("checkConfig", check(""))),
};

test.each(Object.entries(WAYS))("%s leaves without secrets, on one printable line of limited length", async (_, of) => {
  const text = await of();
  expect(text).toMatch(/\[secret\] +word word/);
  expect(text).not.toMatch(/[\p{Cc}\u202e]/u);
  expect(String(text).length).toBeLessThanOrEqual(4_000);
});

test("the npm package marks the secrets of a key in each answer, also of one that is not ready", async () => {
  const outputs = { key: "k" };
  const verbs = npm({
    create: async () => ({ id: "7", state: outputs }),
    read: async () => outputs,
    update: async () => ({ state: outputs }),
  });
  const answers: unknown[] = [
    (await verbs.create({})).outs,
    (await verbs.read?.("7", {}))?.props,
    (await verbs.update?.("7", {}, {}))?.outs,
    await isNotReady(outputs, "it waits").catch(({ properties }) => properties),
  ];
  for (const { key } of answers.map(membersOf)) expect([isSecret(key), unmarked(key)]).toEqual([true, "k"]);
});
