import { InputError, KeyplaneError } from "../errors";
import * as functions from "../functions";
import type { Severity } from "../session/engine-link";
import { described } from "../session/run-call";
import type { Session } from "../session/session";
import { fromPulumi, type Values } from "../session/values";

type Name = keyof typeof functions.ARGUMENTS;

const dataSources: Pick<typeof functions, Name> = functions;

/** Whether a function is a data source of the schema. */
const isName = (name: string): name is Name => Object.hasOwn(functions.ARGUMENTS, name);

const FUNCTIONS = `its functions are ${Object.keys(functions.ARGUMENTS).join(", ")}`;

/**
 * Calls a data source; a preview does not wait. A list becomes `{ items }`, because a result is an object in every
 * language.
 */
export async function invoke(
  session: Session,
  { token, args: given, isPreview }: { readonly token: string; readonly args: Values; readonly isPreview: boolean },
): Promise<object> {
  const name = token.replace(/^keyplane:index:/, "");
  try {
    if (!isName(name)) throw new KeyplaneError("KP-INPUT", `is not a function of keyplane; ${FUNCTIONS}`);
    const args = Object.fromEntries(Object.entries(fromPulumi(given)).filter(([, value]) => value !== null));
    functions.checkNames(name, args, functions.ARGUMENTS[name]);
    if (isPreview && name === "waitForOperations") return { items: [] };
    const show = (severity: Severity, text: string) => session.engine.log("", severity, text);
    const controls = {
      onWarning: (text: string) => show("warning", text),
      ...(name === "waitForOperations" && { onProgress: ({ text }: { text: string }) => show("progress", text) }),
    };
    const result = await dataSources[name](session.account(undefined), { ...args, ...controls } as never);
    return Array.isArray(result) ? { items: result } : (result as object);
  } catch (error) {
    // Pulumi does not tell the plugin which arguments are secrets, so no id is repeated. Other arguments are never shown.
    const ids = Object.entries(fromPulumi(given)).filter(([arg]) => /id$|Ids?$/.test(arg));
    throw new Error(functions.hideArguments(described(session, name, error), Object.fromEntries(ids)));
  } finally {
    await session.engine.flush();
  }
}

/** Lists what exists on the service of a resource type: the ids with which it can be imported, and its names. */
export async function listExisting(session: Session, token: string, query: { readonly organizationId?: unknown }) {
  try {
    const account = session.account(undefined);
    const { organizationId, ...others } = query;
    const isProject = token === "keyplane:index:ProjectReady";
    const [other] = Object.keys(others);
    if (other !== undefined) throw new InputError(other, `is not an argument of a list of ${token}`);
    const args = query as { readonly organizationId?: string };
    if (isProject) return (await functions.getProjects(account, args)).map(({ id, name }) => ({ id, name }));
    const keys = await functions.getApiKeys(account, args);
    const prefix = organizationId === undefined ? "" : `${organizationId}/`;
    return keys.map(({ id, name }) => ({ id: prefix + id, name }));
  } catch (error) {
    throw new Error(described(session, `list ${token}`, error));
  } finally {
    await session.engine.flush();
  }
}
