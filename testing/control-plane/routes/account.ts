import { ApiError } from "../api-error";
import { currentUser } from "./key-records";
import { object, type Route, ref } from "./route";

/** Who the caller is. */
export const accountRoutes: Route[] = [
  {
    method: "GET",
    path: "/auth",
    summary: "Returns the account that a key belongs to, and the kind of the key.",
    answer: {
      status: 200,
      schema: object({
        account_id: { type: "string" },
        auth_method: { enum: ["api_key_user", "api_key_org"] },
        auth_data: { type: "string" },
      }),
    },
    handle({ state, caller }) {
      const { scope } = caller;
      if (scope.kind !== "account") {
        const organization = { account_id: scope.organizationId, auth_method: "api_key_org" };
        return { status: 200, body: { ...organization, auth_data: String(caller.id) } };
      }
      const user = { account_id: state.accountId, auth_method: "api_key_user" };
      return { status: 200, body: { ...user, auth_data: String(caller.id) } };
    },
  },
  {
    method: "GET",
    path: "/users/me",
    summary: "Returns the user that the key belongs to.",
    answer: { status: 200, schema: ref("User") },
    handle({ state, caller }) {
      if (caller.scope.kind !== "account") throw new ApiError(404, "not allowed for organization API keys");
      return { status: 200, body: currentUser(state) };
    },
  },
];
