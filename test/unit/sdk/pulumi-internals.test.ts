import * as pulumi from "@pulumi/pulumi";
import { afterEach, expect, test, vi } from "vitest";
import { onCancel } from "../../../provider/dynamic/pulumi-internals";
import { childrenOf, isMocked, rewriteDebug, showOnlyMessage } from "../../../sdk/nodejs/run/pulumi-internals";

const log = require("@pulumi/pulumi/log") as { debug: (message: string) => unknown };
const { debug } = log;

afterEach(() => {
  log.debug = debug;
});

test("Pulumi's mocks are recognized, so that a unit test sends no request", async () => {
  await pulumi.runtime.setMocks({ newResource: ({ name }) => ({ id: name, state: {} }), call: () => ({}) });
  expect(isMocked()).toBe(true);
});

test("Pulumi's components list their children, for which data sources wait", async () => {
  await pulumi.runtime.setMocks({ newResource: ({ name }) => ({ id: name, state: {} }), call: () => ({}) });
  const component = new pulumi.ComponentResource("test:index:Group", "group");
  const child = new pulumi.ComponentResource("test:index:Group", "child", {}, { parent: component });
  expect(childrenOf(component)).toEqual([child]);
  expect(childrenOf(child)).toEqual([]);
});

test("an error gets the mark with which Pulumi shows only its message, once", () => {
  const error = new Error("no");
  expect([showOnlyMessage(error), showOnlyMessage(error)]).toEqual([true, false]);
  expect((pulumi.RunError as { isInstance(error: unknown): boolean }).isInstance(error)).toBe(true);
});

test("Pulumi's debug messages are rewritten, and stay if Pulumi has none", () => {
  const shown = vi.fn();
  log.debug = shown;
  rewriteDebug((message) => message.toUpperCase());
  log.debug("a secret");
  expect(shown.mock.calls).toEqual([["A SECRET"]]);
  Object.assign(log, { debug: undefined });
  rewriteDebug((message) => message);
  expect(log.debug).toBeUndefined();
});

test("gRPC's look-up of handlers shows that the engine cancels the run, and a server without it is left alone", () => {
  const cancelled = vi.fn();
  const server = { _retrieveHandler: (path: unknown) => `handler of ${path}` };
  onCancel(cancelled, server);
  expect(server._retrieveHandler("/pulumirpc.ResourceProvider/Create")).toContain("Create");
  expect(cancelled).not.toHaveBeenCalled();
  expect(server._retrieveHandler("/pulumirpc.ResourceProvider/Cancel")).toContain("Cancel");
  expect(cancelled).toHaveBeenCalledOnce();
  const other = {};
  onCancel(cancelled, other);
  expect(other).toEqual({});
});
