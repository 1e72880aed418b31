import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync } from "node:fs";
import { createServer } from "node:http2";
import { join } from "node:path";
import { extract } from "tar";
import { filesFor } from "./bundle.mjs";
import { THIS_SYSTEM } from "./node.mjs";

/**
 * Starts the plugin of an archive as the engine does, without any Node on the PATH: its first line is the port on which
 * it serves. Returns what is wrong, in sentences.
 *
 * @param {Buffer} archive - The archive for this system.
 * @param {string} folder - The folder for its content, which is created.
 */
export async function flawsOfStarting(archive, folder) {
  mkdirSync(folder);
  const reader = extract({ sync: true, cwd: folder });
  reader.end(archive);
  const [plugin] = filesFor(THIS_SYSTEM);
  // Without an engine, the plugin ends at once.
  const engine = createServer().listen(0, "127.0.0.1");
  await once(engine, "listening");
  const address = `127.0.0.1:${engine.address().port}`;
  // Windows needs its own folders for sockets.
  const { SystemRoot } = process.env;
  const options = { cwd: folder, env: { SystemRoot, PATH: folder }, stdio: ["ignore", "pipe", "pipe"] };
  const child = spawn(join(folder, plugin), [address], options);
  const said = await new Promise((resolve) => {
    let text = "";
    const more = (bytes) => {
      text += bytes;
      if (text.includes("\n")) resolve(text);
    };
    child.stdout.on("data", more);
    child.stderr.on("data", more);
    child.on("error", ({ message }) => resolve(message));
    child.on("exit", (code, signal) => resolve(`${text}and ended with ${signal ?? code}`));
    setTimeout(() => resolve(`${text}nothing in 30 seconds`), 30_000).unref();
  });
  child.kill("SIGKILL");
  engine.close();
  return /^\d+\n/.test(said) ? [] : [`it said ${JSON.stringify(said)}, and not the port on which it serves`];
}
