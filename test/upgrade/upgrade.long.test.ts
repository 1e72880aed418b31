import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { ControlPlane } from "keyplane/testing";
import { afterEach, describe, expect, test } from "vitest";
import { ExampleRun } from "../e2e/run-example";
import { pluginFolder } from "../plugin-folder";
import { Recording, versions } from "./recording";

const HOUR = 3_600_000;

const { body, ...heads } = JSON.parse(readFileSync(join(__dirname, "programs.json"), "utf8")) as {
  readonly [part: string]: string;
};
const programOf = (frontEnd: string, trigger: string) => ({
  "index.js": `${heads[frontEnd]}${body?.replace("TRIGGER", trigger)}`,
});

const recordings = versions.flatMap((version) =>
  Object.keys(heads).map((frontEnd): [string, string] => [version, frontEnd]),
);

describe.each(recordings)("a stack of version %s with the front end %s", (version, frontEnd) => {
  let recording: Recording;
  let plane: ControlPlane;
  let run: ExampleRun;

  async function open(): Promise<void> {
    recording = await Recording.open(version, frontEnd);
    plane = recording.plane;
    run = await ExampleRun.create(plane, programOf(frontEnd, "2"), {
      packages: { "plugin-sdk": join(__dirname, "..", "plugin-sdk") },
      ...(frontEnd === "plugin" && { plugins: { keyplane: pluginFolder() } }),
    });
    await run.workspace.importState(JSON.parse(recording.text("state.json")));
  }

  afterEach(async () => {
    await run.workspace.remove();
    await recording.close();
  });

  const live = async () => (await plane.liveKeys()).map(({ id }) => id).toSorted((one, other) => one - other);
  const idsOf = async () => {
    const { resources = [] } = (await run.workspace.exportState()).deployment;
    // The engine saves resources in the order in which their steps end.
    return resources.flatMap(({ outputs }) => (outputs?.keyId === undefined ? [] : [outputs.keyId])).toSorted();
  };

  test("goes on without a change at the service, and ends the grace of its previous key", async () => {
    await open();
    const [keys, ids] = [await live(), await idsOf()];
    expect(keys).toHaveLength(ids.length + 1);
    expect((await run.run("preview")).changes.filter((change) => /create|replace|delete/.test(change))).toEqual([]);
    const requests = await run.requestsOf(() => run.run("up"));
    expect(requests.filter((request) => !request.startsWith("GET"))).toEqual([]);
    expect(await live()).toEqual(keys);
    expect(await idsOf()).toEqual(ids);
    await run.runIdle("up");

    for (let day = 1; day <= 2; day++) {
      await plane.clock.advance(24 * HOUR);
      await run.run("up");
    }
    expect(await idsOf()).toEqual(ids);
    expect(await live()).toHaveLength(ids.length);
    await run.runIdle("up");
    await run.destroy();
  });

  test("makes a rotation wait for the end of the grace, and then carries it out", async () => {
    await open();
    const [keys, ids] = [await live(), await idsOf()];
    await run.workspace.setProgram(programOf(frontEnd, "3"));
    await run.run("up");
    expect(await live()).toEqual(keys);
    for (let day = 1; day <= 4; day++) {
      await plane.clock.advance(24 * HOUR);
      await run.run("up");
    }
    const rotated = await idsOf();
    expect(rotated.filter((id) => !ids.includes(id))).toHaveLength(1);
    expect((await live()).map(String)).toEqual(rotated.map(String).toSorted());
    await run.destroy();
  });

  test("can be refreshed first, and destroyed at once", async () => {
    await open();
    const keys = await live();
    await run.run("refresh");
    expect(await live()).toEqual(keys);
    await run.destroy();
  });
});
