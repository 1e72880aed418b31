/** Moves resources from the state of one stack to that of another. */
import { NotSupportedError } from "../refused";
import type { ResourceState } from "./checkpoint";
import { keepDependencies, urnFields } from "./map-urns";
import { createUrn, isProviderType, nameOf, STACK_TYPE, type StackName, typeOf } from "./urn";
import { equalValues } from "./values";

/** The resources of both stacks after a move. */
export interface Moved {
  readonly source: readonly ResourceState[];
  readonly dest: readonly ResourceState[];
}

/**
 * Moves resources with copies of their providers. Dependencies between moved and remaining resources are removed.
 * @param urns - The URNs of the resources.
 * @param to - The name of the stack that gets them.
 */
export function moveResources({ source, dest }: Moved, urns: ReadonlySet<string>, to: StackName): Moved {
  const moving = source.filter(({ urn }) => urns.has(urn));
  if (moving.length === 0) throw new Error("no resources found to move");
  refuseUnsupported(moving, source);
  const rest = source.filter((state) => !moving.includes(state));
  const root = dest.find(({ type }) => type === STACK_TYPE) ?? rootOf(to);
  const here = (urn: string) => createUrn(to, typeOf(urn), nameOf(urn));
  const moved = (state: ResourceState): ResourceState => {
    const kept = keepDependencies(state, (urn) => urns.has(urn));
    return { ...kept, ...urnFields(kept, here), parent: root.urn };
  };
  const result = dest.includes(root) ? [...dest] : [root, ...dest];
  const providers = new Map<string, string>();
  for (const provider of rest.filter((state) => moving.some((user) => user.provider === referenceOf(state)))) {
    const copy = moved(provider);
    const known = result.find(({ urn }) => urn === copy.urn);
    if (known && known.id !== copy.id && !equalValues(known.inputs ?? {}, copy.inputs ?? {})) {
      throw new Error(`provider ${copy.urn} already exists in destination stack`);
    }
    providers.set(referenceOf(provider), referenceOf(known ?? copy));
    if (!known) result.push(copy);
  }
  for (const old of moving) {
    const provider = providers.get(old.provider ?? "");
    const state = { ...moved(old), ...(provider && { provider }) };
    if (dest.some(({ urn }) => urn === state.urn)) {
      throw new Error(`resource ${state.urn} already exists in destination stack`);
    }
    result.push(state);
  }
  return { source: rest.map((state) => keepDependencies(state, (urn) => !urns.has(urn))), dest: result };
}

function refuseUnsupported(moving: readonly ResourceState[], source: readonly ResourceState[]): void {
  for (const { urn, type, custom } of moving) {
    if (isProviderType(type))
      throw new Error("cannot move providers: they are copied with the resources that use them");
    if (!custom) throw new NotSupportedError(`the move of a component or a stack (${urn})`);
    if (source.some(({ parent }) => parent === urn)) throw new NotSupportedError(`the move of a parent (${urn})`);
  }
}

function referenceOf({ urn, id = "" }: ResourceState): string {
  return `${urn}::${id}`;
}

function rootOf(of: StackName): ResourceState {
  return { urn: createUrn(of, STACK_TYPE, `${of.project}-${of.stack}`), type: STACK_TYPE, custom: false };
}
