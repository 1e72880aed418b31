import * as pulumi from "@pulumi/pulumi";
import { ApiKey, type GitHubActionsKey, RotatingApiKey } from "keyplane";

const config = new pulumi.Config();

// Everybody whose public key of age is in the configuration can open this key, with `age --decrypt`.
const age = config.requireObject<string[]>("recipients");
const ops = new RotatingApiKey("ops", {
  sealTo: { age },
  rotationTriggers: { rotation: config.get("rotation") ?? "1" },
  gracePeriod: "24h",
});

// GitHub can open this key. In a program with Pulumi's GitHub provider, the public key comes from
// `github.getActionsPublicKeyOutput`, and the sealed key goes to the input `valueEncrypted` of an `ActionsSecret`.
const githubActions = config.requireObject<GitHubActionsKey>("githubKey");
const ci = new ApiKey("ci", { sealTo: { githubActions }, verify: true });

// A cluster with Sealed Secrets can open this key as the secret of this name only, and a cloud with its own private key.
const place = { namespace: "shop", name: "neon-api-key" };
const shop = new ApiKey("shop", {
  sealTo: {
    kubernetes: { certificate: config.require("clusterCertificate"), ...place },
    rsa: [config.require("cloudKey")],
  },
});

// A sealed key is no secret.
export const opsKey = ops.sealedKey;
export const ciKey = ci.sealedKey.githubActions;
export const shopSecret = {
  apiVersion: "bitnami.com/v1alpha1",
  kind: "SealedSecret",
  metadata: place,
  spec: { encryptedData: { NEON_API_KEY: shop.sealedKey.kubernetes } },
};
export const shopKey = shop.sealedKey.apply(({ rsa }) => rsa?.[0]);
