/** A stack on its backend: found, opened with its passphrase, locked. */
import { FileBackend } from "./backend";
import type { Deployment } from "./checkpoint";
import { loadConfig, loadProject, type Project, readSalt, type StackConfig, writeSalt } from "./config";
import type { Flags } from "./flags";
import { PassphraseSecrets, passphraseOf } from "./secrets";
import { StateFile } from "./state-file";

/** Which stack a command is about. */
export interface StackPlace {
  readonly project: Project;
  readonly stack: string;
  readonly backend: FileBackend;
}

/** Finds the stack a command line names. */
export async function placeOf(flags: Flags, env: NodeJS.ProcessEnv): Promise<StackPlace> {
  const project = await loadProject(flags.values.get("cwd") ?? process.cwd());
  const backend = FileBackend.fromUrl(env.PULUMI_BACKEND_URL);
  const named = flags.values.get("stack") ?? env.PULUMI_STACK;
  if (!named) throw new Error("no stack: name it with --stack");
  // `organization/project/stack` names the same stack as `stack`.
  return { project, backend, stack: named.slice(named.lastIndexOf("/") + 1) };
}

/** Locks a stack for as long as `work` takes. */
export async function locked<T>({ project, stack, backend }: StackPlace, work: () => Promise<T>): Promise<T> {
  await backend.prepare(project.name);
  const unlock = await backend.lock(project.name, stack);
  try {
    return await work();
  } finally {
    await unlock();
  }
}

/** A stack with its secrets. What changes it opens it under its lock. */
export class OpenStack {
  private constructor(
    readonly place: StackPlace,
    readonly secrets: PassphraseSecrets,
    private readonly sealed: Deployment | undefined,
  ) {}

  /**
   * Opens a stack; makes one that does not exist yet.
   * @throws IncorrectPassphraseError when the passphrase is another one.
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

  /** The last deployment, secrets as plaintext; undefined before the first one. */
  opened(): Deployment | undefined {
    return this.sealed && this.secrets.openDeployment(this.sealed);
  }

  /** The configuration in clear. */
  config(): Promise<StackConfig> {
    return loadConfig(this.place.project, this.place.stack, this.secrets);
  }

  /** What writes the state, given what the state is. */
  writer(current: () => Deployment): () => Promise<void> {
    const { project, stack, backend } = this.place;
    const name = FileBackend.qualifiedName(project.name, stack);
    const file = new StateFile(backend.stackFile(project.name, stack), name, this.secrets, current);
    return () => file.save();
  }
}
