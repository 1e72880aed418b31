import { spawnSync } from "node:child_process";
import { createPublicKey, X509Certificate } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import sodium from "libsodium-wrappers";
import { beforeAll, describe, expect, test, vi } from "vitest";
import { changeOfRecipients, expiredIn, parseRecipients, sameRecipients } from "../../../provider/seal/recipients";
import { seal } from "../../../provider/seal/seal";
import { AgeReader, controller, GitHubReader, RsaReader, vector } from "./opener";

const hasAge = spawnSync("age", ["--version"]).status === 0;
const hasOpenssl = spawnSync("openssl", ["version"]).status === 0;
const github = new GitHubReader();
const kms = new RsaReader();
const { certificate } = controller;
const inShop = { certificate, namespace: "shop", name: "neon.api-key" };
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
  test("are public keys of age and of GitHub, in any combination", () => {
    expect(problemOf({ age: [ann.recipient, bob.recipient.toUpperCase()] })).toBeUndefined();
    expect(problemOf({ githubActions: { key: github.key } })).toBeUndefined();
    const found = { id: "app", repository: "app", keyId: "568250167242549743", key: github.key };
    expect(problemOf({ age: [ann.recipient], githubActions: found })).toBeUndefined();
    // `pulumi config set --path` stores digits as a number.
    expect(problemOf({ githubActions: { ...found, keyId: 568250167242549 } })).toBeUndefined();
  });

  test("that are incomplete or misspelled are refused, so that no key is sealed for nobody", () => {
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

  test("of another kind or length are refused, though their checksum is right", () => {
    const plugin = "age1yubikey1qyyq79says4nyw2qga892hrrdfchslux3k2fhg4fkzmma3wv60dwz4azl0q";
    const short = "age1qyyq79says4nyw2qga892hrrdfchslux3k2fhg4fkzmma3wv6vj9udqu";
    const prefix = "agex1cydaj0nvgvy7qnk2qjllu3xmnll2hycdzm7r8gclxzl9qalkcvtqa8spcs";
    for (const other of [plugin, short, prefix])
      expect(problemOf({ age: [other] })).toContain("this kind of recipient");
  });

  test("that are private keys are refused in words that do not repeat them", () => {
    const problem = problemOf({ age: [secret] });
    expect(problem).toContain("private key");
    expect(problem?.toLowerCase()).not.toContain(secret.slice(16).toLowerCase());
    expect(problemOf({ age: ["ssh-ed25519 AAAA"] })).toContain("SSH");
  });

  test("are certificates of Sealed Secrets and public keys for RSA", () => {
    const scopes = [{ scope: "strict" }, { scope: "namespace-wide", name: undefined }];
    const inCluster = { certificate, scope: "cluster-wide" };
    for (const kubernetes of [inShop, ...scopes.map((scope) => ({ ...inShop, ...scope })), inCluster]) {
      expect(problemOf({ kubernetes })).toBeUndefined();
    }
    expect(problemOf({ kubernetes: { ...inShop, certificate: `kubeseal says\r\n${certificate}` } })).toBeUndefined();
    expect(problemOf({ rsa: [kms.pem, kms.pem.trim()] })).toBeUndefined();
  });

  test("in Kubernetes are refused with the member that is wrong", () => {
    for (const [wrong, member] of [
      [{ certificate: undefined }, "kubernetes.certificate"],
      [{ certificate: kms.pem }, "kubernetes.certificate"],
      [{ certificate: certificate.replace("MII", "AII") }, "missing or changed"],
      [{ certificate: vector("ec.crt") }, "not for RSA"],
      [{ certificate: vector("weak.crt") }, "1024 bits"],
      [{ namespace: undefined }, "kubernetes.namespace"],
      [{ namespace: "Shop" }, "kubernetes.namespace"],
      [{ namespace: "a".repeat(64) }, "kubernetes.namespace"],
      [{ namespace: "shop", scope: "namespace-wide", name: "" }, "kubernetes.name"],
      [{ name: undefined }, "kubernetes.name"],
      [{ name: "-key" }, "kubernetes.name"],
      [{ name: "shop/key" }, "kubernetes.name"],
      [{ scope: "Strict" }, "kubernetes.scope"],
      [{ scpoe: "strict" }, "{ certificate, namespace, name, scope }"],
    ] as const) {
      expect(problemOf({ kubernetes: { ...inShop, ...wrong } }), JSON.stringify(wrong)).toContain(member);
    }
    for (const kubernetes of [certificate, [inShop], null]) expect(problemOf({ kubernetes })).toContain("kubernetes");
  });

  test("for RSA are refused if they are weak, everybody's, or no public keys", () => {
    const n = createPublicKey(kms.pem).export({ format: "jwk" }).n ?? "";
    const open = createPublicKey({ key: { kty: "RSA", n, e: "AQ" }, format: "jwk" });
    for (const [pem, why] of [
      [vector("weak.crt"), "BEGIN PUBLIC KEY"],
      ["", "BEGIN PUBLIC KEY"],
      [7, "BEGIN PUBLIC KEY"],
      [kms.pem.replace("MII", "AII"), "missing or changed"],
      [new X509Certificate(vector("weak.crt")).publicKey.export({ format: "pem", type: "spki" }), "1024 bits"],
      [new X509Certificate(vector("ec.crt")).publicKey.export({ format: "pem", type: "spki" }), "not for RSA"],
      [open.export({ format: "pem", type: "spki" }), "everybody"],
    ] as const) {
      const problem = problemOf({ rsa: [kms.pem, pem] });
      expect(problem).toContain("at rsa[1]");
      expect(problem).toContain(why);
    }
    for (const rsa of [[], kms.pem, null]) expect(problemOf({ rsa })).toContain("rsa");
  });

  test("in PEM that have a private key are refused in words that do not repeat it", () => {
    const pem = vector("controller.key");
    for (const both of [pem, certificate + pem, kms.pem + pem]) {
      for (const recipients of [{ rsa: [both] }, { kubernetes: { ...inShop, certificate: both } }]) {
        const problem = problemOf(recipients);
        expect(problem).toContain("private key");
        for (const line of pem.split("\n").slice(1, -2)) expect(problem).not.toContain(line);
      }
    }
  });

  test("in PEM are the same if their key is, and what the controller compares", () => {
    const wrapped = { certificate: `# of the cluster\r\n${certificate.replaceAll("\n", "\r\n")}` };
    const kubernetes = (changed: object) => ({ kubernetes: { ...inShop, ...changed } });
    for (const same of [{}, wrapped, { certificate: vector("controller.crt") }, { scope: "strict" }]) {
      expect(sameRecipients(kubernetes({}), kubernetes(same)), JSON.stringify(same)).toBe(true);
    }
    const wide = { scope: "namespace-wide" };
    expect(sameRecipients(kubernetes(wide), kubernetes({ ...wide, name: "other" }))).toBe(true);
    for (const other of [{ certificate: vector("other.crt") }, { name: "other" }, { namespace: "other" }, wide]) {
      expect(sameRecipients(kubernetes({}), kubernetes(other)), JSON.stringify(other)).toBe(false);
    }
    const other = new RsaReader().pem;
    expect(sameRecipients({ rsa: [kms.pem, other] }, { rsa: [`${kms.pem.trim()}\r\n`, other] })).toBe(true);
    expect(sameRecipients({ rsa: [kms.pem, other] }, { rsa: [other, kms.pem] })).toBe(false);
    expect(changeOfRecipients({ rsa: [kms.pem] }, { rsa: [Symbol("unknown")] })).toContain("not known yet");
  });

  test("have a certificate that expires", () => {
    const end = Date.parse(new X509Certificate(certificate).validTo);
    expect(expiredIn({ kubernetes: inShop }, end)).toBeUndefined();
    expect(expiredIn({ kubernetes: inShop }, end + 1)).toContain("kubeseal --fetch-cert");
    expect(expiredIn({ rsa: [kms.pem] }, end + 1)).toBeUndefined();
  });

  test("are the same in any order, in any case, and under another id of GitHub", () => {
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
  test("is opened by every recipient of age, and by nobody else", async () => {
    const { age } = await seal("napi_1", { age: [ann.recipient, bob.recipient.toUpperCase()] });
    expect(age).toMatch(/^-----BEGIN AGE ENCRYPTED FILE-----\n/);
    expect(await ann.open(age)).toBe("napi_1");
    expect(await bob.open(age)).toBe("napi_1");
    await expect((await AgeReader.create()).open(age)).rejects.toThrow();
    expect((await seal("napi_1", { age: [ann.recipient] })).age).not.toBe(age);
  });

  test.skipIf(!hasAge)("is opened by the program age (not tried without one on the PATH)", async () => {
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

  test("is not made for a recipient whose secret everybody can compute, which a preview refuses", async () => {
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

  test("is made whenever Node's garbage collector runs", () => {
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

  test("leaves no bytes of the secret behind", async () => {
    const secret = "napi_3_of_the_caller";
    const from = vi.spyOn(Buffer, "from");
    const asymmetric = { kubernetes: inShop, rsa: [kms.pem] };
    await seal(secret, { age: [ann.recipient], githubActions: { key: github.key }, ...asymmetric });
    const made = from.mock.results.flatMap(({ value }) => (Buffer.isBuffer(value) ? [value] : []));
    const copies = from.mock.calls.filter(([value]) => (value as unknown) === secret);
    from.mockRestore();
    expect(copies.length).toBeGreaterThan(0);
    expect(made.filter((bytes) => bytes.includes(secret))).toEqual([]);
  });

  test("for Kubernetes is opened only with the label of its scope, as what kubeseal makes", async () => {
    for (const [scope, label] of [
      ["strict", "shop/neon.api-key"],
      ["namespace-wide", "shop"],
      ["cluster-wide", ""],
    ] as const) {
      const { kubernetes } = await seal("napi_1", { kubernetes: { ...inShop, scope } });
      expect(controller.open(kubernetes, label)).toBe("napi_1");
      expect(() => controller.open(kubernetes, "shop/other")).toThrow();
      expect((await seal("napi_1", { kubernetes: { ...inShop, scope } })).kubernetes).not.toBe(kubernetes);
      // The reader opens what kubeseal makes.
      expect(controller.open(vector(`kubeseal-${scope}.txt`), label)).toBe("kp_by_kubeseal");
    }
  });

  test("for RSA is one for each key, in their order, as what openssl makes", async () => {
    const other = new RsaReader();
    const { rsa = [] } = await seal("napi_1", { rsa: [kms.pem, other.pem, kms.pem] });
    expect([kms.open(rsa[0]), other.open(rsa[1]), kms.open(rsa[2])]).toEqual(["napi_1", "napi_1", "napi_1"]);
    expect(() => other.open(rsa[0])).toThrow();
    // The reader opens what openssl makes.
    expect(new RsaReader(controller.privateKey).open(vector("openssl.txt"))).toBe("kp_by_openssl");
  });

  test.skipIf(!hasOpenssl)("for RSA is opened by the program openssl (not tried without one on the PATH)", async () => {
    const { rsa = [] } = await seal("napi_1", { rsa: [new RsaReader(controller.privateKey).pem] });
    const oaep = ["rsa_padding_mode:oaep", "rsa_oaep_md:sha256", "rsa_mgf1_md:sha256"];
    const args = ["pkeyutl", "-decrypt", "-inkey", "test/unit/seal/vectors/controller.key"];
    const options = { input: Buffer.from(rsa[0] ?? "", "base64"), encoding: "utf8" } as const;
    const { stdout } = spawnSync("openssl", [...args, ...oaep.flatMap((each) => ["-pkeyopt", each])], options);
    expect(stdout).toBe("napi_1");
  });

  test("for RSA has at most 190 bytes with 2,048 bits", async () => {
    const { rsa = [] } = await seal("x".repeat(190), { rsa: [kms.pem] });
    expect(kms.open(rsa[0])).toHaveLength(190);
    await expect(seal("x".repeat(191), { rsa: [kms.pem] })).rejects.toThrow();
    const { kubernetes } = await seal("x".repeat(191), { kubernetes: inShop });
    expect(controller.open(kubernetes, "shop/neon.api-key")).toHaveLength(191);
  });

  test("for GitHub is a sealed box of libsodium", async () => {
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
