import { PolicyPack } from "@pulumi/policy";
import { maskSecrets } from "./mask-secrets";
import { revocationViolation, rotationViolation, secretsInClear } from "./rules";

const isMasked = maskSecrets();

new PolicyPack("keyplane", {
  policies: [
    {
      name: "keys-are-rotated",
      description: "An API key is rotated by its age or by a trigger.",
      enforcementLevel: "mandatory",
      validateResource: (resource, report) => {
        const violation = rotationViolation(resource);
        if (violation !== undefined) report(violation);
      },
    },
    {
      name: "keys-are-revoked",
      description: "An API key is revoked when its resource is deleted.",
      enforcementLevel: "advisory",
      validateResource: (resource, report) => {
        const violation = revocationViolation(resource);
        if (violation !== undefined) report(violation);
      },
    },
    {
      name: "secrets-stay-secret",
      description: "The secret of an API key does not appear in plain text in any stack output or resource.",
      enforcementLevel: "mandatory",
      validateStack: (stack, report) => {
        if (!isMasked()) stack.notApplicable("This version of Pulumi does not show which values are secrets.");
        for (const { urn, path } of secretsInClear(stack.resources)) {
          report(`\`${path}\` contains a key in plain text. Keep it an output, or mark it with pulumi.secret().`, urn);
        }
      },
    },
  ],
});
