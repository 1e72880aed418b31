import { messageOf } from "../../provider/errors";
import { engineCommand } from "../../provider/stack/command-line";
import type { Deployment } from "../../provider/stack/deployment";
import { Pulumi } from "../../provider/stack/pulumi";
import { UsageError } from "../usage-error";

/** A state that the Pulumi CLI has exported. */
export interface ExportedStack {
  readonly source: string;
  readonly deployment: Deployment;
}

/** Reads the states of stacks with the Pulumi CLI, which needs no passphrase for it. */
export function exportedStacks(names: readonly string[]): Promise<ExportedStack[]> {
  return Promise.all(
    names.map(async (name, at): Promise<ExportedStack> => {
      // The message omits an invalid name, because it could be a misplaced key.
      if (!/^[\w.-]{1,100}(\/[\w.-]{1,100}){0,2}$/.test(name) || name.startsWith("-")) {
        throw new UsageError("--stack must be STACK, ORGANIZATION/STACK or ORGANIZATION/PROJECT/STACK");
      }
      const stack = name.split("/").at(-1) ?? name;
      try {
        const pulumi = new Pulumi({ cli: engineCommand().cli, stack: name });
        return { source: `stack ${name}`, deployment: await pulumi.state(stack) };
      } catch (error) {
        throw new UsageError(
          `--stack: stack ${at + 1} cannot be read: ${messageOf(error)}. Pass its state with --state FILE`,
        );
      }
    }),
  );
}
