import { parseDuration } from "../../provider/duration";
import type { ControlPlane, LiveKey } from "../control-plane";
import { drivenTime } from "../driven-time";
import type { Properties } from "../engine/property";
import type { Diagnostic, EngineCommandName, RunResult, SecretFinding, Step, Workspace } from "../workspace";
import { DeployError } from "./deploy-error";

/** How to run a command of a deployment. */
export interface CommandOptions {
  /** Configuration to set first; what was set before stays. A key without a namespace belongs to the project. */
  readonly config?: Readonly<Record<string, string>>;
  /** Secret configuration to set first. */
  readonly secretConfig?: Readonly<Record<string, string>>;
  /** More of pulumi's arguments, such as `["--target", urn]`. */
  readonly args?: readonly string[];
}

/** A program deployed for a test, with what its last command did. Made by {@link deploy}. */
export class DeployedProgram implements AsyncDisposable {
  private last: RunResult | undefined;
  private plain: Properties = {};
  private asked: readonly string[] = [];
  private readonly secrets = new Set<string>();

  /** @internal */
  constructor(
    /** The folders and the engine, for what this class does not offer, such as `exportState`. */
    readonly workspace: Workspace,
    /** The control plane: its log, its clock, its faults, and what is done behind the program's back. */
    readonly controlPlane: ControlPlane,
    private readonly release: () => Promise<void>,
  ) {}

  /** The stack's outputs after the last command, in clear: also those that are secret. */
  get outputs(): Properties {
    return this.plain;
  }

  /** The requests of the last command in the order of their arrival, as `POST /api_keys`. */
  get requests(): readonly string[] {
    return this.asked;
  }

  /** What the last command changed - a preview: would change - in order, as `create app`. */
  get changes(): readonly string[] {
    return this.last?.changes ?? [];
  }

  /** Every step of the last command, also those that changed nothing. */
  get steps(): readonly Step[] {
    return this.last?.steps ?? [];
  }

  /** The warnings and errors of the last command. */
  get diagnostics(): readonly Diagnostic[] {
    return this.last?.diagnostics ?? [];
  }

  /** The keys that are live now, newest first; keyplane's own is not among them. */
  keys(): Promise<LiveKey[]> {
    return this.controlPlane.liveKeys();
  }

  /** Deploys the program again. @throws {DeployError} where it fails; the properties then tell of the failed run. */
  up(options?: CommandOptions): Promise<this> {
    return this.run("up", options);
  }

  /** Finds out what `up` would do. The outputs stay those of the last deployment. @throws {DeployError} */
  preview(options?: CommandOptions): Promise<this> {
    return this.run("preview", options);
  }

  /** Reads what is really there into the state. @throws {DeployError} */
  refresh(options?: CommandOptions): Promise<this> {
    return this.run("refresh", options);
  }

  /** Deletes everything that the program made. @throws {DeployError} */
  destroy(options?: CommandOptions): Promise<this> {
    return this.run("destroy", options);
  }

  /**
   * Lets time pass, for the service and for the program alike: the next command runs so much later.
   * @param duration - Such as `90s`, `12h` or `91d`.
   */
  async advance(duration: string): Promise<void> {
    const ms = parseDuration(duration);
    if (ms === undefined)
      throw new Error(`${JSON.stringify(duration)} is not a duration: say 90s, 15m, 12h, 90d or 2w`);
    await this.controlPlane.clock.advance(ms);
  }

  /**
   * Looks for every secret - each key's that was ever made, keyplane's own, and secret configuration - in the state, in
   * outputs, in all files of the deployment, and in what the commands printed: raw, in base64, in hex, or escaped.
   * @returns where they stand in clear; empty where all is well. It never holds a secret.
   */
  async secretsInClear(): Promise<SecretFinding[]> {
    const [admin = "", ...keys] = await this.controlPlane.secretsEverIssued();
    return this.workspace.secretsInClear({ admin: [admin, ...this.secrets], keys });
  }

  /** Fails where a secret stands in clear, with the places: see {@link secretsInClear}. */
  async expectNoSecrets(): Promise<void> {
    const places = (await this.secretsInClear()).map(({ secret, form, place }) => `${secret} (${form}) in ${place}`);
    if (places.length === 0) return;
    const remedy = "wrap what is derived from a key in pulumi.secret(), and write no key into files or logs";
    throw new Error(`secrets stand in clear; ${remedy}:\n${places.join("\n")}`);
  }

  /**
   * Removes the temporary folder, and stops the control plane where {@link deploy} has started it. Nothing is destroyed:
   * on a control plane of your own the keys stay live.
   */
  async close(): Promise<void> {
    await this.workspace.remove({ search: false });
    await this.release();
  }

  /** As {@link close}, for `await using`. */
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
