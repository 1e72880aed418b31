// The consumer's provider: whenever it has been handed a key, a request without credentials tells the control plane's
// log so (`GET /auth?holds=KEY_ID`), in order with what happens to the keys, and without using the key.
const Consumer = {
  check: async (_olds, news) => ({ inputs: news, failures: [] }),
  diff: async (_id, olds, news) => ({ changes: olds.keyId !== news.keyId }),

  async create(inputs) {
    await take(inputs);
    return { id: "consumer", outs: inputs };
  },

  async update(_id, _olds, news) {
    await take(news);
    return { outs: news };
  },
};

async function take({ keyId, fail, reportTo }) {
  if (fail) throw new Error("the consumer cannot be moved");
  await fetch(`${reportTo}/auth?holds=${keyId}`);
}

module.exports = { Consumer };
