import fc from "fast-check";
import { expect, test } from "vitest";
import { identityIn, identityOf, markIn, ownerIdIn, sameOwner, urnIn } from "../../../provider/keys/identity";

const ID = "3b241101-e2bb-4255-8caf-4136c566a962";

test("an identity has the parts that it was made of, whatever is in the URN", () => {
  const mark = fc.option(fc.stringMatching(/^[a-z2-7]{0,12}(\.[a-z2-7]{12})?$/), { nil: undefined });
  const urn = fc.option(fc.string({ maxLength: 60 }), { nil: undefined });
  fc.assert(
    fc.property(fc.uuid(), mark, urn, (id, account, of) => {
      const identity = identityOf(id, account, of);
      expect([ownerIdIn(identity), markIn(identity), urnIn(identity)]).toEqual([id, account, of]);
    }),
  );
});

test("identities of the dynamic provider, which have no URN, are read as before", () => {
  expect([ownerIdIn(ID), markIn(ID), urnIn(ID)]).toEqual([ID, undefined, undefined]);
  expect([ownerIdIn(`${ID}.abc`), markIn(`${ID}.abc`), urnIn(`${ID}.abc`)]).toEqual([ID, "abc", undefined]);
});

test("two identities have the same owner whatever their account and their resource", () => {
  expect(sameOwner(`${ID}.abc|urn:a`, `${ID}|urn:b`)).toBe(true);
  expect(sameOwner(`${ID}.abc|urn:a`, `${ID.replace("3b", "4b")}.abc|urn:a`)).toBe(false);
});

test("the identity in outputs of version 0.1 has the separate fingerprint, and that of later outputs is whole", () => {
  expect(identityIn({ owner: ID, credential: "abc" })).toBe(`${ID}.abc`);
  expect(identityIn({ owner: `${ID}.abc|urn:a.b`, credential: "old" })).toBe(`${ID}.abc|urn:a.b`);
  expect(identityIn({ owner: `${ID}|urn:a` })).toBe(`${ID}|urn:a`);
  expect(identityIn({})).toBeUndefined();
});
