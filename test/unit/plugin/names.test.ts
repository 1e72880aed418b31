import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { hasTagOf, isNamedFor, ownerTag, prefixFrom } from "../../../provider/keys/names";
import { generatedName } from "../../generated-name";

const OWNER = "3b241101-e2bb-4255-8caf-4136c566a962";
const OTHER = "9f0c1a77-5d0e-4f4e-9d0b-7c1f0e6a1b22";
const URN = Buffer.from("urn:pulumi:dev::proj::keyplane:index:ApiKey::ci").toString("base64url");

describe("a name of the plugin", () => {
  const name = generatedName("ci", `${OWNER}.abcdefghijkl|${URN}`);

  it("has the tags of its owner and its resource, whatever the account", () => {
    expect(name).toMatch(
      new RegExp(`^ci-${ownerTag(OWNER)}-${ownerTag(Buffer.from(URN, "base64url").toString())}-[a-z2-7]{8}$`),
    );
    expect(isNamedFor(name, `${OWNER}|${URN}`)).toBe(true);
    expect(hasTagOf(name, OWNER)).toBe(true);
  });

  it("is not taken for one of another owner, another resource or the dynamic provider", () => {
    for (const identity of [`${OTHER}|${URN}`, `${OWNER}|${URN}-2`, OWNER, OTHER]) {
      expect(isNamedFor(name, identity), identity).toBe(false);
    }
    expect(hasTagOf(name, OTHER)).toBe(false);
  });

  it("has at most 64 characters for any name of the resource", () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 200 }), fc.uuid(), (resource, owner) => {
        const generated = generatedName(prefixFrom(resource), `${owner}|${URN}`);
        expect(generated).toMatch(/^[a-z0-9][a-z0-9-]*-[a-z2-7]{8}-[a-z2-7]{8}-[a-z2-7]{8}$/);
        expect(generated.length).toBeLessThanOrEqual(64);
        expect(isNamedFor(generated, `${owner}|${URN}`) && hasTagOf(generated, owner)).toBe(true);
      }),
      { examples: [["x".repeat(200), OWNER]] },
    );
  });
});

describe("a name of the dynamic provider", () => {
  it("has the tag of its owner, and of no resource", () => {
    const name = generatedName("ci", OWNER);
    expect([hasTagOf(name, OWNER), isNamedFor(name, OWNER)]).toEqual([true, true]);
    expect([hasTagOf(name, OTHER), isNamedFor(name, `${OWNER}|${URN}`)]).toEqual([false, false]);
  });

  // A prefix can be anything, so a tag in it does not prove who the owner is. An orphan needs both tags.
  it("whose prefix ends like a tag is never an orphan of a resource of the owner with that tag", () => {
    const name = generatedName(`ci-${ownerTag(OWNER)}`, OTHER);
    expect(hasTagOf(name, OTHER)).toBe(true);
    expect(isNamedFor(name, OTHER)).toBe(true);
    expect(isNamedFor(name, OWNER)).toBe(false);
    expect(isNamedFor(name, `${OWNER}|${URN}`)).toBe(false);
  });
});

it.each([
  "ci",
  `ci-${ownerTag(OWNER)}`,
  `${ownerTag(OWNER)}-${ownerTag(URN)}-abcdefgh`,
  `CI-${ownerTag(OWNER)}-abcdefgh`,
])("%j, which somebody else has chosen, has no tag", (name) => {
  expect([hasTagOf(name, OWNER), isNamedFor(name, `${OWNER}|${URN}`)]).toEqual([false, false]);
});
