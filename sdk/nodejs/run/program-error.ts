import { type ErrorCode, KeyplaneError } from "../../../provider/errors";
import { showOnlyMessage } from "./pulumi-internals";

/** An error of a program, as Pulumi is to show it: only its message, with the code. Otherwise Pulumi adds the stack. */
export function programError(code: ErrorCode, message: string): KeyplaneError {
  const error = new KeyplaneError(code, `${message} [${code}]`);
  showOnlyMessage(error);
  return error;
}
