// What the report in the picture joins: three states and the lists of two accounts. All of it is invented.
import { stateIn } from "../../dist/cli/state/states.js";
import { nameOf, newMark } from "../../dist/provider/keys/naming.js";
import { readDeployment } from "../../dist/provider/stack/deployment.js";

export const NOW = Date.parse("2026-11-21T09:00:00Z");
const DAY = 86_400_000;
const [SHOP, MAIL, DATA] = ["prod::shop", "prod::mail", "eu::data"];
const DYNAMIC = "pulumi-nodejs:dynamic/keyplane:";

const at = (days) => new Date(NOW + days * DAY).toISOString();

/** The name of the n-th key of a resource, whose URN begins with that of its stack. */
function named(prefix, stack, n = 1) {
  return nameOf(prefix, newMark(`urn:pulumi:${stack}::${prefix}`, "0"), n);
}

/** A key in a list. `used` is its last use, in days before the report; `null` if it was never used. */
function key(id, name, created, used, from = "203.0.113.21") {
  const lastUsedAt = used === null ? null : at(-used);
  return { id, name, createdAt: at(-created), lastUsedAt, lastUsedFromAddr: used === null ? null : from };
}

const keys = [
  key("100214", named("web", SHOP), 21, 0.001),
  key("100213", named("checkout", SHOP, 2), 1.2, 0.01, "203.0.113.34"),
  key("100187", named("checkout", SHOP), 31.2, 0.4, "203.0.113.35"),
  key("100171", named("ci", SHOP), 97, 0.2, "198.51.100.64"),
  key("100198", named("newsletter", MAIL), 48, 0.05, "203.0.113.80"),
  key("100042", "deploy-bot", 163, 143, "198.51.100.7"),
  key("100001", "keyplane-admin", 170, 0, "198.51.100.64"),
];
const abroad = [key("300017", named("warehouse", DATA), 55, 0.1, "192.0.2.19")];
const name = (id) => [...keys, ...abroad].find((record) => record.id === id).name;

/** A state of a stack that was saved some days before the report. */
function state(place, saved, resources) {
  const [stack] = place.split("::");
  const urnOf = (type, resource) => `urn:pulumi:${place}::${type}::${resource}`;
  const records = resources.map(({ type, name: resource, uses, ...members }) => ({
    ...{ urn: urnOf(type, resource), type, custom: true },
    ...(uses ? { propertyDependencies: { value: uses.map(([kind, user]) => urnOf(`${DYNAMIC}${kind}`, user)) } } : {}),
    ...members,
  }));
  const deployment = { manifest: { time: at(-saved) }, resources: records };
  return stateIn(`${stack}.json`, readDeployment(JSON.stringify({ version: 3, deployment })));
}

function held(kind, resource, keyId, outputs) {
  const own = { keyId, name: name(keyId), __account: abroad.some(({ id }) => id === keyId) ? "eu" : "own", ...outputs };
  return { type: `${DYNAMIC}${kind}`, name: resource, id: "handle", outputs: own };
}

const shop = state(SHOP, 1.1, [
  held("ApiKey", "web", "100214", { createdAt: at(-21), rotateAt: at(69) }),
  held("RotatingApiKey", "checkout", "100213", {
    ...{ createdAt: at(-1.2), deliveredAt: at(-1.1), rotateAt: at(28.8), rotatedAt: at(-1.2), retireAfter: at(0.9) },
    ...{ previousKeyId: "100187", previousName: name("100187") },
  }),
  held("ApiKey", "ci", "100171", { createdAt: at(-97), rotateAt: at(-7) }),
  { type: "kubernetes:core/v1:Secret", name: "web-key", id: "shop/web-key", uses: [["ApiKey", "web"]] },
  {
    ...{ type: "aws:secretsmanager/secretVersion:SecretVersion", name: "checkout-key", id: "checkout-key" },
    uses: [["RotatingApiKey", "checkout"]],
  },
  {
    type: "github:index/actionsSecret:ActionsSecret",
    name: "ci-key",
    id: "shop:NEON_API_KEY",
    uses: [["ApiKey", "ci"]],
  },
]);
const mail = state(MAIL, 4, [
  held("RotatingApiKey", "newsletter", "100198", {
    createdAt: at(-48),
    deliveredAt: at(-47.9),
    rotateAt: at(12),
  }),
]);
const data = state(DATA, 2, [
  held("ApiKey", "warehouse", "300017", { createdAt: at(-55), rotateAt: at(35) }),
  { type: "kubernetes:core/v1:Secret", name: "warehouse-key", id: "data/warehouse", uses: [["ApiKey", "warehouse"]] },
]);

const list = (account, origin, records) => ({
  account,
  organizationId: undefined,
  origin,
  mark: account ?? "own",
  keys: records,
});

export const SOURCES = {
  lists: [list(undefined, "https://console.neon.tech", keys), list("eu", "https://eu.example.com", abroad)],
  states: [shop, mail, data],
};
