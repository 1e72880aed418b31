// Copies the state file after each write, so that the judge knows its content at any time.
const { subscribe, unsubscribe } = require("node:diagnostics_channel");
const fs = require("node:fs");
const { join } = require("node:path");

/**
 * Copies the state file that the engine of this process writes to a folder, named by the time of the write.
 * @returns what ends it.
 */
function keepStates(file, folder) {
  const keep = ({ point }) => {
    if (point === "after-pending-write" || point === "after-state-write") copy(file, folder);
  };
  subscribe("keyplane:engine", keep);
  return () => unsubscribe("keyplane:engine", keep);
}

/**
 * Copies the state file whenever this process, a plugin host, is about to revoke a key. The states of the Pulumi CLI can
 * only be observed at these moments.
 */
function keepStatesOfRevocations(file, folder) {
  subscribe("keyplane:provider", ({ point, route }) => {
    if (point === "before-send" && route.startsWith("DELETE ") && fs.existsSync(file)) copy(file, folder);
  });
}

function copy(file, folder) {
  fs.mkdirSync(folder, { recursive: true });
  fs.copyFileSync(file, join(folder, `${Date.now()}-${process.hrtime.bigint()}.json`));
}

module.exports = { keepStates, keepStatesOfRevocations };
