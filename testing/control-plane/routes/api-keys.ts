import { keyRoutes, requireUser } from "./key-collection";

/** The account's keys. */
export const apiKeyRoutes = keyRoutes({
  path: "/api_keys",
  of: "the account",
  owned(call) {
    requireUser(call, 404);
    return ({ kind }) => kind === "account";
  },
  scopeOfNew(call) {
    requireUser(call, 403);
    return { kind: "account" };
  },
});
