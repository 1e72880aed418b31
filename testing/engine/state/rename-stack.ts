/** Rewrites the state of a stack that gets another name. */
import type { Deployment, ResourceState } from "./checkpoint";
import { urnFields } from "./map-urns";
import { isMap, type Json, type Properties } from "./property";
import { qualifiedType, STACK_TYPE, type StackName, stackNameOf } from "./urn";
import { hasSignature, RESOURCE_SIGNATURE } from "./values";

/** Returns the state with the URNs of the renamed stack. References in encrypted secrets stay, as with the CLI. */
export function renameStack(deployment: Deployment, from: StackName, to: StackName): Deployment {
  const { resources, pending_operations: pending } = deployment;
  const now = (urn: string) => renamedUrn(urn, from, to);
  return {
    ...deployment,
    ...(resources && { resources: resources.map((state) => renamed(state, now)) }),
    ...(pending && { pending_operations: pending.map((each) => ({ ...each, resource: renamed(each.resource, now) })) }),
  };
}

function renamedUrn(urn: string, from: StackName, to: StackName): string {
  const { stack, project } = stackNameOf(urn);
  if (stack !== from.stack || project !== from.project) return urn;
  const type = qualifiedType(urn);
  const name = type === STACK_TYPE ? [`${to.project}-${to.stack}`] : urn.split("::").slice(3);
  return [`urn:pulumi:${to.stack}`, to.project, type, ...name].join("::");
}

function renamed(state: ResourceState, now: (urn: string) => string): ResourceState {
  const { inputs, outputs, aliases, replacementTrigger } = state;
  return {
    ...state,
    ...urnFields(state, now),
    ...(aliases && { aliases: aliases.map(now) }),
    ...(inputs && { inputs: inProperties(inputs, now) }),
    ...(outputs && { outputs: inProperties(outputs, now) }),
    ...(replacementTrigger !== undefined && { replacementTrigger: inValue(replacementTrigger, now) }),
  };
}

function inProperties(properties: Properties, now: (urn: string) => string): Properties {
  return Object.fromEntries(Object.entries(properties).map(([key, value]) => [key, inValue(value, now)]));
}

function inValue(value: Json, now: (urn: string) => string): Json {
  if (Array.isArray(value)) return value.map((item) => inValue(item, now));
  if (!isMap(value)) return value;
  if (!hasSignature(value, RESOURCE_SIGNATURE)) return inProperties(value, now);
  return typeof value.urn === "string" ? { ...value, urn: now(value.urn) } : value;
}
