/** The commands that deploy nothing: those of `stack`, `config` and `cancel`. */
import { NotSupportedError } from "../refused";
import { SECRET_MARK } from "../run/events";
import { type ExportedStack, FORMAT, manifestAt } from "../state/checkpoint";
import { type Json, mapMapSecrets, type Properties } from "../state/property";
import { STACK_TYPE } from "../state/urn";
import { mapWithoutSecrets } from "../state/values";
import { type FlagKinds, type Flags, parseFlags } from "./flags";
import { OpenStack, placeOf } from "./stack";
import { shownRecord } from "./update-record";

type Handler = (flags: Flags, env: NodeJS.ProcessEnv) => Promise<void>;

interface Command {
  readonly flags: FlagKinds;
  readonly run: Handler;
}

const COMMANDS: Readonly<Record<string, Command>> = {
  "stack export": { flags: { "show-secrets": "switch" }, run: exportStack },
  "stack history": { flags: { json: "switch", "page-size": "value" }, run: history },
  "stack output": { flags: { json: "switch", "show-secrets": "switch" }, run: output },
  cancel: { flags: { yes: "switch" }, run: cancel },
  config: { flags: { json: "switch", "show-secrets": "switch" }, run: config },
};

/** Runs a command that deploys nothing. `words` is the start of the command line, such as `["stack", "export"]`. */
export async function manage(words: readonly string[], args: readonly string[], env: NodeJS.ProcessEnv): Promise<void> {
  const name = words.join(" ");
  const command = COMMANDS[name];
  // The message omits an unknown command, because it could be a misplaced secret.
  if (command === undefined) throw new NotSupportedError("this command");
  await command.run(parseFlags(args, command.flags), env);
}

async function exportStack(flags: Flags, env: NodeJS.ProcessEnv): Promise<void> {
  const place = await placeOf(flags, env);
  const run = await place.backend.runInProgress(place.project.name, place.stack);
  const saved = run === undefined ? await place.backend.load(place.project.name, place.stack) : run.before;
  const sealed = saved ?? { manifest: manifestAt(new Date()) };
  const deployment = flags.switches.has("show-secrets")
    ? ((await OpenStack.open(place, env)).opened() ?? sealed)
    : sealed;
  console.log(JSON.stringify({ version: FORMAT, deployment } satisfies ExportedStack, undefined, 4));
}

async function history(flags: Flags, env: NodeJS.ProcessEnv): Promise<void> {
  if (!flags.switches.has("json")) throw new NotSupportedError("a history without --json");
  const size = Number(flags.values.get("page-size") ?? 10);
  if (!Number.isInteger(size)) throw new Error("--page-size must be a whole number");
  const { backend, project, stack } = await placeOf(flags, env);
  const records = await backend.history(project.name, stack).read(size);
  const run = await backend.runInProgress(project.name, stack);
  const started = run && new Date(run.startTime * 1_000).toISOString();
  const inProgress = run ? [{ kind: "update", result: "in-progress", startTime: started, environment: {} }] : [];
  console.log(JSON.stringify([...inProgress, ...records.map(shownRecord)], undefined, 2));
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

async function config(flags: Flags, env: NodeJS.ProcessEnv): Promise<void> {
  const isWhole = flags.switches.has("json") && flags.switches.has("show-secrets") && flags.words.length === 0;
  if (!isWhole) throw new NotSupportedError("config without --json --show-secrets");
  const { values, secretKeys } = await (await OpenStack.open(await placeOf(flags, env), env)).config();
  const shown = Object.entries(values).map(([key, value]) => [key, { value, secret: secretKeys.includes(key) }]);
  console.log(JSON.stringify(Object.fromEntries(shown), undefined, 2));
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
