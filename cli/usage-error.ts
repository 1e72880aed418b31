import type { CommanderError } from "commander";

/** A command line that cannot be understood: the message says what is wrong with it, and the exit code is 2. */
export class UsageError extends Error {
  override readonly name = "UsageError";
}

/**
 * What is wrong with the command line, as the parser found it, without the words that it repeats: a word in the wrong
 * place could be a secret. The names of commands and options that the command line knows are repeated.
 */
export function usageErrorOf({ code, message }: CommanderError): UsageError {
  const text = message.replace(/^error: /, "");
  const [suggestion = ""] = /\(Did you mean [a-z, -]+\?\)$/.exec(text) ?? [];
  const [option] = /^option '[^']*'/.exec(text) ?? [];
  const problems: Readonly<Record<string, string>> = {
    "commander.unknownCommand": `unknown command ${suggestion}`,
    "commander.unknownOption": `unknown option ${optionName(text)} ${suggestion}`,
    "commander.invalidArgument": `${option}: its argument is invalid. ${text.slice(text.lastIndexOf("' is invalid. ") + 14)}`,
  };
  return new UsageError((problems[code] ?? text).replace(/ +/g, " ").trim());
}

/** The option of the message, where it looks like the name of one: a name has no digits, and is short. */
function optionName(text: string): string {
  const [, name, value = ""] = /^unknown option '(-{1,2}[a-z][a-z-]{0,23})(=.*)?'/s.exec(text) ?? [];
  return name === undefined ? "" : `'${name}${value === "" ? "" : "=..."}'`;
}
