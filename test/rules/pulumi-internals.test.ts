import ts from "typescript";
import { expect, test } from "vitest";
import { collect, sourcesBelow, textOf } from "./source-files";

/** For each front end of the npm package, the one file that may touch what Pulumi does not publish. */
const HOMES = ["sdk/nodejs/run/pulumi-internals.ts", "provider/dynamic/pulumi-internals.ts"];

const sources = sourcesBelow("sdk", "provider/dynamic");

/** Modules of Pulumi and of gRPC that a file loads by their path in the package. */
const loaded = (path: string) =>
  collect(path, (node) => (ts.isStringLiteral(node) && /^@(pulumi\/pulumi|grpc)\//.test(node.text) ? path : undefined));

test("one file of each front end loads modules that Pulumi does not publish, so that a release breaks no other", () => {
  expect([...new Set(sources.flatMap(loaded))].sort()).toEqual([...HOMES].sort());
});

test("one file of each front end reads members that Pulumi does not publish", () => {
  const members =
    /__childResources|__pulumiRunError|MockMonitor|rpcDone|\bisKnown\b|promise\(\): Promise|_retrieveHandler/;
  const reading = sources.filter((path) => members.test(textOf(path)));
  expect(reading.filter((path) => !HOMES.includes(path))).toEqual([]);
});
