// Loaded by `node --require` into the engine's process. Makes the engine treat its output pipe as a terminal, so that
// it draws its live display.
if (process.argv[1]?.replaceAll("\\", "/").endsWith("/engine/main.js")) {
  Object.assign(process.stdout, { isTTY: true, columns: Number(process.env.COLUMNS) });
}
