// The consumer's provider: notes in the file `deliveries` of CRASH_FOLDER which key it holds from when on, a JSON line
// `{ at, consumer, keyId }` each; no `keyId` when it holds none any more. With `use` it uses the key at once. The one that CRASH_FAILING names fails.
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
  if (consumer === process.env.CRASH_FAILING) throw new Error("this consumer fails");
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
