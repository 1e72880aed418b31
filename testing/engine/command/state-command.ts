/** The commands `state delete`, `state rename`, `state taint` and `state move`, and `stack rename`. */
import { existsSync } from "node:fs";
import { rename } from "node:fs/promises";
import { NotSupportedError } from "../refused";
import { type Deployment, manifestAt, type ResourceState } from "../state/checkpoint";
import { integrityError } from "../state/integrity";
import { urnFields } from "../state/map-urns";
import { moveResources } from "../state/move-resources";
import { Resource } from "../state/resource";
import { DependencyGraph } from "../steps/dependency-graph";
import { stackConfigFile } from "./config";
import type { Flags } from "./flags";
import { locked, OpenStack, placeOf, type StackPlace, stackNamed } from "./stack";

/** `state delete URN` */
export async function stateDelete(flags: Flags, env: NodeJS.ProcessEnv): Promise<void> {
  await edit(flags, env, (states) => {
    const resources = states.map((state) => new Resource(state));
    const named = resources.filter((resource) => resource.urn === flags.words[0]);
    const [resource] = named;
    if (resource === undefined) throw noSuchResource(flags.words[0]);
    if (named.length > 1) throw new NotSupportedError("removing one of several resources with the same name");
    if (resource.state.protect) throw new Error("This resource can't be safely deleted because it is protected");
    const dependents = new DependencyGraph(resources).dependingOn(resource, new Set(), true);
    if (dependents.length > 0) {
      const names = dependents.map((dependent) => dependent.urn).join(", ");
      throw new Error(`This resource can't be safely deleted because the following resources depend on it: ${names}`);
    }
    return states.filter((state) => state !== resource.state);
  });
}

/** `state rename URN NAME` */
export async function stateRename(flags: Flags, env: NodeJS.ProcessEnv): Promise<void> {
  const [urn, name] = flags.words;
  if (urn === undefined || !name) throw new Error("state rename URN NAME: no name");
  const renamed = [...urn.split("::").slice(0, 3), name].join("::");
  await edit(flags, env, (states) => {
    const count = states.filter((state) => state.urn === urn).length;
    if (count === 0) throw noSuchResource(urn);
    if (count > 1) throw new Error("The input URN ambiguously refers to multiple resources");
    if (renamed !== urn && states.some((state) => state.urn === renamed)) {
      throw new Error("The chosen new urn for the state corresponds to an already existing resource");
    }
    const now = (other: string) => (other === urn ? renamed : other);
    return states.map((state) => ({ ...state, ...urnFields(state, now) }));
  });
  console.log("Resource renamed");
}

/** `state taint URN...` */
export async function stateTaint(flags: Flags, env: NodeJS.ProcessEnv): Promise<void> {
  const urns = new Set(flags.words);
  if (urns.size === 0) throw new Error("state taint URN...: no URN");
  await edit(flags, env, (states) => {
    const missing = [...urns].filter((urn) => !states.some((state) => state.urn === urn && !state.delete));
    if (missing.length > 0) throw new Error(missing.map((urn) => noSuchResource(urn).message).join("\n"));
    return states.map((state) => (urns.has(state.urn) && !state.delete ? { ...state, taint: true } : state));
  });
  console.log(`${urns.size} resources tainted`);
}

/** `state move --source STACK --dest STACK URN...` */
export async function stateMove(flags: Flags, env: NodeJS.ProcessEnv): Promise<void> {
  if (!flags.switches.has("yes")) throw new Error("--yes must be passed: the embedded engine does not ask");
  const urns = new Set(flags.words);
  const [from, to] = [await endOf("source", flags, env), await endOf("dest", flags, env)];
  await locked(from, () =>
    locked(to, async () => {
      const [source, dest] = [await OpenStack.open(from, env), await OpenStack.open(to, env)];
      const [old, other] = [stateOf(source), stateOf(dest)];
      const name = { stack: to.stack, project: to.project.name };
      const states = { source: old.resources ?? [], dest: other.resources ?? [] };
      const moved = moveResources(states, urns, name);
      const problem = integrityError(moved.dest) ?? integrityError(moved.source);
      if (problem) throw new Error(`a state would not be valid after the move: ${problem}`);
      for (const urn of urns) {
        if (!states.source.some((state) => state.urn === urn)) console.error(`warning: ${noSuchResource(urn).message}`);
      }
      // The destination is first, so that no resource can be lost.
      await write(dest, withoutPending({ ...other, resources: moved.dest }));
      await write(source, withoutPending({ ...old, resources: moved.source }));
    }),
  );
  console.log(`Successfully moved resources from ${from.stack} to ${to.stack}`);
}

/** `stack rename NAME` */
export async function stackRename(flags: Flags, env: NodeJS.ProcessEnv): Promise<void> {
  const place = await placeOf(flags, env);
  const { project, backend } = place;
  const [name = ""] = flags.words;
  const to = stackNamed(name, project.name);
  if (!/^[\w.-]+$/.test(to.stack) || !/^[\w.-]+$/.test(to.project)) {
    throw new Error("a stack name may only contain alphanumeric, hyphens, underscores, or periods");
  }
  await locked(place, () => backend.rename({ stack: place.stack, project: project.name }, to));
  const config = stackConfigFile(project, place.stack);
  if (existsSync(config)) await rename(config, stackConfigFile(project, to.stack));
  console.log(`Renamed ${place.stack} to ${name}`);
}

/** Removes the pending operations, with a warning for each, as the CLI does before it replaces a state. */
export function withoutPending({ pending_operations: pending = [], ...deployment }: Deployment): Deployment {
  for (const { type, resource } of pending) {
    console.error(`warning: removing pending operation '${type}' on '${resource.urn}' from snapshot`);
  }
  return deployment;
}

/** Changes the resources of a stack. */
async function edit(
  flags: Flags,
  env: NodeJS.ProcessEnv,
  change: (states: readonly ResourceState[]) => readonly ResourceState[],
): Promise<void> {
  const place = await placeOf(flags, env);
  await locked(place, async () => {
    const stack = await OpenStack.open(place, env);
    const deployment = stateOf(stack);
    await write(stack, { ...deployment, resources: change(deployment.resources ?? []) });
  });
}

/** The stack at one end of a move, which must exist. */
async function endOf(flag: "source" | "dest", flags: Flags, env: NodeJS.ProcessEnv): Promise<StackPlace> {
  const name = flags.values.get(flag);
  const named = name === undefined ? flags : { ...flags, values: new Map([...flags.values, ["stack", name]]) };
  const place = await placeOf(named, env, { anyProject: true });
  if (await place.backend.has(place.project.name, place.stack)) return place;
  throw new Error(`no stack named '${place.stack}' found`);
}

function stateOf(stack: OpenStack): Deployment {
  return stack.opened() ?? { manifest: manifestAt(new Date()) };
}

async function write(stack: OpenStack, deployment: Deployment): Promise<void> {
  await stack.writer(() => deployment)();
}

/** The message omits a text that is not a URN, because it could be a misplaced secret. */
function noSuchResource(urn = ""): Error {
  const named = urn.startsWith("urn:") ? `"${urn}"` : "of this name";
  return new Error(`No such resource ${named} exists in the current state`);
}
