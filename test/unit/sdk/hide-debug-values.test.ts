import { expect, test } from "vitest";
import { withoutValues } from "../../../sdk/nodejs/run/hide-debug-values";

test.each([
  [
    "RegisterResource RPC finished: resource:ci[keyplane:ApiKey]; err: null, resp: urn:ci,1,kp_secret\nmore",
    "RegisterResource RPC finished: resource:ci[keyplane:ApiKey]; err: null, resp: [left out by keyplane]",
  ],
  [
    "Invoke RPC finished: tok=a:b:c; err: null, resp: kp_secret",
    "Invoke RPC finished: tok=a:b:c; err: null, resp: [left out by keyplane]",
  ],
  [
    "RegisterResource RPC prepared: t=a, name=ci, obj={}",
    "RegisterResource RPC prepared: t=a, name=ci, obj=[left out by keyplane]",
  ],
  // The SDK lacks a pair of parentheses and writes only the arguments of a call.
  [', obj={"token":"kp_secret"}', ", obj=[left out by keyplane]"],
])("the values are removed from %j", (message, expected) => {
  expect(withoutValues(message)).toBe(expected);
});

test.each([
  "Registering resource: t=keyplane:ApiKey, name=ci, custom=true, remote=false",
  "a program's own message, resp: 7",
  "the program says: obj={}",
])("%j is not changed", (message) => {
  expect(withoutValues(message)).toBe(message);
});
