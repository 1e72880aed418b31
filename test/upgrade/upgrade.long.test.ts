import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type ControlPlane, startControlPlane } from "keyplane/testing";
import { afterEach, describe, expect, test } from "vitest";
import { ExampleRun } from "../e2e/run-example";
import { pluginFolder } from "../plugin-folder";

const HOUR = 3_600_000;
const API_KEY = "an-admin-key-of-the-recording-0001";

const { body, ...heads } = JSON.parse(readFileSync(join(__dirname, "programs.json"), "utf8")) as {
  readonly [part: string]: string;
};
const programOf = (frontEnd: string, trigger: string) => ({
  "index.js": `${heads[frontEnd]}${body?.replace("TRIGGER", trigger)}`,
});

/** Versions that have a recording of both front ends: `npm run upgrade:record` makes one. */
const versions = readdirSync(__dirname).filter((name) => name.startsWith("0.") && name !== "0.1");

const recordings = versions.flatMap((version) =>
  Object.keys(heads).map((frontEnd): [string, string] => [version, frontEnd]),
);

describe.each(recordings)("a stack of version %s with the front end %s", (version, frontEnd) => {
  let folder: string;
  let plane: ControlPlane;
  let run: ExampleRun;

  async function open(): Promise<void> {
    const recorded = join(__dirname, version, frontEnd);
    folder = mkdtempSync(join(tmpdir(), "keyplane-upgrade-"));
    const data = join(folder, "control-plane.json");
    cpSync(join(recorded, "control-plane.json"), data);
    plane = await startControlPlane({ data, apiKey: API_KEY });
    run = await ExampleRun.create(plane, programOf(frontEnd, "2"), {
      packages: { "plugin-sdk": join(__dirname, "..", "plugin-sdk") },
      ...(frontEnd === "plugin" && { plugins: { keyplane: pluginFolder() } }),
    });
    const state = readFileSync(join(recorded, "state.json"), "utf8");
    await run.workspace.importState(JSON.parse(state.replaceAll("BASE_URL", plane.url)));
  }

  afterEach(async () => {
    await run.workspace.remove();
    await plane.close();
    rmSync(folder, { recursive: true, force: true });
  });

  const live = async () => (await plane.liveKeys()).map(({ id }) => id).toSorted((one, other) => one - other);
  const idsOf = async () => {
    const { resources = [] } = (await run.workspace.exportState()).deployment;
    return resources.flatMap(({ outputs }) => (outputs?.keyId === undefined ? [] : [outputs.keyId]));
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
