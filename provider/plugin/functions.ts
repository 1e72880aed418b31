import { InputError, KeyplaneError } from "../errors";
import { hideArguments } from "../functions/hide-arguments";
import { dataSources } from "../functions/registry";
import { scopeOf } from "../keys/scope";
import type { Properties } from "../schema/resource-type";
import type { Session } from "../session/session";
import { fromPulumi } from "../session/values";
import { described } from "../session/verb";

const FUNCTIONS = `its functions are ${Object.keys(dataSources).join(", ")}`;

/**
 * Calls a data source; a preview does not wait. A list becomes `{ items }`, because a result is an object in every
 * language.
 */
export async function invoke(
  session: Session,
  token: string,
  given: Properties,
  isPreview: boolean,
): Promise<Properties> {
  const name = token.replace(/^keyplane:index:/, "");
  const source = Object.hasOwn(dataSources, name) ? dataSources[name] : undefined;
  try {
    if (source === undefined) throw new KeyplaneError("KP-INPUT", `is not a function of keyplane; ${FUNCTIONS}`);
    const args = Object.fromEntries(Object.entries(fromPulumi(given)).filter(([, value]) => value !== null));
    for (const arg of Object.keys(args).filter((each) => !source.args.includes(each))) {
      const { didYouMean } = await import("../nearest.js");
      const known = `Its arguments are ${source.args.join(", ") || "none"}${didYouMean(arg, source.args)}`;
      throw new InputError(arg, `is not an argument of ${name}. ${known}`);
    }
    if (isPreview && name === "waitForOperations") return { items: [] };
    const show = (text: string, isProgress: boolean) =>
      session.engine.log("", isProgress ? "progress" : "warning", text);
    const controls = {
      onWarning: (text: string) => show(text, false),
      ...(name === "waitForOperations" && { onProgress: (progress: { text: string }) => show(progress.text, true) }),
    };
    const result = await source.call(session.account(scopeOf({})), { ...args, ...controls } as never);
    return Array.isArray(result) ? { items: result } : (result as Properties);
  } catch (error) {
    // Pulumi does not tell the plugin which arguments are secrets, so no id is repeated. Other arguments are never shown.
    const ids = Object.entries(fromPulumi(given)).filter(([arg]) => /id$|Ids?$/.test(arg));
    throw new Error(hideArguments(described(session, name, error), Object.fromEntries(ids)));
  } finally {
    await session.engine.flush();
  }
}
