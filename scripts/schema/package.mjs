import { readFileSync } from "node:fs";

const { name, description, license, homepage, repository, keywords } = JSON.parse(
  readFileSync(new URL("../../package.json", import.meta.url), "utf8"),
);

const README =
  "The generated SDK of the plugin `pulumi-resource-keyplane`. Programs in TypeScript and JavaScript should use the " +
  "npm package `keyplane` instead: it runs without a plugin, and its resources are not those of this SDK.";

/**
 * What the schema says about the package. It has no version: the plugin adds its own. It has no `pluginDownloadURL`,
 * because no server is bound to offer the plugin.
 */
export const PACKAGE = {
  name,
  displayName: "Keyplane",
  description,
  keywords: [...keywords, "category/infrastructure", "kind/native"],
  ...(homepage && { homepage }),
  license,
  ...(repository && { repository: repository.url.replace(/^git\+/, "").replace(/\.git$/, "") }),
  publisher: "keyplane",
  // Generated SDKs are complete packages: the one for Go contains a go.mod.
  meta: { supportPack: true },
};

/** How each language's SDK is generated. */
export const LANGUAGES = {
  nodejs: {
    // The npm package `keyplane` is the dynamic provider.
    packageName: "@keyplane/plugin",
    packageDescription: "The generated SDK of the plugin pulumi-resource-keyplane.",
    readme: README,
    respectSchemaVersion: true,
  },
  python: {
    packageName: "pulumi_keyplane",
    // Older versions write exported secrets into debug messages.
    requires: { pulumi: ">=3.260.0,<4.0.0" },
    readme: README,
    pyproject: { enabled: true },
    respectSchemaVersion: true,
  },
  go: {
    // Nobody can own this domain. `pulumi package add` lets programs find the generated module by a `replace` line.
    importBasePath: "example.com/pulumi-keyplane/sdk/go/keyplane",
    rootPackageName: "keyplane",
    generateResourceContainerTypes: false,
    respectSchemaVersion: true,
  },
  csharp: {
    namespaces: { keyplane: "Keyplane" },
    respectSchemaVersion: true,
  },
  java: {
    basePackage: "com.pulumi",
    buildFiles: "gradle",
  },
};
