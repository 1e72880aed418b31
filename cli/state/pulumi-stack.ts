import { Pulumi, PulumiError, type PulumiProblem } from "../../provider/stack/pulumi";
import { looksSecret } from "../../provider/text";
import { UsageError } from "../usage-error";

/**
 * Checks the name of a stack: `STACK`, `ORGANIZATION/STACK` or `ORGANIZATION/PROJECT/STACK`. Throws a `UsageError` that does
 * not repeat it, because it could be a misplaced secret.
 */
export function readStackName(text: string): string {
  const parts = text.split("/");
  // A name that begins with a hyphen would be an option of the Pulumi CLI.
  if (text.startsWith("-") || parts.length > 3 || !parts.every((part) => /^[\w.-]{1,100}$/.test(part))) {
    throw new UsageError(
      "--stack must be STACK, ORGANIZATION/STACK or ORGANIZATION/PROJECT/STACK. A name consists of letters, digits, " +
        "hyphens, underscores and periods, and does not begin with a hyphen",
    );
  }
  return text;
}

export function shownStack(name: string, position = 1): string {
  return name.split("/").some(looksSecret) ? `stack ${position}` : `stack ${name}`;
}

/**
 * The Pulumi CLI, as the provider finds it: `KEYPLANE_PULUMI`, else `pulumi` on the PATH. It gets the environment
 * without keyplane's settings, because it needs none of them.
 * @param folder - The project's folder. @default the one of the working directory, or above it
 */
export function pulumiIn(folder?: string): Pulumi {
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^KEYPLANE_/i.test(name)));
  return new Pulumi({ cwd: folder, env });
}

export interface Explanation {
  readonly problem: PulumiProblem;
  readonly why: string;
  readonly remedy: string;
}

const EXPLAINED: Readonly<Record<Exclude<PulumiProblem, "no answer" | "failed">, Omit<Explanation, "problem">>> = {
  "not found": {
    why: "the Pulumi CLI was not found",
    remedy: "Install it, or set KEYPLANE_PULUMI to its path",
  },
  "no stack": {
    why: "the selected backend has no stack of this name",
    remedy: "Correct the name, or select the stack's backend with `pulumi login` or PULUMI_BACKEND_URL",
  },
  "none selected": {
    why: "no stack is selected",
    remedy: "Pass --stack NAME, or run `pulumi stack select`",
  },
  "no login": {
    why: "the Pulumi CLI is not logged in",
    remedy: "Run `pulumi login`, or set PULUMI_ACCESS_TOKEN or PULUMI_BACKEND_URL",
  },
  "no project": {
    why: "the folder has no Pulumi.yaml",
    remedy: "Run the command in the folder of the project, or pass ORGANIZATION/PROJECT/STACK",
  },
  "no passphrase": {
    why: "the stack's passphrase is not set",
    remedy: "Set PULUMI_CONFIG_PASSPHRASE or PULUMI_CONFIG_PASSPHRASE_FILE",
  },
  "wrong passphrase": {
    why: "the passphrase is not the stack's",
    remedy: "Correct PULUMI_CONFIG_PASSPHRASE or PULUMI_CONFIG_PASSPHRASE_FILE",
  },
};

/** Explains why the Pulumi CLI gave no answer. Throws any other error again. */
export function explainFailure(error: unknown): Explanation {
  if (!(error instanceof PulumiError)) throw error;
  const { problem, message } = error;
  if (problem !== "no answer" && problem !== "failed") return { problem, ...EXPLAINED[problem] };
  return { problem, why: message, remedy: "Run it to see the error" };
}
