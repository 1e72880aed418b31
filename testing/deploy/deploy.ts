import { type ControlPlane, startControlPlane } from "../control-plane";
import { type EngineName, type Program, Workspace } from "../workspace";
import { type CommandOptions, DeployedProgram } from "./deployed-program";

/** How to deploy a program. */
export interface DeployOptions extends CommandOptions {
  /**
   * The control plane that creates the program's keys. It stays open when the deployment is closed.
   * @default a new control plane, which is closed with the deployment
   */
  readonly controlPlane?: ControlPlane;
  /** Name of the stack. @default "test" */
  readonly stack?: string;
  /** Variables for the program and the providers. `PULUMI_*` and `KEYPLANE_*` of this process are not passed on. */
  readonly env?: NodeJS.ProcessEnv;
  /** More packages that the program can import, with their folders, in addition to the installed packages. */
  readonly packages?: Readonly<Record<string, string>>;
  /**
   * Whether a TypeScript program is type-checked before it runs, as Pulumi does. This takes a second or more per run.
   * Your editor and `tsc` have usually done it already.
   * @default false
   */
  readonly typeCheck?: boolean;
  /**
   * The engine that deploys the program: this package's engine, or the Pulumi CLI on the `PATH`.
   * @default the value of `KEYPLANE_ENGINE` (`embedded` or `cli`), or `embedded` if it is not set
   */
  readonly engine?: EngineName;
}

/**
 * Deploys a copy of a program in a temporary folder, to a control plane on this machine. Needs no Pulumi CLI and no
 * account. Does not read or change the user's login, stacks or stack configuration.
 *
 * @param program - The program's folder, or its files by name.
 * @returns the deployment after `up`. Close it at the end of the test.
 * @throws {DeployError} if `up` fails, with the engine's diagnostics. Everything is cleaned up in that case.
 *
 * @example
 * const deployment = await deploy(__dirname, { config: { rotation: "1" } });
 * try {
 *   expect(deployment.outputs.keyName).toMatch(/^app-/);
 *   await deployment.expectNoSecrets();
 * } finally {
 *   await deployment.close();
 * }
 */
export async function deploy(program: Program, options: DeployOptions = {}): Promise<DeployedProgram> {
  const { controlPlane, stack = "test", typeCheck = false, env, packages, engine, ...command } = options;
  // Time passes only by the machine's clock and `advance`, so that ages are what the test expects.
  const plane = controlPlane ?? (await startControlPlane({ clock: { mode: "real" } }));
  const release = async () => {
    if (controlPlane === undefined) await plane.close();
  };
  let deployed: DeployedProgram | undefined;
  try {
    const workspace = await Workspace.create({
      program,
      stack,
      config: { "keyplane:baseUrl": plane.url },
      secretConfig: { "keyplane:apiKey": plane.apiKey },
      env: { ...(typeCheck ? {} : { PULUMI_NODEJS_TRANSPILE_ONLY: "true" }), ...env },
      ...(packages && { packages }),
      ...(engine && { engine }),
    });
    deployed = new DeployedProgram(workspace, plane, release);
    await deployed.up(command);
    return deployed;
  } catch (error) {
    await (deployed?.close() ?? release());
    throw error;
  }
}
