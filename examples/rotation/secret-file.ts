import * as pulumi from "@pulumi/pulumi";

interface SecretFileProps {
  path: string;
  content: string;
}

const write = async ({ path, content }: SecretFileProps): Promise<void> => {
  const { rename, writeFile } = require("node:fs/promises") as typeof import("node:fs/promises");
  // Readers see either the old file or the new one, never a partial file.
  await writeFile(`${path}.new`, content, { mode: 0o600 });
  await rename(`${path}.new`, path);
};

const provider: pulumi.dynamic.ResourceProvider<SecretFileProps, SecretFileProps> = {
  create: async (props) => {
    await write(props);
    return { id: props.path, outs: props };
  },
  update: async (_id, _olds, props) => {
    await write(props);
    return { outs: props };
  },
  delete: async (_id, { path }) => {
    const { rm } = require("node:fs/promises") as typeof import("node:fs/promises");
    await rm(path, { force: true });
  },
};

/** Represents any place where an application gets its secrets: a secret manager, a cluster, a parameter store. */
export class SecretFile extends pulumi.dynamic.Resource {
  constructor(name: string, args: { path: pulumi.Input<string>; content: pulumi.Input<string> }) {
    super(provider, name, args, { additionalSecretOutputs: ["content"] });
  }
}
