import { cpSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import type { PluginInfo } from "@pulumi/pulumi/proto/plugin_pb";
import type { GetSchemaResponse } from "@pulumi/pulumi/proto/provider_pb";
import { afterEach, beforeEach, expect, test } from "vitest";
import { version } from "../../package.json";
import { PulumiSdk } from "../../testing/engine/program/pulumi-sdk";
import { call, PluginProcess } from "../../testing/engine/provider/plugin-process";
import { pluginFolder } from "../plugin-folder";

const sdk = new PulumiSdk(resolve("."));
let folder: string;
let plugin: PluginProcess | undefined;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "keyplane-bundle-"));
});

afterEach(async () => {
  await plugin?.end(2_000);
  rmSync(folder, { recursive: true, force: true });
});

test.each(["pulumi-resource-keyplane", "pulumi-resource-"])(
  "%s starts without the repository and without Node, and offers its schema at the port that it prints",
  async (name) => {
    cpSync(pluginFolder(), join(folder, "plugin"), { recursive: true });
    plugin = PluginProcess.spawn({
      sdk,
      label: name,
      file: join(folder, "plugin", name),
      args: [],
      directory: folder,
      env: { PATH: folder, HOME: folder },
      started: () => undefined,
      printed: () => undefined,
    });
    const client = await plugin.client;
    const info = await call<PluginInfo>((done) => client.getPluginInfo(new sdk.empty(), done));
    expect(info.getVersion()).toBe(version);
    const request = new sdk.provider.GetSchemaRequest();
    const schema = await call<GetSchemaResponse>((done) => client.getSchema(request, done));
    expect(JSON.parse(schema.getSchema())).toMatchObject({ name: "keyplane", version });
  },
);
