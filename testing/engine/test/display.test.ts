import { PassThrough } from "node:stream";
import { describe, expect, test } from "vitest";
import { type DisplayOptions, openDisplay } from "../display";
import { cut, harmless, widthOf } from "../display/text";
import type { EngineEvent, EngineEventBody, Operation, StepMetadata } from "../run/events";
import type { Properties } from "../state/property";

const TYPE = "pulumi-nodejs:dynamic/keyplane:ApiKey";
const urnOf = (name: string, type = TYPE) => `urn:pulumi:dev::proj::${type}::${name}`;

function step(op: Operation, name: string, more: Partial<StepMetadata> = {}): StepMetadata {
  return {
    op,
    urn: urnOf(name, more.type),
    type: TYPE,
    old: null,
    new: null,
    detailedDiff: null,
    provider: "",
    ...more,
  };
}

function stackWith(outputs: Properties): EngineEventBody {
  const type = "pulumi:pulumi:Stack";
  const state = { type, urn: urnOf("proj-dev", type), id: "", parent: "", inputs: {}, outputs, provider: "" };
  return { resOutputsEvent: { metadata: step("same", "proj-dev", { type, new: state }) } };
}

/** Shows events at given times and returns everything that was written. */
function shown(
  options: Partial<DisplayOptions>,
  events: readonly (readonly [seconds: number, event: EngineEventBody])[],
) {
  let now = 0;
  const stream = new PassThrough();
  const display = openDisplay({
    title: "Updating dev",
    stream,
    live: false,
    color: false,
    columns: () => Number.POSITIVE_INFINITY,
    planning: false,
    now: () => now,
    ...options,
  });
  for (const [seconds, event] of events) {
    now = seconds * 1000;
    display.show({ sequence: 0, timestamp: 0, ...event } as EngineEvent);
  }
  display.end();
  return String(stream.read());
}

const begin = (name: string, op: Operation = "create") => ({ resourcePreEvent: { metadata: step(op, name) } });
const done = (name: string, op: Operation = "create") => ({ resOutputsEvent: { metadata: step(op, name) } });
const say = (name: string, message: string, ephemeral = true): EngineEventBody => ({
  diagnosticEvent: { urn: urnOf(name), message, severity: "info", color: "raw", ephemeral },
});

describe("the display in a pipe", () => {
  test("prints a line for each change, with what was done and how long it took", () => {
    const text = shown({}, [
      [0, begin("ci")],
      [1, begin("app-key", "update")],
      [2.5, done("ci")],
      [12.6, { resOutputsEvent: { metadata: step("update", "app-key", { diffs: ["gracePeriod", "__provider"] }) } }],
      [13, begin("same-key", "same")],
      [13, done("same-key", "same")],
    ]);
    expect(text).toContain("+  keyplane:ApiKey       ci                created (2.5s)\n");
    expect(text).toContain("~  keyplane:ApiKey       app-key           updated (12s)  [diff: gracePeriod]\n");
    expect(text, "an unchanged resource has no line").not.toContain("same-key");
    expect(text, "nothing is redrawn").not.toContain("\u001b");
  });

  test("prints one line for a component, which a preview reports twice", () => {
    const type = "pulumi:pulumi:Stack";
    const created = { metadata: step("create", "proj-dev", { type }) };
    const text = shown({ planning: true }, [
      [0, { resourcePreEvent: created }],
      [0, { resOutputsEvent: created }],
      [1, { resOutputsEvent: created }],
    ]);
    expect(text.match(/proj-dev/g)).toHaveLength(1);
  });

  test("prints the reason in the line of a failed step, and the whole message under its resource", () => {
    const error = {
      urn: urnOf("ci"),
      message: "create API key ci: 409\nrename it",
      severity: "error",
      color: "raw",
    } as const;
    const text = shown({}, [
      [0, begin("ci")],
      [1, { diagnosticEvent: error }],
      [1, { resOpFailedEvent: { metadata: step("create", "ci"), status: 0, steps: 0 } }],
      [1, { diagnosticEvent: { message: "update failed", severity: "error", color: "raw" } }],
    ]);
    expect(text).toContain(
      "+  keyplane:ApiKey       ci                creating failed  create API key ci: 409 rename it\n",
    );
    expect(text).toContain(
      "Diagnostics:\n  keyplane:ApiKey (ci):\n    error: create API key ci: 409\n    rename it\n  error: update failed\n",
    );
    expect(text).toContain("1 failed");
  });

  test("lists outputs by name, and a secret only as [secret]", () => {
    const secret = { "4dabf18193072939515e22adb298388d": "1b47061264138c4ac30d75fd1eb44270", plaintext: '"hush"' };
    const text = shown({}, [
      [0, stackWith({ name: "ci-1", key: "[secret]", all: { "@isPulumiResource": true, nested: secret }, a: [1] })],
    ]);
    expect(text).toContain('    key : [secret]\n    name: "ci-1"\n');
    expect(text).toContain('"nested": [secret]');
    expect(text).not.toContain("hush");
    expect(text, "what the SDK adds for itself").not.toContain("@");
  });

  test("counts a replacement once in the summary, and distinguishes planned from completed changes", () => {
    const resourceChanges = { create: 2, replace: 1, "create-replacement": 1, "delete-replaced": 1, same: 3 };
    const summaryEvent = {
      maybeCorrupt: false,
      durationSeconds: 2,
      resourceChanges,
      PolicyPacks: {},
      isPreview: false,
      result: "succeeded",
    } as const;
    expect(shown({}, [[65, { summaryEvent }]])).toContain(
      "Resources: + 2 created, +- 1 replaced, 3 unchanged\nDuration:  1m5s\n",
    );
    expect(shown({ planning: true }, [[0, { summaryEvent }]])).toContain("+ 2 to create, +- 1 to replace, 3 unchanged");
    expect(shown({}, [])).toContain("nothing to do");
  });
});

describe("the display in a terminal", () => {
  test.each([20, 40, 59, 80])("prints no line that is longer than a terminal of %i columns", (columns) => {
    const text = shown({ live: true, color: true, columns: () => columns }, [
      [0, begin("a-rather-long-name-of-a-key-日本語")],
      [1, say("a-rather-long-name-of-a-key-日本語", `waiting for ${"x".repeat(100)}`)],
      [2, begin("other")],
      [3, done("other")],
      [4, done("a-rather-long-name-of-a-key-日本語")],
    ]);
    const rows = text.split("Resources:", 1)[0]?.split("\n") ?? [];
    for (const row of rows.map(harmless)) expect(widthOf(row)).toBeLessThan(columns);
    expect(rows.length).toBeGreaterThan(3);
  });
});

describe("a message", () => {
  test.each([
    ["colours", "\u001b[31mred\u001b[0m", "red"],
    ["a terminal's title", "\u001b]0;title\u0007text", "text"],
    ["a cut-off sequence", "text\u001b", "text"],
    ["the cursor's moves", "a\u001b[2Ab\rc", "ab\nc"],
    ["bells and nulls", "a\u0007\u0000b", "ab"],
    ["C1 controls", "a\u009b31mb", "a31mb"],
    ["a turned direction", "a\u202eb", "ab"],
    ["the CLI's markup", "<{%reset%}>text<{%fg 1%}>", "text"],
  ])("cannot show %s on the screen", (_what, message, expected) => {
    expect(harmless(message)).toBe(expected);
  });

  test("is cut by its width on the screen and not by its number of characters", () => {
    expect(cut("日本語テキスト", 7)).toBe("日本語…");
    expect(cut("text", 4)).toBe("text");
    expect(cut("text", 3)).toBe("te…");
  });
});
