// The errors that this package throws. `error-pages.ts` has the page of each code, and the messages stand where they are thrown.
export { ERRORS, type ErrorCode, type ErrorKind } from "./error-pages";
export {
  asKeyplaneError,
  ConfigError,
  type ErrorFacts,
  InputError,
  isKeyplaneError,
  KeyplaneError,
  messageOf,
} from "./keyplane-error";
export {
  AbortedError,
  AnswerLostError,
  ApiError,
  BadAnswerError,
  type FailedOperation,
  isAborted,
  isAnswerLost,
  isApiError,
  isOperationFailed,
  isOtherKey,
  isTimeout,
  OperationFailedError,
  OtherKeyError,
  type PendingOperation,
  TimeoutError,
  TransportError,
} from "./service-errors";
