// A provider that does nothing, with the outputs of a key. A run with it costs only the engine's share.
const outputs = { keyId: "1", name: "nothing", key: "a-secret-of-the-length-of-a-real-one-0123456789-0123456789" };

exports.check = async (_olds, inputs) => ({ inputs });
exports.diff = async () => ({ changes: false });
exports.create = async (inputs) => ({ id: "1", outs: { ...inputs, ...outputs } });
exports.read = async (id, props) => ({ id, props });
exports.update = async (_id, _olds, news) => ({ outs: news });
exports.delete = async () => {};
