import { createHash } from "node:crypto";
import { expect, test } from "vitest";
import { type Report, reportOf } from "../../../cli/report/data";
import { pageOf } from "../../../cli/report/page";
import { stateIn } from "../../../cli/state/states";
import type { ApiKeyRecord } from "../../../provider/api";
import { conceal } from "../../../provider/secrets";
import { deploymentOf, listOf, npmKey } from "./report-sources";

const NOW = Date.parse("2026-11-21T00:00:00Z");
const TERMS = { now: NOW, credentials: new Set<ApiKeyRecord>() };

function report(keys: readonly Partial<ApiKeyRecord>[], ...resources: Parameters<typeof deploymentOf>[0]): Report {
  return reportOf([listOf(keys)], [stateIn("dev.json", deploymentOf(resources))], TERMS);
}

/** The text of the page's first row. */
function rowIn(page: string): string {
  const [, row = ""] = /<tbody>\s*<tr>(.*?)<\/tr>/s.exec(page) ?? [];
  const named = { quot: '"', amp: "&", lt: "<", gt: ">" } as const;
  const text = row.replace(/<[^>]*>/g, "\n");
  return text.replace(/&(quot|amp|lt|gt);/g, (_, name: keyof typeof named) => named[name]).replace(/&#39;/g, "'");
}

const HOSTILE = [
  "</script><script>alert(1)</script>",
  "<!--<script>",
  `"><img src=x onerror='alert(1)'>`,
  "&lt;b&gt;&amp;`$1",
  "]]><svg onload=alert(1)>",
  "\u2028\u2029\u0000 x",
];

test.each(HOSTILE)("the name %j ends no element of the page, and is read as it is", (name) => {
  const pageWith = (text: string) => {
    const key = npmKey("ApiKey", text, { keyId: "7", name: text, account: text });
    const unread = { ...listOf([]), account: "eu", keys: undefined, problem: text };
    const states = [stateIn(text, deploymentOf([key], text))];
    return pageOf(reportOf([listOf([{ id: "7", name: text, createdBy: text }]), unread], states, TERMS));
  };
  // All that others wrote is escaped, so the page has no other elements than with a harmless name.
  const tagsIn = (text: string) => text.match(/<[a-z!/][^>]*>/gi) ?? [];
  expect(tagsIn(pageWith(name))).toEqual(tagsIn(pageWith("x")));
  expect(rowIn(pageWith(name)).split("\n")).toContain(name.replace(/[\u2028\u2029\0 ]+/g, " ").trim());
});

test("a name cannot reverse, hide or colour the text around it, and a long one is cut", () => {
  const page = pageOf(
    report([{ id: "7", name: `\u202eevil\u2066\u001b[31mred\u200b\u0085end${"x".repeat(100_000)}` }]),
  );
  expect(page.replaceAll("\n", "")).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u);
  expect(rowIn(page)).toContain("evil red endxxx");
  expect(page.length).toBeLessThan(10_000);
});

test("no secret that this process knows is in the page", () => {
  conceal("kp_the_secret_of_a_page");
  const page = pageOf(report([{ id: "7", name: "kp_the_secret_of_a_page" }]));
  expect(page).not.toContain("kp_the_secret_of_a_page");
  expect(rowIn(page)).toContain("[secret]");
});

test("a row has the key's stack, consumers, age, last use, date and next step", () => {
  const key = npmKey("ApiKey", "ci", { keyId: "7", name: "ci-x", rotateAt: "2026-11-20T00:00:00Z" });
  const row = rowIn(pageOf(report([{ id: "7", name: "ci-x", lastUsedAt: "2026-11-20T22:00:00Z" }], key)));
  const cells = row.split(/\n+/).map((cell) => cell.trim());
  expect(cells).toEqual(expect.arrayContaining(["ci-x", "7 · (default)", "overdue", "shop/dev", "ci (ApiKey)"]));
  expect(cells).toEqual(expect.arrayContaining(["20 d", "2026-11-01", "2 h ago", "2026-11-20", "24 h ago"]));
});

test("the policy allows exactly the style of the page, and nothing from outside", () => {
  const page = pageOf(report([]));
  const [, style = ""] = /<style>(.*?)<\/style>/s.exec(page) ?? [];
  const [, policy = ""] = /http-equiv="Content-Security-Policy" content="([^"]*)"/.exec(page) ?? [];
  const hash = createHash("sha256").update(style).digest("base64");
  expect(policy.replaceAll("&#39;", "'").split("; ")).toEqual([
    "default-src 'none'",
    `style-src 'sha256-${hash}'`,
    "base-uri 'none'",
    "form-action 'none'",
  ]);
  // The policy comes before everything that it limits.
  expect(page.indexOf("Content-Security-Policy")).toBeLessThan(page.indexOf("<style>"));
  expect(page).not.toMatch(/<script|https?:\/\/(?!service\.example)| (style|on\w+|src|href)=/);
});
