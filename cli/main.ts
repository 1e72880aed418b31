#!/usr/bin/env node
import { EXIT } from "./command-run";
import { keyplane } from "./keyplane";
import { printInfo } from "./output";

let lost: string | undefined;
// A reader that closes the pipe early, such as `head`, is no error, and the command goes on: it may be revoking keys.
process.stdout.on("error", ({ code }: NodeJS.ErrnoException) => {
  lost ??= code;
});
process.stderr.on("error", () => {});
keyplane(process.argv.slice(2)).then((code) => {
  // Exit explicitly, because keep-alive connections would keep the process running. Flush the output first.
  process.stdout.write("", (error?: NodeJS.ErrnoException | null) => {
    const why = lost ?? error?.code ?? "EPIPE";
    if (why !== "EPIPE") printInfo(`keyplane: the output cannot be written (${why})`);
    process.exit(why !== "EPIPE" && code === EXIT.ok ? EXIT.failed : code);
  });
});
