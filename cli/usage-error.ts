import type { CommanderError } from "commander";

/** An invalid command line. The message says what is wrong. The exit code is 2. */
export class UsageError extends Error {
  override readonly name = "UsageError";
}

/**
 * Converts a parser error to a usage error without repeating unknown arguments, because a misplaced argument could be a
 * secret. Known command and option names are repeated.
 */
export function usageErrorOf({ code, message }: CommanderError): UsageError {
  const text = message.replace(/^error: /, "");
  const [suggestion = ""] = /^\(Did you mean [a-z, -]+\?\)$/.exec(text.slice(text.lastIndexOf("("))) ?? [];
  const [option] = /^option '[^']*'/.exec(text) ?? [];
  const problems: Readonly<Record<string, string>> = {
    "commander.unknownCommand": `unknown command ${suggestion}`,
    "commander.help": "unknown command",
    "commander.unknownOption": `unknown option ${optionName(text)} ${suggestion}`,
    "commander.invalidArgument": `${option}: its argument is invalid. ${text.slice(text.lastIndexOf("' is invalid. ") + 14)}`,
  };
  return new UsageError((problems[code] ?? text).replace(/ +/g, " ").trim());
}

/** The option in the message, if it looks like an option name: short, without digits. */
function optionName(text: string): string {
  const [, name, value = ""] = /^unknown option '(-{1,2}[a-z][a-z-]{0,23})(=.*)?'/s.exec(text) ?? [];
  return name === undefined ? "" : `'${name}${value === "" ? "" : "=..."}'`;
}
