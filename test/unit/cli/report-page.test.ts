import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { resolve } from "node:path";
import { expect, test } from "vitest";
import { joinReport } from "../../../cli/report/join";
import { pageOf } from "../../../cli/report/page";
import { readPageParts } from "../../../cli/report/page-parts";
import { STYLE } from "../../../cli/report/page-style";
import type { Report } from "../../../cli/report/report-data";
import { stateIn } from "../../../cli/state/states";
import type { ApiKeyRecord } from "../../../provider/api";
import { conceal } from "../../../provider/secrets";
import { deploymentOf, listOf, npmKey } from "./report-sources";
import { folderWith } from "./support";

const NOW = Date.parse("2026-11-21T00:00:00Z");
const parts = readPageParts(resolve(__dirname, "../../../dist/cli/report"));

function report(keys: readonly Partial<ApiKeyRecord>[], ...resources: Parameters<typeof deploymentOf>[0]): Report {
  const states = [stateIn("dev.json", deploymentOf(resources))];
  return joinReport({ lists: [listOf(keys)], states }, { now: NOW, unusedFor: { text: "90d", ms: 7_776_000_000 } });
}

/** The report that a page contains. */
function dataIn(page: string): Report {
  const [, json = ""] = /<script type="application\/json" id="data">(.*?)<\/script>/s.exec(page) ?? [];
  return JSON.parse(json) as Report;
}

/** The page without its own style and script, which is what others can write into. */
const foreign = (page: string) => page.replace(parts.style, "").replace(parts.script, "");

const HOSTILE = [
  "</script><script>alert(1)</script>",
  "<!--<script>",
  `"><img src=x onerror='alert(1)'>`,
  "&lt;b&gt;&amp;`$1",
  "]]><svg onload=alert(1)>",
  "\u2028\u2029\u0000",
];

test.each(HOSTILE)("the name %j ends no element of the page, and is read as it is", (name) => {
  const key = npmKey("ApiKey", name, { keyId: "7", name, account: name });
  const page = pageOf(report([{ id: "7", name, createdBy: name }], { ...key }), parts);
  // All that others wrote is in the data or is escaped, so the page has no other elements than with a harmless name.
  const tagsIn = (text: string) => foreign(text).match(/<[a-z!/][^>]*>/gi) ?? [];
  const harmless = npmKey("ApiKey", "x", { keyId: "7", name: "x", account: "x" });
  const plain = pageOf(report([{ id: "7", name: "x", createdBy: "x" }], harmless), parts);
  expect(tagsIn(page)).toEqual(tagsIn(plain));
  expect(dataIn(page).keys[0]?.name).toBe(name.replace(/[\u2028\u2029\0]+/g, " ").trim());
});

test("texts outside the table are escaped, too", () => {
  const [text] = ['<b a="1">\'&'];
  const state = deploymentOf([npmKey("ApiKey", text, {})], text);
  const unread = { ...listOf([]), account: "eu", keys: undefined, problem: text };
  const terms = { now: NOW, unusedFor: { text: "90d", ms: 1 } };
  const page = pageOf(joinReport({ lists: [listOf([]), unread], states: [stateIn(text, state)] }, terms), parts);
  expect(page).toContain("Account eu could not be read: &#60;b a=&#34;1&#34;&#62;&#39;&#38;");
  expect(page).not.toContain("<b ");
});

test("a name cannot reverse, hide or colour the text around it", () => {
  const page = pageOf(report([{ id: "7", name: "\u202eevil\u2066\u001b[31mred\u200b\u0085end" }]), parts);
  expect(foreign(page).replaceAll("\n", "")).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u);
  expect(dataIn(page).keys[0]?.name).toBe("evil red end");
});

test("a long text is cut, so that it does not fill the page", () => {
  const page = pageOf(report([{ id: "7", name: "x".repeat(100_000) }]), parts);
  expect(dataIn(page).keys[0]?.name).toHaveLength(300);
});

test("no secret that this process knows is in the page", () => {
  conceal("kp_the_secret_of_a_page");
  const page = pageOf(report([{ id: "7", name: "kp_the_secret_of_a_page" }]), parts);
  expect(page).not.toContain("kp_the_secret_of_a_page");
  expect(dataIn(page).keys[0]?.name).toBe("[secret]");
});

test("the policy allows exactly the script and the style of the page, and nothing from outside", () => {
  const page = pageOf(report([]), parts);
  const hashOf = (text = "") => `'sha256-${createHash("sha256").update(text).digest("base64")}'`;
  const [, style] = /<style>(.*?)<\/style>/s.exec(page) ?? [];
  const [, script] = /<script>(.*?)<\/script>/s.exec(page) ?? [];
  const [, policy = ""] = /http-equiv="Content-Security-Policy" content="([^"]*)"/.exec(page) ?? [];
  expect(policy.split("; ")).toEqual([
    ...["default-src 'none'", `script-src ${hashOf(script)}`, `style-src ${hashOf(style)}`],
    ...["base-uri 'none'", "form-action 'none'", "require-trusted-types-for 'script'", "trusted-types 'none'"],
  ]);
  // The policy comes before everything that it limits.
  expect(page.indexOf("Content-Security-Policy")).toBeLessThan(page.indexOf("<style>"));
  // Addresses in the page: the namespace of SVG.
  expect(page.match(/https?:\/\/[^\s"'<\\]*/g)?.filter((url) => !url.startsWith("https://service.example"))).toEqual([
    "http://www.w3.org/2000/svg",
  ]);
  expect(foreign(page)).not.toMatch(/ (style|on\w+|src|href)=/);
});

test("the script writes text only as text", () => {
  expect(parts.script).not.toMatch(
    /innerHTML|outerHTML|insertAdjacentHTML|document\.write|eval\(|new Function|<\/script|<!--/i,
  );
});

test("the table has a caption, scopes and a sorted column, and every control has a label", () => {
  const page = pageOf(report([{ id: "7", name: "x" }]), parts);
  expect(page).toMatch(/<table id="table" role="table">\n<caption>/);
  const heads = page.match(/<th [^>]*>/g) ?? [];
  expect(heads.length).toBeGreaterThan(8);
  expect(heads.filter((head) => !head.includes('scope="'))).toEqual([]);
  expect(page.match(/aria-sort="ascending"/g)).toHaveLength(1);
  for (const control of page.match(/<(input|select)/g) ?? []) expect(page).toContain(`${control} id=`);
  expect(page.match(/<label>[^<]+<(input|select)/g)).toHaveLength(3);
});

/** The contrast of two colours, as WCAG defines it. */
function contrast(one: string, other: string): number {
  const [light = 0, dark = 0] = [one, other].map(luminance).toSorted((a, b) => b - a);
  return (light + 0.05) / (dark + 0.05);
}

function luminance(colour: string): number {
  const digits = colour.slice(1).replace(/^(.)(.)(.)$/, "$1$1$2$2$3$3");
  const [red = 0, green = 0, blue = 0] = [0, 2, 4].map((at) => {
    const value = Number.parseInt(digits.slice(at, at + 2), 16) / 255;
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

test("all text has enough contrast, in light, in dark and on paper", () => {
  const [screen = "", print = "", ...more] = Array.from(STYLE.matchAll(/:root \{([^}]*)\}/g), ([, body = ""]) => body);
  const coloursIn = (text: string, form: RegExp) =>
    new Map(Array.from(text.matchAll(form), ([, name = "", colour = ""]) => [name, colour]));
  const light = coloursIn(screen, /--(\w+): light-dark\((#\w+), #\w+\);/g);
  const dark = coloursIn(screen, /--(\w+): light-dark\(#\w+, (#\w+)\);/g);
  const paper = coloursIn(print, /--(\w+): (#\w+);/g);
  expect([light.size, dark.size, paper.size, more]).toEqual([9, 9, 5, []]);
  expect([screen, print]).toEqual([
    expect.stringContaining("color-scheme: light dark;"),
    expect.stringContaining("color-scheme: light;"),
  ]);
  for (const theme of [light, dark, new Map([...light, ...paper])]) {
    for (const name of ["text", "faint", "accent", "bad", "warn", "good"]) {
      for (const ground of ["paper", "raised"]) {
        expect(contrast(theme.get(name) ?? "", theme.get(ground) ?? ""), `${name} on ${ground}`).toBeGreaterThan(4.5);
      }
    }
  }
});

test("the style passes the linter, which cannot see it in its file", async () => {
  const cwd = await folderWith({ "page.css": STYLE });
  const biome = resolve("node_modules/@biomejs/biome/bin/biome");
  const lint = () => execFileSync(process.execPath, [biome, "lint", "--error-on-warnings", "page.css"], { cwd });
  expect(lint).not.toThrow();
});
