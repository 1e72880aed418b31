// A key as a simple dynamic provider creates it: a class whose code is serialized into the state, a new provider for
// each resource, and one request for each verb and resource.
const pulumi = require("@pulumi/pulumi");

class KeyProvider {
  async request(method, path, body) {
    const response = await fetch(process.env.KEYPLANE_BASE_URL + path, {
      method,
      headers: { authorization: `Bearer ${process.env.KEYPLANE_API_KEY}`, "content-type": "application/json" },
      body: body && JSON.stringify(body),
    });
    if (!response.ok) throw new Error(`${method} ${path} answered ${response.status}`);
    return response.json();
  }

  async create(inputs) {
    const { id, key, name } = await this.request("POST", "/api_keys", { key_name: inputs.name });
    return { id: String(id), outs: { ...inputs, keyId: String(id), key, name } };
  }

  async read(id, props) {
    const keys = await this.request("GET", "/api_keys");
    return keys.some((key) => String(key.id) === id) ? { id, props } : {};
  }

  async diff(_id, olds, news) {
    return { changes: olds.name !== news.name };
  }

  async delete(id) {
    await this.request("DELETE", `/api_keys/${id}`);
  }
}

exports.Key = class extends pulumi.dynamic.Resource {
  constructor(name) {
    const outputs = { keyId: undefined, key: undefined };
    super(new KeyProvider(), name, { ...outputs, name }, { additionalSecretOutputs: ["key"] });
  }
};
