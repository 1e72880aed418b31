import { checkId } from "../ids";
import type { Call } from "../keys/call";
import { newSuffix } from "../keys/naming";
import { withWayOut } from "../keys/out-of-reach";
import { sameScope } from "../keys/scope";
import { type Members, textOf, withoutEmpty } from "../members";
import type { Imported, Made, Result } from "../resources/resource";
import { checkInputs } from "../schema/check";
import { type Difference, diff } from "../schema/diff";
import { type Answer, describing, ResourceLog, reasonsOf, runCall, type Target } from "./run-call";
import type { Session } from "./session";

// The verbs of a resource, as both front ends call them: with plain values, in which `UNKNOWN` stands for what a preview
// does not know yet.

/**
 * Checks the inputs of a resource, without a request, and adds the suffix of its keys: the one that the resource has, or a new
 * one. On a replacement, the engine passes no old inputs. The engine saves the answer before it creates the resource.
 * @param seed - What a new suffix is made from; `UNKNOWN` if a preview must not know it. @default random bytes
 */
export async function checkResource(
  session: Session,
  { type, urn }: Target,
  {
    olds,
    news,
    seed,
  }: { readonly olds: Members; readonly news: Members; readonly seed?: Uint8Array | string | symbol | undefined },
): Promise<{ readonly inputs: Members; readonly reasons: readonly string[] }> {
  return describing(session, { type, urn }, { verb: "check", values: news }, async () => {
    const log = new ResourceLog(session, urn);
    session.soFar.rememberCheck(urn);
    const settings = (account: string | undefined) => session.settingsFor(urn, account);
    const claim = (what: string) => session.soFar.claim(urn, what);
    const call = { settings, claim, now: session.now(), info: log.info, warn: log.warn };
    const { inputs, failures } = checkInputs(type, news, call, olds);
    const reasons = reasonsOf(failures);
    if (!type.hasKeys) return { inputs, reasons };
    const suffix = textOf(olds.__suffix) ?? (typeof seed === "symbol" ? seed : newSuffix(urn, seed));
    if (typeof suffix === "string") session.stack.remember(urn, suffix);
    return { inputs: { ...inputs, __suffix: suffix }, reasons };
  });
}

/** Compares a resource with new inputs, without a request. Shows what the program does not. */
export async function diffResource(
  session: Session,
  { type, urn }: Target,
  { id, outputs, inputs }: { readonly id: string; readonly outputs: Members; readonly inputs: Members },
): Promise<Difference> {
  return describing(session, { type, urn }, { verb: "diff", values: outputs }, async () => {
    session.remember(urn, id, outputs);
    const driftOnly = session.soFar.takeRefresh(id, urn);
    const found = diff(type, outputs, inputs, { now: session.now(), driftOnly });
    const log = new ResourceLog(session, urn);
    for (const reason of found.reasons) log.info(reason);
    // What is replaced in its place must be found there before its successor is created.
    if (found.replaces.length > 0 && sameScope(outputs, inputs)) session.soFar.replaced.set(urn, outputs);
    else session.soFar.replaced.delete(urn);
    return found;
  });
}

export async function createResource(session: Session, target: Target, inputs: Members): Promise<Answer<Made>> {
  const { type, urn } = target;
  return runCall(session, target, { verb: "create", scopeAndSuffix: inputs }, (call) =>
    type.create(inputs, call, session.soFar.replaced.get(urn)),
  );
}

/** The outputs of a resource as it is now; `undefined` if it is gone. */
export async function readResource(
  session: Session,
  target: Target,
  { id, outputs }: { readonly id: string; readonly outputs: Members },
): Promise<Members | undefined> {
  const { state } = await runCall(session, target, { verb: "read", id, scopeAndSuffix: outputs }, async (call) => {
    session.soFar.rememberRead(id, target.urn);
    return { state: await orWayOut(target.type.read(outputs, call), outputs, call) };
  });
  return state;
}

export async function updateResource(
  session: Session,
  target: Target,
  { id, outputs, inputs }: { readonly id: string; readonly outputs: Members; readonly inputs: Members },
): Promise<Answer<Result>> {
  return runCall(session, target, { verb: "update", id, scopeAndSuffix: inputs, outputs }, (call) =>
    target.type.update(outputs, inputs, call),
  );
}

export async function deleteResource(
  session: Session,
  target: Target,
  { id, outputs }: { readonly id: string; readonly outputs: Members },
): Promise<void> {
  await runCall(session, target, { verb: "delete", id, scopeAndSuffix: outputs }, async (call) => {
    await orWayOut(target.type.delete(outputs, call), outputs, call);
    return {};
  });
}

/** The answer of a verb that must not fail for ever, or its error with the way out. */
async function orWayOut<Answer>(answer: Promise<Answer>, outputs: Members, call: Call): Promise<Answer> {
  try {
    return await answer;
  } catch (error) {
    throw withWayOut(error, outputs, call);
  }
}

/**
 * Takes over what exists on the service. The id of a key of an organization is `<organization's id>/<key's id>`.
 * @param importKey - The secret of a key, by its id, if it is known.
 */
export async function importResource(
  session: Session,
  target: Target,
  { path, importKey }: { readonly path: string; readonly importKey: (id: string) => string | undefined },
): Promise<Answer<Imported>> {
  const { type, urn } = target;
  const { hasKeys } = type;
  const slash = hasKeys ? path.lastIndexOf("/") : -1;
  const [organizationId, id] = slash < 0 ? [undefined, path] : [path.slice(0, slash), path.slice(slash + 1)];
  const inputs = withoutEmpty({ organizationId, __suffix: hasKeys ? newSuffix(urn) : undefined });
  return runCall(session, target, { verb: "read", scopeAndSuffix: inputs }, async (call) => {
    if (hasKeys) checkId("apiKey", id, "id");
    if (organizationId !== undefined) checkId("organization", organizationId, "id");
    return type.import(id, importKey(id), inputs, call);
  });
}
