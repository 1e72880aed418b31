import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import sodium from "libsodium-wrappers";
import { beforeAll, describe, expect, it, vi } from "vitest";
import { changeOfRecipients, parseRecipients, sameRecipients } from "../../../provider/seal/recipients";
import { seal } from "../../../provider/seal/seal";
import { AgeReader, GitHubReader } from "./opener";

const hasAge = spawnSync("age", ["--version"]).status === 0;
const github = new GitHubReader();
let ann: AgeReader;
let bob: AgeReader;
/** A private key. */
let secret: string;

beforeAll(async () => {
  [ann, bob] = await Promise.all([AgeReader.create(), AgeReader.create()]);
  secret = await (await import("age-encryption")).generateIdentity();
});

const problemOf = (value: unknown) => {
  const parsed = parseRecipients(value);
  return "problem" in parsed ? parsed.problem : undefined;
};

describe("recipients", () => {
  it("are public keys of age and of GitHub, in any combination", () => {
    expect(problemOf({ age: [ann.recipient, bob.recipient.toUpperCase()] })).toBeUndefined();
    expect(problemOf({ githubActions: { key: github.key } })).toBeUndefined();
    const found = { id: "app", repository: "app", keyId: "568250167242549743", key: github.key };
    expect(problemOf({ age: [ann.recipient], githubActions: found })).toBeUndefined();
    // `pulumi config set --path` stores digits as a number.
    expect(problemOf({ githubActions: { ...found, keyId: 568250167242549 } })).toBeUndefined();
  });

  it("that are incomplete or misspelled are refused, so that no key is sealed for nobody", () => {
    const { recipient } = ann;
    const last = recipient.endsWith("q") ? "p" : "q";
    for (const wrong of ["", "age1", recipient.slice(0, -1), `${recipient.slice(0, -1)}${last}`, `x${recipient}`, 7]) {
      expect(problemOf({ age: [bob.recipient, wrong] }), String(wrong)).toContain("at age[1]");
    }
    for (const key of ["", github.key.slice(1), `${github.key}=`, github.key.replace("=", "-"), undefined]) {
      expect(problemOf({ githubActions: { key } })).toContain("githubActions.key");
    }
    for (const nobody of [{}, { age: [] }, { age: ann.recipient }, [], "age", null, { gpg: "x" }]) {
      expect(problemOf(nobody), JSON.stringify(nobody)).toMatch(/must/);
    }
  });

  it("of another kind or length are refused, though their checksum is right", () => {
    const plugin = "age1yubikey1qyyq79says4nyw2qga892hrrdfchslux3k2fhg4fkzmma3wv60dwz4azl0q";
    const short = "age1qyyq79says4nyw2qga892hrrdfchslux3k2fhg4fkzmma3wv6vj9udqu";
    const prefix = "agex1cydaj0nvgvy7qnk2qjllu3xmnll2hycdzm7r8gclxzl9qalkcvtqa8spcs";
    for (const other of [plugin, short, prefix])
      expect(problemOf({ age: [other] })).toContain("this kind of recipient");
  });

  it("that are private keys are refused in words that do not repeat them", () => {
    const problem = problemOf({ age: [secret] });
    expect(problem).toContain("private key");
    expect(problem?.toLowerCase()).not.toContain(secret.slice(16).toLowerCase());
    expect(problemOf({ age: ["ssh-ed25519 AAAA"] })).toContain("SSH");
  });

  it("are the same in any order, in any case, and under another id of GitHub", () => {
    const one = { age: [ann.recipient, bob.recipient], githubActions: { key: github.key, keyId: "1" } };
    const other = { age: [bob.recipient.toUpperCase(), ann.recipient], githubActions: { key: github.key, keyId: "2" } };
    expect(sameRecipients(one, other)).toBe(true);
    expect(sameRecipients(undefined, undefined)).toBe(true);
    expect(sameRecipients(one, { age: one.age })).toBe(false);
    expect(sameRecipients({ age: [ann.recipient] }, { age: [bob.recipient] })).toBe(false);
    expect(changeOfRecipients(one, other)).toBeUndefined();
    expect(changeOfRecipients(one, undefined)).toContain("removed");
    expect(changeOfRecipients(undefined, one)).toContain("history");
    expect(changeOfRecipients(one, { age: [Symbol("unknown")] })).toContain("not known yet");
  });
});

describe("a sealed text", () => {
  it("is opened by every recipient of age, and by nobody else", async () => {
    const { age } = await seal("napi_1", { age: [ann.recipient, bob.recipient.toUpperCase()] });
    expect(age).toMatch(/^-----BEGIN AGE ENCRYPTED FILE-----\n/);
    expect(await ann.open(age)).toBe("napi_1");
    expect(await bob.open(age)).toBe("napi_1");
    await expect((await AgeReader.create()).open(age)).rejects.toThrow();
    expect((await seal("napi_1", { age: [ann.recipient] })).age).not.toBe(age);
  });

  it.skipIf(!hasAge)("is opened by the program age (not tried without one on the PATH)", async () => {
    const folder = mkdtempSync(join(tmpdir(), "keyplane-age-"));
    try {
      const { identityToRecipient } = await import("age-encryption");
      const { age = "" } = await seal("napi_1", { age: [ann.recipient, await identityToRecipient(secret)] });
      writeFileSync(join(folder, "sealed.age"), age);
      const args = ["--decrypt", "-i", "-", join(folder, "sealed.age")];
      expect(spawnSync("age", args, { input: secret, encoding: "utf8" })).toMatchObject({
        stdout: "napi_1",
        stderr: "",
      });
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  it("is not made for a recipient whose secret everybody can compute, which a preview refuses", async () => {
    const { bech32 } = await import("@scure/base");
    for (const x of [0, 1]) {
      const key = Uint8Array.of(x, ...new Uint8Array(31));
      const age = { age: [bech32.encodeFromBytes("age", key)] };
      const githubActions = { githubActions: { key: Buffer.from(key).toString("base64") } };
      for (const recipients of [age, githubActions]) {
        expect(problemOf(recipients)).toContain("nothing can be sealed to it");
        await expect(seal("napi_1", recipients)).rejects.toThrow();
      }
    }
  });

  it("is made whenever Node's garbage collector runs", () => {
    // Garbage of many sizes lets the collector run at every point of the loop.
    const code = `const { agreeWith } = require("./dist/provider/seal/x25519.js");
const { share } = agreeWith(Uint8Array.of(9, ...new Uint8Array(31)));
const garbage = [];
for (let count = 0; count < 5_000; count++) {
  garbage[count & 63] = ["x".repeat((count * 7919) % 300) + count, new Array((count * 104729) % 199)];
  agreeWith(share);
}`;
    const { status } = spawnSync(process.execPath, ["--max-semi-space-size=1", "-e", code], { timeout: 60_000 });
    expect(status).toBe(0);
  }, 70_000);

  it("leaves no bytes of the secret behind", async () => {
    const secret = "napi_3_of_the_caller";
    const from = vi.spyOn(Buffer, "from");
    await seal(secret, { age: [ann.recipient], githubActions: { key: github.key } });
    const made = from.mock.results.flatMap(({ value }) => (Buffer.isBuffer(value) ? [value] : []));
    const copies = from.mock.calls.filter(([value]) => (value as unknown) === secret);
    from.mockRestore();
    expect(copies.length).toBeGreaterThan(0);
    expect(made.filter((bytes) => bytes.includes(secret))).toEqual([]);
  });

  it("for GitHub is a sealed box of libsodium", async () => {
    await sodium.ready;
    const { publicKey, privateKey } = sodium.crypto_box_keypair();
    const base64 = (bytes: Uint8Array) => Buffer.from(bytes).toString("base64");
    for (const text of ["napi_1", "ä".repeat(100)]) {
      const { githubActions = "" } = await seal(text, { githubActions: { key: base64(publicKey) } });
      const box = Buffer.from(githubActions, "base64");
      expect(sodium.crypto_box_seal_open(box, publicKey, privateKey, "text")).toBe(text);
      expect(() => github.open(githubActions)).toThrow();
    }
    // The reader that other tests use opens what libsodium makes.
    const made = sodium.crypto_box_seal("napi_2", Buffer.from(github.key, "base64"));
    expect(github.open(base64(made))).toBe("napi_2");
  });
});
