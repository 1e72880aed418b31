import { writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { joinReport } from "../../cli/report/join";
import { pageOf } from "../../cli/report/page";
import { readPageParts } from "../../cli/report/page-parts";
import { stateIn } from "../../cli/state/states";
import { deploymentOf, listOf, npmKey, urnOf } from "../unit/cli/report-sources";
import { folderWith } from "../unit/cli/support";
import { Browser, findChromium } from "./browser";

const NOW = Date.parse("2026-11-21T00:00:00Z");
const DAY = 86_400_000;
const HOSTILE = `</script><img src="https://evil.example/x" onerror="alert(1)"><b>\u202eevil`;
const chromium = findChromium();

/** A node of the tree that Chromium gives to screen readers. */
interface AccessibleNode {
  readonly ignored: boolean;
  readonly role?: { readonly value: string };
  readonly name?: { readonly value: string };
}

const time = (days: number) => new Date(NOW + days * DAY).toISOString();

/** A page with this many keys: a third each with a date, with a consumer, and without a state. One has a hostile name. */
function pageWith(count: number): string {
  const keys = Array.from({ length: count }, (_, at) => ({
    ...{ id: String(at + 1), name: at === 0 ? HOSTILE : `key-${at}`, createdAt: time(-(at % 300) - 1) },
    ...{ lastUsedAt: at % 7 === 0 ? null : time(-(at % 90) / 2), lastUsedFromAddr: "203.0.113.7" },
  }));
  const resources = keys.flatMap(({ id, name, createdAt }, at) => {
    if (at % 3 === 2) return [];
    const resource = `app-${at}`;
    const dates = at % 3 === 0 ? { rotateAt: time((at % 200) - 20) } : {};
    const key = npmKey("ApiKey", resource, { keyId: id, name, createdAt, ...dates });
    const urn = urnOf(key.type, resource);
    const consumer = { type: "kubernetes:core/v1:Secret", name: `secret-${at}`, propertyDependencies: { data: [urn] } };
    return [key, ...(at % 3 === 1 ? [consumer] : [])];
  });
  const states = [stateIn("dev.json", deploymentOf(resources))];
  const report = joinReport({ lists: [listOf(keys)], states }, { now: NOW, unusedFor: { text: "90d", ms: 90 * DAY } });
  return pageOf(report, readPageParts(resolve(__dirname, "../../dist/cli/report")));
}

// Without a browser these tests are skipped, which does not count as passed.
describe.skipIf(chromium === undefined)("the page of a report in Chromium (not tried without one on the PATH)", () => {
  let browser: Browser;

  beforeAll(async () => {
    browser = await Browser.start(chromium ?? "");
  });

  afterAll(() => browser.close());

  /** Opens a page with this many keys. */
  async function open(count: number, width = 1600, scheme: "light" | "dark" = "light"): Promise<void> {
    const file = join(await folderWith({ "report.html": pageWith(count) }), "report.html");
    await browser.open(pathToFileURL(file).href, width, scheme);
  }

  const rows = () => browser.evaluate<number>('document.querySelectorAll("#keys > tr").length');
  const firstName = () => browser.evaluate<string>('document.querySelector("#keys .name").textContent');
  const focused = () => browser.evaluate<string>("document.activeElement.textContent");

  test("a hostile name is shown as text, and the page requests and reports nothing", async () => {
    await open(12);
    const names = await browser.evaluate<string[]>('[...document.querySelectorAll(".name")].map((e) => e.textContent)');
    expect(names).toContain(HOSTILE.replace("\u202e", " "));
    expect(await browser.evaluate('document.querySelectorAll("img, b, iframe, a").length')).toBe(0);
    expect(browser.problems()).toEqual([]);
    expect(browser.requests()).toEqual([expect.stringMatching(/^file:.*report\.html$/)]);
  });

  test("the policy stops a script, a style, HTML from text, and a request that somebody gets into the page", async () => {
    await open(3);
    const injected = `const script = document.createElement("script");
      try { script.text = "window.injected = true"; document.body.append(script); } catch {}
      const style = document.createElement("style");
      style.textContent = "body { display: none }"; document.head.append(style);
      try { document.body.innerHTML = "<p>x</p>"; } catch {}
      window.sent = fetch("https://evil.example/").then(() => true, () => false);`;
    await browser.evaluate(`(() => { ${injected} })()`);
    expect(await browser.evaluate("window.injected === true")).toBe(false);
    expect(await browser.evaluate("getComputedStyle(document.body).display")).toBe("block");
    expect(await browser.evaluate('document.getElementById("table") !== null')).toBe(true);
    expect(await browser.evaluate("window.sent")).toBe(false);
    expect(browser.problems().length).toBeGreaterThan(0);
  });

  test("keys are filtered and sorted with the keyboard alone, and the focus is visible", async () => {
    await open(12);
    await browser.press("Tab");
    expect(await focused()).toBe("all keys: 12");
    expect(await browser.evaluate("getComputedStyle(document.activeElement).outlineStyle")).toBe("solid");
    await browser.press("Tab");
    await browser.press("Enter");
    expect(await browser.evaluate("document.activeElement.getAttribute('aria-pressed')")).toBe("true");
    expect(await rows()).toBeLessThan(12);
    await browser.evaluate('document.querySelector("#flags button").click()');
    for (let tabs = 0; (await focused()) !== "Key" && tabs < 20; tabs++) await browser.press("Tab");
    await browser.press("Enter");
    expect(await browser.evaluate('document.querySelector("[aria-sort]").textContent')).toBe("Key");
    const ascending = await firstName();
    await browser.press("Enter");
    expect(await browser.evaluate('document.querySelector("[aria-sort]").getAttribute("aria-sort")')).toBe(
      "descending",
    );
    expect(await firstName()).not.toBe(ascending);
    await browser.evaluate('document.getElementById("search").focus()');
    await browser.send("Input.insertText", { text: "secret-4 KEY" });
    expect([await rows(), await firstName()]).toEqual([1, "key-4"]);
    expect(await browser.evaluate('document.getElementById("count").textContent')).toBe("1 of 1 key (12 in all)");
  });

  test.each([
    [400, "light"],
    [400, "dark"],
    [1600, "light"],
    [1600, "dark"],
  ] as const)("at %i pixels in %s, nothing is cut off and no text overlaps the edge", async (width, scheme) => {
    await open(12, width, scheme);
    await browser.evaluate('document.querySelector("#keys summary").click()');
    expect(await browser.evaluate("document.documentElement.scrollWidth")).toBeLessThanOrEqual(width);
    const wide = `[...document.querySelectorAll("#keys *")].filter((e) => e.getBoundingClientRect().right > ${width}).length`;
    expect(await browser.evaluate(wide)).toBe(0);
    const background = await browser.evaluate("getComputedStyle(document.body).backgroundColor");
    expect(background).toBe(scheme === "dark" ? "rgb(15, 20, 26)" : "rgb(255, 255, 255)");
  });

  test("a screen reader finds a table with names for its rows and columns, also at 400 pixels", async () => {
    await open(3, 400);
    await browser.send("Accessibility.enable");
    // Chromium builds this tree in a later frame than the page: its first answers may lack parts of it.
    await vi.waitFor(async () => {
      const tree = (await browser.send("Accessibility.getFullAXTree")) as { nodes: readonly AccessibleNode[] };
      const nodes = tree.nodes.filter(({ ignored }) => !ignored);
      const named = (role: string) => nodes.filter((node) => node.role?.value === role).map(({ name }) => name?.value);
      expect(named("table")).toEqual([expect.stringContaining("Live keys")]);
      expect(named("row")).toHaveLength(4);
      expect(named("rowheader")).toHaveLength(3);
      expect(named("columnheader")).toEqual(expect.arrayContaining(["Due", "What happens next"]));
      expect(named("searchbox")).toEqual(["Search"]);
      expect(named("combobox")).toEqual(["Stack", "Account"]);
      expect(named("image").concat(named("img"))).toContainEqual(expect.stringMatching(/^created 2026/));
    }, 10_000);
  });

  test("10,000 keys are ready in less than two seconds, and scrolling and printing show all of them", async () => {
    const page = pageWith(10_000);
    const file = join(await folderWith({ "report.html": page }), "report.html");
    const times: number[] = [];
    // The machine may be busy, so the best of three attempts counts.
    for (let attempt = 0; attempt < 3 && !(Math.min(...times) < 2_000); attempt++) {
      await browser.open(pathToFileURL(file).href, 1600);
      // The script and the first layout have ended: the page reacts to a click in its next frame.
      times.push(
        await browser.evaluate<number>(
          "new Promise((resolve) => requestAnimationFrame(() => setTimeout(() => resolve(performance.now()), 0)))",
        ),
      );
      await browser.evaluate("document.body.offsetHeight");
    }
    if (process.env.KEYPLANE_REPORT_TIMES) await writeFile(process.env.KEYPLANE_REPORT_TIMES, JSON.stringify(times));
    expect(Math.min(...times)).toBeLessThan(2_000);
    expect(await rows()).toBe(100);
    await browser.evaluate("window.scrollTo(0, document.body.scrollHeight)");
    await browser.until('document.querySelectorAll("#keys > tr").length > 100');
    await browser.evaluate('document.getElementById("search").value = "key-1"');
    await browser.evaluate('document.getElementById("search").dispatchEvent(new Event("input"))');
    await browser.evaluate('window.dispatchEvent(new Event("beforeprint"))');
    expect(await rows()).toBe(1_111);
  });
});
