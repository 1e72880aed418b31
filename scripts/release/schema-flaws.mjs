/** The categories of the Pulumi Registry. */
const CATEGORIES = ["cloud", "database", "infrastructure", "monitoring", "network", "utility", "vcs"];

/**
 * What the Pulumi Registry asks of a schema beyond what `pulumi schema check` does, in sentences.
 *
 * @param {Record<string, any>} schema - The schema.
 * @param {string} version - The version of the package.
 */
export function flawsOfSchema(schema, version) {
  const { name = "", description = "", keywords = [], homepage, repository, logoUrl, license, displayName } = schema;
  const categories = keywords
    .filter((each) => each.startsWith("category/"))
    .map((each) => each.slice("category/".length));
  return [
    ...(displayName ? [] : ["displayName is missing"]),
    ...(license ? [] : ["license is missing"]),
    ...(description.toLowerCase().includes(name.toLowerCase()) ? [] : [`description must contain ${name}`]),
    ...(categories.length === 1 && CATEGORIES.includes(categories[0])
      ? []
      : [`keywords must have one of ${CATEGORIES.map((each) => `category/${each}`).join(", ")}`]),
    ...(keywords.includes("kind/native") ? [] : ["keywords must have kind/native"]),
    ...Object.entries({ homepage, repository, logoUrl }).flatMap(([member, value]) => {
      return value === undefined || /^https:\/\//.test(value) ? [] : [`${member} must begin with https://`];
    }),
    ...(schema.version === version ? [] : [`version must be ${version}`]),
    ...["nodejs", "python", "go", "csharp", "java"]
      .filter((each) => schema.language?.[each] === undefined)
      .map((each) => {
        return `language has no settings for ${each}`;
      }),
  ];
}
