// The consumer's provider. Whenever the consumer receives a key, it sends a request without credentials (`GET
// /auth?holds=KEY_ID`), so that the control plane's log shows it in order with the changes of keys, and without a use of
// the key.
const Consumer = {
  check: async (_olds, news) => ({ inputs: news, failures: [] }),
  diff: async (_id, olds, news) => ({ changes: olds.keyId !== news.keyId }),

  // A consumer with a `reading` drifts: each refresh finds another one.
  read: async (id, outs) => ({ id, props: { ...outs, ...(outs.reading && { reading: `${Math.random()}` }) } }),

  async create(inputs) {
    await take(inputs);
    return { id: "consumer", outs: inputs };
  },

  async update(id, _olds, news) {
    if (news.fail === "half-way")
      throw Object.assign(new Error(news.fail), { id, properties: news, reasons: [news.fail] });
    await take(news);
    return { outs: news };
  },
};

async function take({ keyId, fail, reportTo }) {
  if (fail) throw new Error("the consumer cannot be moved");
  await fetch(`${reportTo}/auth?holds=${keyId}`);
}

module.exports = { Consumer };
