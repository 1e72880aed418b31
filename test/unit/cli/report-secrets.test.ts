import { expect, test } from "vitest";
import { concealSecrets } from "../../../cli/state/state-keys";
import { readStates } from "../../../cli/state/states";
import { redact } from "../../../provider/secrets";
import { deploymentOf, npmKey } from "./report-sources";
import { sealed } from "./stack-file";

test("every secret of a state that is in plain text is concealed, but no id of a key", () => {
  const plaintext = (value: unknown) => ({ ...sealed, ciphertext: undefined, plaintext: JSON.stringify(value) });
  const outputs = {
    key: "kp_in_clear_text",
    previousKey: plaintext("kp_marked_previous"),
    keyId: plaintext("12345678901"),
    rotationTriggers: plaintext({ at: "kp_in_a_trigger" }),
    adopt: { id: "5", key: "kp_of_an_adoption" },
  };
  concealSecrets(deploymentOf([npmKey("RotatingApiKey", "app", outputs)]));
  for (const secret of ["kp_in_clear_text", "kp_marked_previous", "kp_in_a_trigger", "kp_of_an_adoption"]) {
    expect(redact(`key ${secret}.`)).toBe("key [secret].");
  }
  expect(redact("key 12345678901")).toBe("key 12345678901");
});

test("an option is no name of a stack, because the Pulumi CLI could show secrets for it", async () => {
  await expect(readStates({ stack: ["--show-secrets"] })).rejects.toThrow("does not begin with a hyphen");
});
