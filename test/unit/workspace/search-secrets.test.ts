import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { searchSecrets } from "../../../testing/workspace/search-secrets";

const SECRET = `s3cret"<key>/of+the day&é`;

describe("searching for secrets", () => {
  let folder = "";
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "keyplane-search-"));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  const formsIn = async (text: string) => {
    const findings = await searchSecrets({ key: SECRET }, { texts: { text } });
    expect(JSON.stringify(findings), "a finding must not repeat the secret").not.toContain("s3cret");
    return findings.map((finding) => finding.form);
  };

  test.each([
    ["raw", `before ${SECRET} after`],
    ["JSON-escaped", JSON.stringify({ key: SECRET })],
    ["JSON-escaped twice", JSON.stringify(JSON.stringify({ key: SECRET }))],
    ["JSON-escaped for HTML", String.raw`"s3cret\"\u003ckey\u003e/of+the day\u0026é"`],
    ["URL-encoded", `https://example.test/?key=${encodeURIComponent(SECRET)}`],
    ["form-encoded", `a=b&key=${new URLSearchParams({ key: SECRET }).toString().slice("key=".length)}`],
    ["hex", `0x${Buffer.from(SECRET).toString("hex")}`],
    ["hex", Buffer.from(SECRET).toString("hex").toUpperCase()],
  ])("finds a secret that is %s", async (form, text) => {
    expect(await formsIn(text)).toContain(form);
  });

  test.each([0, 1, 2, 3, 4, 5])("finds it in base64 that begins %i bytes before it", async (before) => {
    const bytes = Buffer.concat([Buffer.alloc(before, "x"), Buffer.from(SECRET), Buffer.from("after")]);
    expect(await formsIn(`token: ${bytes.toString("base64")}.`)).toContain("base64");
    // If both alphabets give the same text, the finding says base64.
    expect(await formsIn(`token: ${bytes.toString("base64url")}.`)).toContainEqual(expect.stringMatching(/^base64/));
  });

  test("finds nothing if there is only a part of the secret", async () => {
    expect(await formsIn(`${SECRET.slice(0, -1)} ${Buffer.from(SECRET.slice(0, -3)).toString("base64")}`)).toEqual([]);
  });

  test("names a file deep in a folder, and says so if a file's name contains the secret", async () => {
    mkdirSync(join(folder, "a", "b"), { recursive: true });
    writeFileSync(join(folder, "a", "b", "state.json"), JSON.stringify({ nested: "planted-secret" }));
    writeFileSync(join(folder, "a", "planted-secret.log"), "harmless");
    const findings = await searchSecrets({ key: "planted-secret", other: "other-secret" }, { paths: [folder] });
    expect(findings).toEqual(
      expect.arrayContaining([
        { secret: "key", place: join(folder, "a", "b", "state.json"), form: "raw" },
        { secret: "key", place: `the name of a file in ${folder}`, form: "raw" },
      ]),
    );
    expect(findings).toHaveLength(2);
  });

  test("does not follow links out of the folder", async () => {
    mkdirSync(join(folder, "outside"));
    mkdirSync(join(folder, "inside"));
    writeFileSync(join(folder, "outside", "file"), "planted-secret");
    symlinkSync(join(folder, "outside"), join(folder, "inside", "link"));
    expect(await searchSecrets({ key: "planted-secret" }, { paths: [join(folder, "inside")] })).toEqual([]);
  });

  test("refuses a secret that is so short that it can occur by chance", async () => {
    await expect(searchSecrets({ key: "short" }, {})).rejects.toThrow("secret key is too short");
  });
});
