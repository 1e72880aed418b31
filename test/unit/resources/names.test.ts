import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ownerTag, prefixFrom, tagOf } from "../../../provider/keys/names";
import { generatedName } from "../../generated-name";

const OWNER = "3b241101-e2bb-4255-8caf-4136c566a962";

describe("generated names", () => {
  it("contain their owner's tag, and are all different", () => {
    const names = Array.from({ length: 1_000 }, () => generatedName("ci", OWNER));
    expect(new Set(names).size).toBe(1_000);
    for (const name of names) expect(tagOf(name)).toBe(ownerTag(OWNER));
  });

  it("fit the service for any name of the resource", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 200 }), fc.uuid(), (resourceName, owner) => {
        const name = generatedName(prefixFrom(resourceName), owner);
        expect(name).toMatch(/^[a-z0-9][a-z0-9-]*-[a-z2-7]{8}-[a-z2-7]{8}$/);
        expect(name.length).toBeLessThanOrEqual(64);
        expect(tagOf(name)).toBe(ownerTag(owner));
      }),
    );
  });

  it("have a tag that never changes, because old states and lists contain it", () => {
    expect(ownerTag("owner")).toBe("jqics2l6");
    expect(ownerTag(OWNER)).toMatch(/^[a-z2-7]{8}$/);
  });

  it.each(["ci", "CI-aaaaaaaa-bbbbbbbb", "-aaaaaaaa-bbbbbbbb", "ci-aaaaaaa1-bbbbbbbb", "ci-aaaaaaaa-bbbbbbbbb", ""])(
    "are not recognized in %j, which somebody else has chosen",
    (name) => {
      expect(tagOf(name)).toBeUndefined();
    },
  );
});
