// Loaded by `node --require` into the engine's process: it takes the pipe that it writes to for a terminal, and so draws
// what it draws for people.
if (process.argv[1]?.replaceAll("\\", "/").endsWith("/engine/main.js")) {
  Object.assign(process.stdout, { isTTY: true, columns: Number(process.env.COLUMNS) });
}
