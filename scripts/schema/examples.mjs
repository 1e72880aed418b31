import { existsSync, readFileSync } from "node:fs";

/**
 * The examples of a resource or a function in the form of Pulumi's registry, which shows each reader the blocks of one
 * language. They are in provider/plugin/examples: each section is an example, and "Import" is one of its own.
 */
export function examplesOf(name) {
  const file = new URL(`../../provider/plugin/examples/${name}.md`, import.meta.url);
  if (!existsSync(file)) return "";
  const [, ...sections] = readFileSync(file, "utf8").trim().split(/^## /m);
  const isImport = (section) => section.startsWith("Import\n");
  const examples = sections.filter((section) => !isImport(section));
  return [
    "",
    "{{% examples %}}",
    "## Example Usage",
    ...examples.map((section) => `{{% example %}}\n### ${section.trim()}\n\n{{% /example %}}`),
    "{{% /examples %}}",
    ...sections.filter(isImport).map((section) => `## ${section.trim()}`),
  ].join("\n\n");
}
