import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:https";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type ControlPlane, startControlPlane } from "../../testing";
import { failureOf, PluginUnderTest, stopPlugins } from "./plugin-harness";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "keyplane-environment-"));
});

afterEach(async () => {
  await stopPlugins();
  rmSync(folder, { recursive: true, force: true });
});

describe("what an editor or a profiler preloads with NODE_OPTIONS", () => {
  let plane: ControlPlane;
  beforeEach(async () => {
    plane = await startControlPlane();
  });
  afterEach(() => plane.close());

  test("does not run in the plugin, whose first line must be its port", async () => {
    const preload = join(folder, "preload.cjs");
    writeFileSync(preload, `console.log("Debugger attached."); process.env.KEYPLANE_BASE_URL = "elsewhere";`);
    const plugin = await PluginUnderTest.start(plane, {
      env: { NODE_OPTIONS: `--require ${JSON.stringify(preload)}` },
    });
    expect((await plugin.add("ApiKey")).id).not.toBe("");
    expect(plugin.printed).toEqual([]);
  });
});

describe.skipIf(spawnSync("openssl", ["version"]).status !== 0)(
  "a service whose certificate a CA of one's own issued",
  () => {
    let server: Server;
    let url: string;
    let certificate: string;
    beforeEach(async () => {
      const key = join(folder, "key.pem");
      certificate = join(folder, "certificate.pem");
      const names = ["-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost"];
      const making = ["req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", key, "-out", certificate, ...names];
      execFileSync("openssl", making, { stdio: "ignore" });
      server = createServer({ key: readFileSync(key), cert: readFileSync(certificate) }, (_, answer) => {
        answer.writeHead(401, { "content-type": "application/json" }).end(JSON.stringify({ message: "who?" }));
      });
      await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
      url = `https://localhost:${(server.address() as AddressInfo).port}`;
    });
    afterEach(() => new Promise((done) => server.close(done)));

    const codeWith = async (env: NodeJS.ProcessEnv) => {
      const plugin = await PluginUnderTest.start({ url, apiKey: "kp_of-the-account" }, { env });
      return /\[(KP-[A-Z-]+)\]/.exec(await failureOf(plugin.invoke("keyplane:index:getApiKeys", {})))?.[1];
    };

    test("is trusted if NODE_EXTRA_CA_CERTS names the CA, or the system's CAs include it", async () => {
      expect(await codeWith({ NODE_EXTRA_CA_CERTS: certificate })).toBe("KP-AUTH");
      if (process.platform !== "linux") return;
      expect(await codeWith({ NODE_USE_SYSTEM_CA: "1", SSL_CERT_FILE: certificate })).toBe("KP-AUTH");
    });

    test("is not trusted otherwise, not even if Node is told to trust everybody", async () => {
      expect(await codeWith({ NODE_TLS_REJECT_UNAUTHORIZED: "0" })).toBe("KP-TRANSPORT");
    });
  },
);
