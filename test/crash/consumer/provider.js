// The consumer's provider. It writes a JSON line `{ at, consumer, keyId }` to the file `deliveries` of CRASH_FOLDER whenever a
// consumer receives a key, and one without `keyId` when the consumer no longer has a key. With `use`, the consumer uses the
// key at once.
const { appendFileSync } = require("node:fs");
const { join } = require("node:path");

const Consumer = {
  check: async (_, inputs) => ({ inputs, failures: [] }),

  diff: async (_, olds, news) => ({ changes: olds.keyId !== news.keyId, replaces: [] }),

  async create(inputs) {
    await hold(inputs);
    return { id: inputs.consumer, outs: inputs };
  },

  async update(_, __, inputs) {
    await hold(inputs);
    return { outs: inputs };
  },

  read: async (id, props) => ({ id, props }),

  async delete(id) {
    note({ consumer: id });
  },
};

async function hold({ consumer, keyId, secret, use }) {
  note({ consumer, keyId });
  if (!use) return;
  const answer = await fetch(`${process.env.CRASH_URL}/projects?limit=1`, {
    headers: { authorization: `Bearer ${secret}` },
  });
  if (!answer.ok) throw new Error(`the key does not work: ${answer.status}`);
}

function note(delivery) {
  const line = JSON.stringify({ at: Date.now(), ...delivery });
  appendFileSync(join(process.env.CRASH_FOLDER, "deliveries"), `${line}\n`);
}

module.exports = { Consumer };
