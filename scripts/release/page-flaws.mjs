import { parse } from "yaml";

/**
 * What the Pulumi Registry would refuse in docs/_index.md, in sentences.
 *
 * @param {string} page - The page.
 * @param {string} displayName - The `displayName` of the schema.
 */
export function flawsOfIndex(page, displayName) {
  return [...flawsOfPage(page, displayName), ...unbalanced(page)];
}

/**
 * What the Pulumi Registry would refuse in docs/installation-configuration.md, in sentences.
 *
 * @param {string} page - The page.
 * @param {{ displayName: string, name: string, version: string, pluginDownloadURL?: string, packages: string[] }} release
 *   What the page must name: `packages` are the names of the packages in all languages.
 */
export function flawsOfInstallation(page, { displayName, name, version, pluginDownloadURL, packages }) {
  const server = pluginDownloadURL ?? "github://api.github.com/OWNER/REPOSITORY";
  const wanted = [
    [`pulumi plugin install resource ${name} v${version} --server ${server}\n`, "the command that installs the plugin"],
    [`pulumi package add ${name}@${version}\n`, "the command that generates an SDK"],
    ...packages.map((each) => [`\`${each}\``, "the name of a package"]),
  ];
  return [
    ...flawsOfPage(page, `${displayName} Installation & Configuration`),
    ...wanted.flatMap(([text, words]) => (page.includes(text) ? [] : [`it lacks ${words}: ${text.trim()}`])),
  ];
}

/** What both pages must be. */
function flawsOfPage(page, title) {
  const [, head = "", body = page] = /^---\n([\s\S]*?)\n---\n([\s\S]*)$/.exec(page) ?? [];
  const { title: given, meta_desc: summary = "", layout } = parse(head) ?? {};
  const text = withoutCode(body);
  return [
    ...(given === title ? [] : [`its title must be ${JSON.stringify(title)}`]),
    ...(layout === "package" ? [] : ['its layout must be "package"']),
    ...(summary.length >= 50 && summary.length <= 160 ? [] : ["its meta_desc must have 50 to 160 characters"]),
    ...(/^# /m.test(text) ? ["it must have no heading of the first level, because the title is one"] : []),
    ...Array.from(text.matchAll(/<!--|<\/?[a-z][^>]*>/gi), ([tag]) => `it must not contain HTML: ${tag}`),
    ...Array.from(text.matchAll(/(!?)\[[^\]]*\]\(([^)\s]*)/g), ([, image, target]) => {
      return /^(https:\/\/|#)/.test(target) ? "" : `the ${image ? "image" : "link"} ${target} must be absolute`;
    }).filter((flaw) => flaw !== ""),
  ];
}

/** Shortcodes that are opened and not closed, which would end the Registry's build. */
function unbalanced(page) {
  return ["chooser", "choosable"]
    .filter((name) => {
      const count = (pattern) => page.match(pattern)?.length ?? 0;
      return count(new RegExp(`\\{\\{[<%] ${name} `, "g")) !== count(new RegExp(`\\{\\{[<%] /${name} `, "g"));
    })
    .map((name) => `a ${name} is not closed`);
}

/** The text without fenced blocks and code in lines, in which angle brackets and links mean something else. */
function withoutCode(text) {
  return text
    .replace(/^```[\s\S]*?^```$/gm, "")
    .replace(/`[^`\n]*`/g, "")
    .replace(/\{\{[<%].*?[%>]\}\}/g, "");
}
