import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { HIDDEN, readDeployment } from "../../../provider/stack/deployment";

const recorded = (file: string) =>
  readDeployment(readFileSync(`${__dirname}/../../conformance/checkpoint/${file}`, "utf8"));

test.each(["stack-export.json", "dev.json"])("a state of the real engine is read from %s", (file) => {
  const { resources, savedAt, pending } = recorded(file);
  const [probe] = resources.filter(({ id }) => id === "a-1");
  expect(savedAt).toBe("2026-11-21T01:14:45.60950164Z");
  expect(pending).toEqual([]);
  expect(probe).toMatchObject({
    urn: "urn:pulumi:dev::proj::probe:Group$pulumi-nodejs:dynamic/probe:Probe::a",
    provider: "urn:pulumi:dev::proj::pulumi:providers:pulumi-nodejs::default::b87f4a42-a188-4c2f-b494-e631ee76c964",
    inputs: { label: "a", v: HIDDEN },
    secrets: new Set(["v", "secretOut"]),
    replaced: false,
    retained: false,
  });
});

test("a state has all operations that were under way when it was saved", () => {
  const resource = { urn: "urn:pulumi:dev::app::a:b:C::x", type: "a:b:C", inputs: { __suffix: "m" } };
  const pending_operations = [
    { type: "creating", resource },
    { type: "deleting", resource: { ...resource, id: "7" } },
  ];
  const { pending } = readDeployment(JSON.stringify({ deployment: { pending_operations } }));
  expect(pending.map(({ type, resource: { id, inputs } }) => [type, id, inputs.__suffix])).toEqual([
    ["creating", "", "m"],
    ["deleting", "7", "m"],
  ]);
});
