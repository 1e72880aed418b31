import { keyRoutes, requireUser } from "./key-collection";

/** The keys of the account. */
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
