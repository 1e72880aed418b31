import { expect, test } from "vitest";
import type { ApiKeyRecord } from "../../../provider/api";
import { secondLook } from "../../../provider/keys/finding";
import { type KeyList, KeyMemory } from "../../../provider/keys/key-list";

test("a second list is requested once, and again after it could not be read", async () => {
  const key = { id: "7", name: "ci" } as ApiKeyRecord;
  const answers = [Promise.reject(new Error("503")), Promise.resolve([key])];
  let lists = 0;
  const list = () => answers[lists++] ?? Promise.reject(new Error("asked again"));
  const keyList = { keys: { list }, memory: new KeyMemory() } as unknown as KeyList;
  const looks = await Promise.allSettled([secondLook("7", keyList), secondLook("8", keyList)]);
  expect(looks.map(({ status }) => status)).toEqual(["rejected", "rejected"]);
  expect(await secondLook("7", keyList)).toBe(key);
  expect(await secondLook("8", keyList)).toBeUndefined();
  expect(lists).toBe(2);
});
