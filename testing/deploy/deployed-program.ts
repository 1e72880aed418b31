import { parseDuration } from "../../provider/duration";
import type { ControlPlane, LiveKey } from "../control-plane";
import { drivenTime } from "../driven-time";
import type { Properties } from "../engine/state/property";
import type { Diagnostic, EngineCommandName, RunResult, SecretFinding, Step, Workspace } from "../workspace";
import { DeployError } from "./deploy-error";

/** How to run a command of a deployment. */
export interface CommandOptions {
  /** Configuration to set first. Earlier values remain. A key without a namespace belongs to the project. */
  readonly config?: Readonly<Record<string, string>>;
  /** Secret configuration to set first. */
  readonly secretConfig?: Readonly<Record<string, string>>;
  /** More Pulumi arguments, such as `["--refresh"]`. */
  readonly args?: readonly string[];
}

/** A program deployed for a test, and the results of its last command. Created by {@link deploy}. */
export class DeployedProgram implements AsyncDisposable {
  private last: RunResult | undefined;
  private plain: Properties = {};
  private asked: readonly string[] = [];
  private readonly secrets = new Set<string>();

  /** @internal */
  constructor(
    /** The folders and the engine, for features that this class does not offer, such as `exportState`. */
    readonly workspace: Workspace,
    /** The control plane: its log, its clock, its faults, and direct changes to the account. */
    readonly controlPlane: ControlPlane,
    private readonly release: () => Promise<void>,
  ) {}

  /** The stack's outputs after the last command. Secret outputs are in plain text. */
  get outputs(): Properties {
    return this.plain;
  }

  /** The requests of the last command in order of arrival, such as `POST /api_keys`. */
  get requests(): readonly string[] {
    return this.asked;
  }

  /** The changes of the last command, in order, such as `create app`. After a preview, the planned changes. */
  get changes(): readonly string[] {
    return this.last?.changes ?? [];
  }

  /** All steps of the last command, including those that changed nothing. */
  get steps(): readonly Step[] {
    return this.last?.steps ?? [];
  }

  /** The warnings and errors of the last command. */
  get diagnostics(): readonly Diagnostic[] {
    return this.last?.diagnostics ?? [];
  }

  /** Returns the live keys, newest first, without keyplane's own key. */
  keys(): Promise<LiveKey[]> {
    return this.controlPlane.liveKeys();
  }

  /** Deploys the program again. @throws {DeployError} if it fails. The properties then describe the failed run. */
  up(options?: CommandOptions): Promise<this> {
    return this.run("up", options);
  }

  /** Previews what `up` would do. The outputs stay those of the last deployment. @throws {DeployError} */
  preview(options?: CommandOptions): Promise<this> {
    return this.run("preview", options);
  }

  /** Updates the state from the real resources. @throws {DeployError} */
  refresh(options?: CommandOptions): Promise<this> {
    return this.run("refresh", options);
  }

  /** Deletes everything that the program created. @throws {DeployError} */
  destroy(options?: CommandOptions): Promise<this> {
    return this.run("destroy", options);
  }

  /**
   * Lets time pass, for the service and for the program. The next command runs this much later.
   * @param duration - Such as `90s`, `12h` or `91d`.
   */
  async advance(duration: string): Promise<void> {
    const ms = parseDuration(duration);
    if (ms === undefined)
      throw new Error(`${JSON.stringify(duration)} is not a duration: use 90s, 15m, 12h, 90d or 2w`);
    await this.controlPlane.clock.advance(ms);
  }

  /**
   * Searches for every secret: all keys ever created, keyplane's own key, and secret configuration. Searches the state,
   * outputs, all files of the deployment, and the output of its commands, for secrets that are raw, in base64, in hex,
   * or escaped.
   * @returns where secrets appear in plain text. Empty if there are none. Never contains a secret.
   */
  async secretsInClear(): Promise<SecretFinding[]> {
    const [admin = "", ...keys] = await this.controlPlane.secretsEverIssued();
    return this.workspace.secretsInClear({ admin: [admin, ...this.secrets], keys });
  }

  /** Fails if a secret appears in plain text, and lists the places: see {@link secretsInClear}. */
  async expectNoSecrets(): Promise<void> {
    const places = (await this.secretsInClear()).map(({ secret, form, place }) => `${secret} (${form}) in ${place}`);
    if (places.length === 0) return;
    const remedy = "wrap values derived from a key in pulumi.secret(), and do not write keys to files or logs";
    throw new Error(`secrets appear in plain text; ${remedy}:\n${places.join("\n")}`);
  }

  /**
   * Removes the temporary folder, and stops the control plane if {@link deploy} started it. Does not run `destroy`: on
   * your own control plane, the keys stay live.
   */
  async close(): Promise<void> {
    await this.workspace.remove({ search: false });
    await this.release();
  }

  /** Same as {@link close}, for `await using`. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  private async run(command: EngineCommandName, options: CommandOptions = {}): Promise<this> {
    const { config = {}, secretConfig = {}, args = [] } = options;
    for (const [key, value] of Object.entries(config)) await this.workspace.setConfig(key, value);
    for (const [key, value] of Object.entries(secretConfig)) {
      this.secrets.add(value);
      await this.workspace.setConfig(key, value, { secret: true });
    }
    const since = (await this.controlPlane.log()).length;
    const env = await drivenTime(this.controlPlane);
    const result = await this.workspace.run(command, { args, env, mayFail: true, inProcess: true });
    this.last = result;
    this.plain = await this.workspace.outputs({ showSecrets: true });
    const requests = await this.controlPlane.log({ since });
    this.asked = requests.map(({ method, route, path }) => `${method} ${route ?? path}`);
    if (result.exit !== 0) throw new DeployError(command, result);
    return this;
  }
}
