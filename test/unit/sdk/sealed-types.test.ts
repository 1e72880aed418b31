import type * as pulumi from "@pulumi/pulumi";
import { expect, test } from "vitest";
import type { ApiKey, ApiKeyArgs, RotatingApiKey, SealedKey, SealTo } from "../../../sdk/nodejs";

type Output<Of, Name extends keyof Of> = Of[Name] extends pulumi.Output<infer Value> ? Value : never;
type Same<One, Other> = [One, Other] extends [Other, One] ? true : false;

/** What a constructor returns for arguments, without a call. */
declare function made<Seal extends pulumi.Input<SealTo> | undefined = undefined>(args: ApiKeyArgs<Seal>): ApiKey<Seal>;

test("the types know by the arguments whether a key is readable, and programs without sealTo do not change", () => {
  const plain = () => made({ rotateAfter: "90d" });
  const sealed = () => made({ rotateAfter: "90d", sealTo: { age: ["age1"] } });
  const declared = (args: ApiKeyArgs) => made(args);
  const passed = (key: ApiKey, rotating: RotatingApiKey): pulumi.Output<string>[] => [key.key, rotating.key];
  // @ts-expect-error A sealed key is no readable key.
  const wrong = () => passed(sealed(), {} as RotatingApiKey);
  // @ts-expect-error A misspelled argument is still an error.
  const misspelled = () => made({ rotateAftr: "90d" });
  const same: true[] = [
    true satisfies Same<Output<ReturnType<typeof plain>, "key">, string>,
    true satisfies Same<Output<ReturnType<typeof declared>, "key">, string>,
    true satisfies Same<Output<ReturnType<typeof sealed>, "key">, null>,
    true satisfies Same<Output<ReturnType<typeof sealed>, "sealedKey">, SealedKey>,
    true satisfies Same<Output<RotatingApiKey, "key">, string>,
    true satisfies Same<Output<RotatingApiKey<SealTo>, "key">, string | null>,
  ];
  expect([same.length, typeof wrong, typeof misspelled]).toEqual([6, "function", "function"]);
});
