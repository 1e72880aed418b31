// Loaded by `NODE_OPTIONS=--require` into the processes of a run. The key of a passphrase takes a million rounds of a hash,
// a third of an engine's work in a small run. The engines that share the folder DERIVED_KEYS derive it once.
const crypto = require("node:crypto");
const fs = require("node:fs");
const { join } = require("node:path");

const derive = crypto.pbkdf2;
crypto.pbkdf2 = (passphrase, salt, ...rest) => {
  const done = rest.pop();
  const name = crypto.createHash("sha256").update(passphrase).update("\0").update(salt).digest("hex");
  const file = join(process.env.DERIVED_KEYS, name);
  if (fs.existsSync(file)) return void process.nextTick(done, null, fs.readFileSync(file));
  derive(passphrase, salt, ...rest, (error, key) => {
    if (!error) keep(file, key);
    done(error, key);
  });
};

/** Writes the file in one step, because other processes may read it at the same time. */
function keep(file, content) {
  const own = `${file}.${process.pid}`;
  fs.writeFileSync(own, content);
  fs.renameSync(own, file);
}

module.exports = { keep };
