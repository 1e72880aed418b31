// Builds the provider plugin for all Pulumi languages as one executable file, `bin/pulumi-resource-keyplane`.
import { bundle } from "./plugin/bundle.mjs";

const { path, bytes } = bundle();
process.stderr.write(`${path}: ${(bytes / 1e6).toFixed(1)} MB\n`);
