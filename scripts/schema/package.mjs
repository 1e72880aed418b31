import { readFileSync } from "node:fs";
import { namesOf } from "../release/names.mjs";

const { name, version, description, license, keywords } = JSON.parse(
  readFileSync(new URL("../../package.json", import.meta.url), "utf8"),
);

const README =
  "The generated SDK of the plugin `pulumi-resource-keyplane`. Programs in TypeScript and JavaScript should use the " +
  "npm package `keyplane` instead. It runs without a plugin.";

/** What the schema says about the package. What scripts/release/names.json does not set is left out. */
export function packageOf({ repository, publisher, homepage, logoUrl, pluginDownloadURL }) {
  return {
    name,
    displayName: "Keyplane",
    // Pulumi refuses a schema without a version whose SDKs are complete packages.
    version,
    description,
    keywords: [...keywords, "category/infrastructure", "kind/native"],
    ...(homepage && { homepage }),
    license,
    ...(repository && { repository: `https://github.com/${repository}` }),
    ...(logoUrl && { logoUrl }),
    ...(pluginDownloadURL && { pluginDownloadURL }),
    ...(publisher && { publisher }),
    // Generated SDKs are complete packages: the one for Go contains a go.mod.
    meta: { supportPack: true },
  };
}

/** How each language's SDK is generated. */
export function languagesOf(settings) {
  const { nodejs, python, go, java, dotnet } = namesOf(settings);
  return {
    nodejs: {
      // The npm package `keyplane` is the dynamic provider.
      packageName: nodejs,
      packageDescription: "The generated SDK of the plugin pulumi-resource-keyplane.",
      readme: README,
      respectSchemaVersion: true,
    },
    python: {
      packageName: python,
      // Older versions write exported secrets into debug messages.
      requires: { pulumi: ">=3.260.0,<4.0.0" },
      readme: README,
      // No pyproject.toml: the one that Pulumi generates names a README where there is none, and gives the license in a
      // form that setuptools refuses from 2027-02-18 on.
      respectSchemaVersion: true,
    },
    go: {
      // `pulumi package add` lets programs find the generated module by a `replace` line.
      importBasePath: go,
      rootPackageName: "keyplane",
      generateResourceContainerTypes: false,
      respectSchemaVersion: true,
    },
    csharp: {
      rootNamespace: dotnet,
      namespaces: { keyplane: "Keyplane" },
      respectSchemaVersion: true,
    },
    java: {
      basePackage: java,
      buildFiles: "gradle",
    },
  };
}
