import { type ControlPlane, startControlPlane } from "../control-plane";
import { type EngineName, type Program, Workspace } from "../workspace";
import { type CommandOptions, DeployedProgram } from "./deployed-program";

/** How to deploy a program. */
export interface DeployOptions extends CommandOptions {
  /**
   * The control plane that the program's keys are made on; it stays open when the deployment is closed.
   * @default a new one, closed with the deployment
   */
  readonly controlPlane?: ControlPlane;
  /** @default "test" */
  readonly stack?: string;
  /** Variables for the program and the providers. `PULUMI_*` and `KEYPLANE_*` of this process are not passed on. */
  readonly env?: NodeJS.ProcessEnv;
  /** More packages that the program can import, and their folders, beside those installed for it. */
  readonly packages?: Readonly<Record<string, string>>;
  /**
   * Whether a program in TypeScript is type-checked before it runs, as Pulumi does. It takes a second or more each
   * time, and your editor and `tsc` have done it.
   * @default false
   */
  readonly typeCheck?: boolean;
  /**
   * What deploys it: the engine of this package, or the Pulumi CLI on the `PATH`.
   * @default what `KEYPLANE_ENGINE` says: `embedded` or `cli`; `embedded` without it
   */
  readonly engine?: EngineName;
}

/**
 * Deploys a copy of a program in a temporary folder, on a control plane of this machine. Neither the Pulumi CLI nor an
 * account is needed, and nothing of the user's - login, stacks, stack configuration - is read or touched.
 *
 * @param program - The program's folder, or its files by name.
 * @returns the deployment, with what `up` did. Close it when the test is over.
 * @throws {DeployError} where `up` fails, with the engine's diagnostics; everything is cleaned up then.
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
  // Time passes only by the machine's clock and by `advance`, so that ages are what a test made them.
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
