import type { Properties } from "../../provider/schema/outputs";
import type { Deployment, StateResource } from "../../provider/stack/deployment";
import type { Checkpoint, Stored } from "./state";

/** What only an engine knows of its resources. */
export interface Naming {
  urnOf(name: string, kind: Stored["kind"]): string;
  typeOf(kind: Stored["kind"]): string;
  consumerUrn(name: string): string;
}

const CONSUMER_TYPE = "test:index:Consumer";

/** What `stack export` would answer. The resources of a provider come last. */
export function deploymentOf(
  { resources, consumers, notes }: Checkpoint,
  naming: Naming,
  providers: readonly StateResource[],
): Deployment {
  const keys = resources.map(({ name, kind, id, inputs, outputs, doomed, ...more }): StateResource => {
    const { pendingReplacement = false, created, modified } = more;
    return {
      urn: naming.urnOf(name, kind),
      ...{ type: naming.typeOf(kind), id, custom: true, inputs, outputs, created, modified },
      replaced: doomed || pendingReplacement,
      secrets: new Set(),
      sources: new Set(),
    };
  });
  const users = [...consumers].map(([name, { created, modified }]): StateResource => {
    const urn = naming.consumerUrn(name);
    const of = resources.filter((each) => each.name === name);
    return {
      ...{ urn, type: CONSUMER_TYPE, id: name, custom: true, replaced: false, inputs: {}, outputs: {} },
      ...{ created, modified },
      secrets: new Set(),
      sources: new Set(of.map(({ kind }) => naming.urnOf(name, kind))),
    };
  });
  const creating = notes.map(({ name, kind, inputs }) => ({
    ...bare(naming.urnOf(name, kind), naming.typeOf(kind), inputs),
    custom: true,
  }));
  return { resources: [...providers, ...keys, ...users], savedAt: undefined, underWay: creating.length, creating };
}

/** A resource of which only the inputs matter. */
export function bare(urn: string, type: string, inputs: Properties, id = ""): StateResource {
  const unknown = { created: undefined, modified: undefined, secrets: new Set<string>(), sources: new Set<string>() };
  return { urn, type, id, custom: true, replaced: false, inputs, outputs: {}, ...unknown };
}
