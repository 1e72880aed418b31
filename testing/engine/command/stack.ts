/** Finds a stack in its backend, opens it with its passphrase, and locks it. */
import { FileBackend } from "../state/backend";
import type { Deployment } from "../state/checkpoint";
import { PassphraseSecrets, passphraseOf } from "../state/secrets";
import { StateFile } from "../state/state-file";
import { loadConfig, loadProject, type Project, readSalt, type StackConfig, writeSalt } from "./config";
import type { Flags } from "./flags";

/** The stack that a command uses. */
export interface StackPlace {
  readonly project: Project;
  readonly stack: string;
  readonly backend: FileBackend;
}

/** Finds the stack that a command line names: `stack`, `organization/stack` or `organization/project/stack`. */
export async function placeOf(flags: Flags, env: NodeJS.ProcessEnv): Promise<StackPlace> {
  const project = await loadProject(flags.values.get("cwd") ?? process.cwd());
  const backend = FileBackend.fromUrl(env.PULUMI_BACKEND_URL);
  const named = flags.values.get("stack") ?? env.PULUMI_STACK;
  if (!named) throw new Error("no stack selected: name it with --stack");
  const parts = named.split("/");
  const [stack = "", owner] = parts.toReversed();
  if (parts.length > 2 && owner !== project.name) {
    throw new Error(`the stack belongs to another project than ${project.name}, which is in this folder`);
  }
  return { project, backend, stack };
}

/** Locks a stack while `work` runs. */
export async function locked<T>({ project, stack, backend }: StackPlace, work: () => Promise<T>): Promise<T> {
  await backend.prepare(project.name);
  const unlock = await backend.lock(project.name, stack);
  try {
    return await work();
  } finally {
    await unlock();
  }
}

/** A stack with its secrets. Commands that change it open it while they hold its lock. */
export class OpenStack {
  private constructor(
    readonly place: StackPlace,
    readonly secrets: PassphraseSecrets,
    private readonly sealed: Deployment | undefined,
  ) {}

  /**
   * Opens a stack, and creates it if it does not exist.
   * @throws IncorrectPassphraseError if the passphrase does not match.
   */
  static async open(place: StackPlace, env: NodeJS.ProcessEnv): Promise<OpenStack> {
    const { project, stack, backend } = place;
    const sealed = await backend.load(project.name, stack);
    const written = await readSalt(project, stack);
    const salt = sealed?.secrets_providers?.state?.salt ?? written;
    const passphrase = passphraseOf(env);
    const secrets = await (salt ? PassphraseSecrets.open(passphrase, salt) : PassphraseSecrets.create(passphrase));
    if (written === undefined) await writeSalt(project, stack, secrets.salt);
    return new OpenStack(place, secrets, sealed);
  }

  /** Returns the last deployment with secrets in plain text, or `undefined` before the first one. */
  opened(): Deployment | undefined {
    return this.sealed && this.secrets.openDeployment(this.sealed);
  }

  /** Returns the configuration in plain text. */
  config(): Promise<StackConfig> {
    return loadConfig(this.place.project, this.place.stack, this.secrets);
  }

  /** Creates a function that writes the state. `current` returns the state to write. */
  writer(current: () => Deployment): () => Promise<void> {
    const { project, stack, backend } = this.place;
    const name = FileBackend.qualifiedName(project.name, stack);
    const file = new StateFile(backend.stackFile(project.name, stack), name, this.secrets, current);
    return () => file.save();
  }
}
