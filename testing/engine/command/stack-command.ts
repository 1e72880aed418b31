/** The commands that deploy nothing: those of `stack`, `state` and `config`, and `cancel`. */
import { readFile, writeFile } from "node:fs/promises";
import { text } from "node:stream/consumers";
import { NotSupportedError } from "../refused";
import { SECRET_MARK } from "../run/events";
import { type Deployment, type ExportedStack, manifestAt, requireSchema, schemaOf } from "../state/checkpoint";
import { type Json, mapMapSecrets, type Properties } from "../state/property";
import { PassphraseSecrets, passphraseOf } from "../state/secrets";
import { STACK_TYPE } from "../state/urn";
import { mapWithoutSecrets } from "../state/values";
import { namespaced, setConfig } from "./config";
import { type FlagKinds, type Flags, parseFlags } from "./flags";
import { locked, OpenStack, placeOf } from "./stack";
import { stackRename, stateDelete, stateMove, stateRename, stateTaint, withoutPending } from "./state-command";
import { shownRecord } from "./update-record";

type Handler = (flags: Flags, env: NodeJS.ProcessEnv) => Promise<void>;

interface Command {
  readonly flags: FlagKinds;
  readonly run: Handler;
}

const COMMANDS: Readonly<Record<string, Command>> = {
  "stack init": { flags: { "secrets-provider": "value" }, run: init },
  "stack export": { flags: { file: "value", "show-secrets": "switch" }, run: exportStack },
  "stack import": { flags: { file: "value", force: "switch" }, run: importStack },
  "stack history": { flags: { json: "switch", "page-size": "value", page: "value" }, run: history },
  "stack rename": { flags: {}, run: stackRename },
  "stack output": { flags: { json: "switch", "show-secrets": "switch" }, run: output },
  "state delete": { flags: { yes: "switch" }, run: stateDelete },
  "state rename": { flags: { yes: "switch" }, run: stateRename },
  "state taint": { flags: { yes: "switch" }, run: stateTaint },
  "state move": { flags: { yes: "switch", source: "value", dest: "value" }, run: stateMove },
  cancel: { flags: { yes: "switch" }, run: cancel },
  "config get": { flags: {}, run: configGet },
  "config set": { flags: { secret: "switch", plaintext: "switch" }, run: configSet },
};

/** Runs a command that deploys nothing. `words` is the start of the command line, such as `["stack", "export"]`. */
export async function manage(words: readonly string[], args: readonly string[], env: NodeJS.ProcessEnv): Promise<void> {
  const name = words.join(" ");
  const command = COMMANDS[name];
  // The message omits an unknown command, because it could be a misplaced secret.
  if (command === undefined) throw new NotSupportedError("this command");
  await command.run(parseFlags(args, command.flags), env);
}

async function init(flags: Flags, env: NodeJS.ProcessEnv): Promise<void> {
  const provider = flags.values.get("secrets-provider") ?? "passphrase";
  if (provider !== "passphrase" && provider !== "default")
    throw new NotSupportedError("another secrets provider than passphrase");
  const [stack] = flags.words;
  const named = stack ? { ...flags, values: new Map([...flags.values, ["stack", stack]]) } : flags;
  const place = await placeOf(named, env);
  await locked(place, async () => {
    if (await place.backend.has(place.project.name, place.stack))
      throw new Error(`stack '${place.stack}' already exists`);
    await write(await OpenStack.open(place, env), { manifest: manifestAt(new Date()) });
  });
}

async function exportStack(flags: Flags, env: NodeJS.ProcessEnv): Promise<void> {
  const place = await placeOf(flags, env, { anyProject: true });
  const sealed = (await place.backend.load(place.project.name, place.stack)) ?? { manifest: manifestAt(new Date()) };
  const deployment = flags.switches.has("show-secrets")
    ? ((await OpenStack.open(place, env)).opened() ?? sealed)
    : sealed;
  const exported = `${JSON.stringify({ ...schemaOf(deployment), deployment } satisfies ExportedStack, undefined, 4)}\n`;
  const file = flags.values.get("file");
  if (file) await writeFile(file, exported);
  else process.stdout.write(exported);
}

async function importStack(flags: Flags, env: NodeJS.ProcessEnv): Promise<void> {
  const file = flags.values.get("file");
  const exported = JSON.parse(file ? await readFile(file, "utf8") : await text(process.stdin)) as ExportedStack;
  requireSchema("the imported state", exported);
  const place = await placeOf(flags, env);
  await locked(place, async () => {
    const stack = await OpenStack.open(place, env);
    // A state names the salt of its secrets, which can belong to another stack.
    const salt = exported.deployment.secrets_providers?.state?.salt;
    const secrets = salt === undefined ? stack.secrets : await PassphraseSecrets.open(passphraseOf(env), salt);
    await write(stack, withoutPending(secrets.openDeployment(exported.deployment)));
  });
}

async function history(flags: Flags, env: NodeJS.ProcessEnv): Promise<void> {
  if (!flags.switches.has("json")) throw new NotSupportedError("a history without --json");
  const [size, page] = [flags.values.get("page-size") ?? 10, flags.values.get("page") ?? 1].map(Number);
  if (!Number.isInteger(size) || !Number.isInteger(page))
    throw new Error("--page-size and --page must be whole numbers");
  const { backend, project, stack } = await placeOf(flags, env, { anyProject: true });
  const records = await backend.history(project.name, stack).read(Number(size), Number(page));
  console.log(JSON.stringify(records.map(shownRecord), undefined, 2));
}

async function output(flags: Flags, env: NodeJS.ProcessEnv): Promise<void> {
  const stack = await OpenStack.open(await placeOf(flags, env), env);
  const state = stack.opened()?.resources?.find(({ type, delete: replaced }) => type === STACK_TYPE && !replaced);
  const outputs = state?.outputs ?? {};
  const shown = flags.switches.has("show-secrets")
    ? mapWithoutSecrets(outputs)
    : mapMapSecrets(outputs, () => SECRET_MARK);
  const [name] = flags.words;
  if (name !== undefined) {
    const value = shown[name];
    if (value === undefined) throw new Error("the stack has no output of this name");
    console.log(flags.switches.has("json") ? JSON.stringify(value) : textOf(value));
  } else if (flags.switches.has("json")) console.log(JSON.stringify(shown, undefined, 2));
  else for (const line of table(shown)) console.log(line);
}

async function cancel(flags: Flags, env: NodeJS.ProcessEnv): Promise<void> {
  const { backend, project, stack } = await placeOf(flags, env);
  await backend.cancel(project.name, flags.words[0] ?? stack);
}

async function configSet(flags: Flags, env: NodeJS.ProcessEnv): Promise<void> {
  const [key, given] = flags.words;
  if (key === undefined) throw new Error("config set KEY VALUE: no key");
  const value = given ?? (await text(process.stdin)).replace(/\r?\n$/, "");
  const place = await placeOf(flags, env);
  const secrets = flags.switches.has("secret") ? (await OpenStack.open(place, env)).secrets : undefined;
  await setConfig(place.project, place.stack, key, value, secrets);
}

async function configGet(flags: Flags, env: NodeJS.ProcessEnv): Promise<void> {
  const [key] = flags.words;
  if (key === undefined) throw new Error("config get KEY: no key");
  const stack = await OpenStack.open(await placeOf(flags, env), env);
  const { values } = await stack.config();
  const value = values[namespaced(stack.place.project.name, key)];
  if (value === undefined) throw new Error("the stack's configuration has no value of this name");
  console.log(value);
}

async function write(stack: OpenStack, deployment: Deployment): Promise<void> {
  await stack.writer(() => deployment)();
}

function table(outputs: Properties): string[] {
  const names = Object.keys(outputs).sort();
  if (names.length === 0) return ["No output values currently in this stack"];
  const width = Math.max("OUTPUT".length, ...names.map((name) => name.length));
  return [
    `${"OUTPUT".padEnd(width)}  VALUE`,
    ...names.map((name) => `${name.padEnd(width)}  ${textOf(outputs[name] ?? null)}`),
  ];
}

function textOf(value: Json): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}
