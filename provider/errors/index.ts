// The errors that this package throws. The catalogue describes each code.
export { ERRORS, type ErrorCode, type ErrorDefinition, type ErrorKind } from "./catalogue";
export {
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
  isTimeout,
  OperationFailedError,
  type PendingOperation,
  TimeoutError,
  TransportError,
} from "./service-errors";
