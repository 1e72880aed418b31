// Keeps the state file after each write, so that the judge knows its content at any time.
const { subscribe, unsubscribe } = require("node:diagnostics_channel");
const fs = require("node:fs");
const { join } = require("node:path");

/**
 * Keeps each state file that the engine of this process writes in a folder, named by the time of the write.
 * @returns what ends it.
 */
function keepStates(file, folder) {
  const keep = ({ point }) => {
    if (point === "after-pending-write" || point === "after-state-write") keepFile(file, folder);
  };
  subscribe("keyplane:engine", keep);
  return () => unsubscribe("keyplane:engine", keep);
}

/**
 * Keeps the state file whenever this process, a plugin host, is about to revoke a key. The states of the Pulumi CLI can
 * only be observed at these moments.
 */
function keepStatesOfRevocations(file, folder) {
  subscribe("keyplane:provider", ({ point, route }) => {
    if (point === "before-send" && route.startsWith("DELETE ") && fs.existsSync(file)) keepFile(file, folder);
  });
}

/** Keeps the file under another name. Engines replace it for each write, and a kill cannot cut a link. */
function keepFile(file, folder) {
  fs.mkdirSync(folder, { recursive: true });
  fs.linkSync(file, join(folder, `${Date.now()}-${process.hrtime.bigint()}.json`));
}

module.exports = { keepStates, keepStatesOfRevocations };
