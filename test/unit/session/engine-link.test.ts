import { expect, test } from "vitest";
import { EngineLink } from "../../../provider/session/engine-link";

test("a message is dropped if there is no engine, and does not fail the work that it reports", async () => {
  const link = new EngineLink("", () => {
    throw new Error("no connection can be made");
  });
  link.log("urn:pulumi:dev::app::t::ci", "info", "waiting", true);
  await expect(link.flush()).resolves.toBeUndefined();
});
