import { describe, expect, test } from "vitest";
import { parseEvents, resultOf } from "../../../testing/workspace/run-result";

const end = { exit: 0, signal: null, stdout: "", stderr: "", durationMs: 1 };
const metadata = (op: string, urn: string, more = {}) => ({
  op,
  urn,
  type: "t",
  old: null,
  new: null,
  provider: "",
  ...more,
});
const log = (...events: object[]) => events.map((event) => `${JSON.stringify(event)}\n`).join("");

describe("the events of a run", () => {
  test("can be read if a kill cut them off in the middle of a line", () => {
    const text = `${log({ sequence: 0 }, { sequence: 1 })}{"sequence":2,"resou`;
    expect(parseEvents(text).map((event) => event.sequence)).toEqual([0, 1]);
    expect(parseEvents('{"sequence":0}')).toHaveLength(1);
  });

  test("show what was done, and not the plan of the preview before it", () => {
    const text = log(
      { resourcePreEvent: { metadata: metadata("create", "a"), planning: true } },
      { resOutputsEvent: { metadata: metadata("create", "a"), planning: true } },
      { resourcePreEvent: { metadata: metadata("create", "a") } },
      { resOutputsEvent: { metadata: metadata("create", "a", { keys: ["v"] }) } },
      { resOpFailedEvent: { metadata: metadata("update", "b"), status: 0, steps: 0 } },
    );
    expect(resultOf("up", end, text).steps).toEqual([
      { op: "create", urn: "a", failed: false, keys: ["v"] },
      { op: "update", urn: "b", failed: true, keys: [] },
    ]);
    expect(resultOf("preview", end, text).steps.map((step) => step.urn)).toEqual(["a", "a"]);
  });

  test("show what changed, without the default provider, which the CLI updates with the configuration", () => {
    const urn = (type: string, name: string) => `urn:pulumi:dev::proj::${type}::${name}`;
    const done = (op: string, of: string) => ({ resOutputsEvent: { metadata: metadata(op, of) } });
    const [key, provider] = ["pulumi-nodejs:dynamic/keyplane:ApiKey", "pulumi:providers:pulumi-nodejs"];
    const text = log(
      done("update", urn(provider, "default")),
      done("update", urn(provider, "default_1_2_3")),
      done("same", urn(key, "ci")),
      done("refresh", urn(key, "ci")),
      done("update", urn(key, "app")),
      done("update", urn("pulumi:providers:random", "of-the-program")),
    );
    const { steps, changes } = resultOf("up", end, text);
    expect(changes).toEqual(["update app", "update of-the-program"]);
    expect(steps.map(({ op }) => op)).toEqual(["same", "refresh", "update", "update"]);
  });

  test("contain the diagnostics without markup, progress and information", () => {
    const say = (severity: string, message: string, more = {}) => ({
      diagnosticEvent: { severity, message, color: "raw", ...more },
    });
    const text = log(
      say("error", "<{%reset%}>bad<{%reset%}>\n", { urn: "a" }),
      say("warning", "odd"),
      say("info", "said"),
      say("error", "shown for a moment", { ephemeral: true }),
    );
    expect(resultOf("up", end, text).diagnostics).toEqual([
      { severity: "error", urn: "a", message: "bad" },
      { severity: "warning", urn: "", message: "odd" },
    ]);
  });

  test("contain the stack's outputs and the host's process", () => {
    const stack = metadata("same", "s", { type: "pulumi:pulumi:Stack", new: { outputs: { key: "[secret]" } } });
    const result = resultOf("up", end, log({ hostEvent: { pid: 42 } }, { resOutputsEvent: { metadata: stack } }));
    expect(result).toMatchObject({ outputs: { key: "[secret]" }, hostPid: 42 });
  });
});
